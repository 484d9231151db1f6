"""A report as a run in the store. Its id comes from its content, so that a report that is read again is not stored again."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Report, ReportTable, View
from plimsoll.flows.record import make_run
from plimsoll.reports import tables
from plimsoll.reports.intervals import place_of
from plimsoll.reports.reader import Reading
from plimsoll.store.datasets.parquet import as_parquet
from plimsoll.store.ids import content_run_id


def keep(ctx: Context, reading: Reading, known: Sequence[View]) -> str:
    """Stores the report with its typed tables; returns the run's id, also when it is there already.

    Raises WorldError of the store.
    """
    report = reading.report
    assert report.sha256 is not None, "what was read has a checksum"
    run = make_run(
        ctx,
        "read",
        _title(report),
        ctx.clock.now(),
        id=content_run_id(report.begin_time, report.sha256),
        report=reading.whole(),
        report_tables=tuple(_tables(reading, known)),
    )
    try:
        ctx.store.save(run)
    except PlimsollError as error:
        if error.id != "run-exists":
            raise
    return run.id


def _tables(reading: Reading, known: Sequence[View]) -> list[ReportTable]:
    names = frozenset(view.name for view in known)
    pa = tables.library()
    made = []
    for name, rows in tables.batches(reading, known, names):
        table = tables.identified(
            name, pa.Table.from_batches([rows]), [(tables.identity_of(reading.report), rows.num_rows)]
        )
        made.append(ReportTable(name=name, row_count=rows.num_rows, parquet=as_parquet(table)))
    return made


def _title(report: Report) -> str:
    """`awr 19.0.0.0.0 of ORCL/orcl1, 2016-01-31T00:00:03 to …: folder/file.html`."""
    names = "/".join(name for name in (report.db_name, report.instance) if name)
    words = [report.kind, report.release or "", f"of {names}" if names else ""]
    interval = "" if report.begin_time is None else f", {report.begin_time} to {report.end_time}"
    return f"{' '.join(word for word in words if word)}{interval}: {place_of(report)}"

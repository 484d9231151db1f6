"""A report as a run in the store. Its id comes from its content, so that a report that is read again is not stored again."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Report, ReportTable
from plimsoll.flows.read_groups import TypedTable
from plimsoll.flows.record import make_run
from plimsoll.reports.intervals import place_of
from plimsoll.reports.reader import Reading
from plimsoll.store.ids import content_run_id


def keep(ctx: Context, reading: Reading, made: Sequence[TypedTable]) -> str:
    """Stores the report with its typed tables, see `typed_tables`; returns the run's id, also when it is there already.

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
        report_tables=tuple(
            ReportTable(name=name, row_count=count, parquet=parquet) for name, count, parquet in made
        ),
    )
    # One request made them all, and asking again would make them all again.
    run = run.model_copy(update={"request": None})
    try:
        ctx.store.save(run)
    except PlimsollError as error:
        if error.id != "run-exists":
            raise
    return run.id


def _title(report: Report) -> str:
    """`awr 19.0.0.0.0 of ORCL/orcl1, 2016-01-31T00:00:03 to …: folder/file.html`."""
    names = "/".join(name for name in (report.db_name, report.instance) if name)
    words = [report.kind, report.release or "", f"of {names}" if names else ""]
    interval = "" if report.begin_time is None else f", {report.begin_time} to {report.end_time}"
    return f"{' '.join(word for word in words if word)}{interval}: {place_of(report)}"

"""The demand of AWR-Miner's output: an interval for each row of its main metrics, which is a snapshot of one instance.

It prints averages of Oracle's metrics over the time between two snapshots: all requests and all bytes that were read and written,
with those for the log, control files and temporary files, and the redo that was generated.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from plimsoll.facts import Origin, Report, ReportedClass, ReportedInterval
from plimsoll.facts.demand import DemandClassName
from plimsoll.native import reports as native
from plimsoll.reports.figures.evidence import Evidence, Row
from plimsoll.reports.figures.quantity import ROUNDED_AWAY, Quantity, is_rounded_away, named_together

KIND = "awr-miner"
_VIEW = "miner_main_metrics"
_TIME = "%y/%m/%d %H:%M"
_CENTISECONDS = 100.0
_NO_LATENCY = "the output prints no latency of these requests"
_DEFINITIONS: dict[DemandClassName, str] = {
    "small_read": "all read requests, whatever their size and their file",
    "small_write": "all write requests, whatever their size and their file, those of the log among them",
    "redo_write": "redo that was generated",
}


def miner_intervals(
    base: ReportedInterval, report: Report, content: native.Report
) -> tuple[ReportedInterval, ...]:
    """One for each row; `base` says whose they are. None of a row whose time is not printed."""
    evidence = Evidence(content, report.decimal)
    made = (_interval(base, evidence, row) for row in evidence.rows(_VIEW))
    return tuple(interval for interval in made if interval is not None)


def _interval(base: ReportedInterval, evidence: Evidence, row: Row) -> ReportedInterval | None:
    end, length = _time(row.get("end_time")), row.get("duration_s")
    if end is None or not length:
        return None
    classes = dict(_classes(evidence, row))
    counted = [one for one in classes.values() if not one.counted_in]
    iops = [one.ops_per_s for one in counted if one.ops_per_s is not None]
    sizes = [one.bytes_per_s for one in counted if one.bytes_per_s is not None]
    commits = evidence.number(_VIEW, row, "commits_per_s")
    found = {
        "instance_number": row.get("instance_number"),
        "begin_time": (end - timedelta(seconds=length)).isoformat(),
        "end_time": end.isoformat(),
        "duration_s": length,
        "classes": classes,
        "iops": sum(iops) if iops else None,
        "mb_per_s": sum(sizes) * 1e-6 if sizes else None,
        "commits_per_s": None if commits is None else commits.value,
        "db_time_s_per_s": _db_time(evidence, row),
        "gap": None if iops or sizes else "the row prints no rate of reads or writes",
    }
    return ReportedInterval.model_validate(base.model_dump() | found)


def _db_time(evidence: Evidence, row: Row) -> float | None:
    """Sessions that were active in the mean: printed as such with one decimal, and in later versions as centiseconds per second.

    What it prints of CPU time is not in the same unit in all versions, and is left out.
    """
    precise = evidence.number(_VIEW, row, "db_time")
    if precise is not None:
        return precise.value / _CENTISECONDS
    rounded = evidence.number(_VIEW, row, "avg_active_sessions")
    return None if rounded is None else rounded.value


def _time(words: str | None) -> datetime | None:
    try:
        return None if words is None else datetime.strptime(words, _TIME)  # noqa: DTZ007 - reports print no zone
    except ValueError:
        return None


def _classes(evidence: Evidence, row: Row) -> Iterator[tuple[DemandClassName, ReportedClass]]:
    def number(column: str) -> Quantity | None:
        return evidence.number(_VIEW, row, column)

    yield "small_read", _class("small_read", number("reads_per_s"), number("read_bytes_per_s"))
    yield "small_write", _class("small_write", number("writes_per_s"), number("write_bytes_per_s"))
    log = _class("redo_write", None, number("redo_bytes_per_s"))
    yield "redo_write", log.model_copy(update={"counted_in": ("small_write",)})


def _class(name: DemandClassName, requests: Quantity | None, size: Quantity | None) -> ReportedClass:
    figures = {"ops_per_s": requests, "bytes_per_s": size}
    unknown = {figure: "the output does not print it" for figure, known in figures.items() if known is None}
    if is_rounded_away(size, requests):
        size = figures["bytes_per_s"] = None
        unknown["bytes_per_s"] = ROUNDED_AWAY
    elif is_rounded_away(requests, size):
        requests = figures["ops_per_s"] = None
        unknown["ops_per_s"] = ROUNDED_AWAY
    return ReportedClass(
        ops_per_s=None if requests is None else requests.value,
        bytes_per_s=None if size is None else size.value,
        latency_us_mean=None,
        source=named_together((requests, size)),
        definition=_DEFINITIONS[name],
        unknown=unknown | {"latency_us_mean": _NO_LATENCY},
        origins=tuple(_origins(figures)),
    )


def _origins(figures: dict[str, Quantity | None]) -> Iterator[Origin]:
    for figure, known in figures.items():
        if known is not None:
            yield known.origin(figure)

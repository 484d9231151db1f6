"""The demand of one report, put together from its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from plimsoll.facts import InstanceShare, Origin, Report, ReportedClass, ReportedInterval
from plimsoll.facts.demand import DemandClassName
from plimsoll.native import reports as native
from plimsoll.reports.backwards import backwards
from plimsoll.reports.figures.counters import OPS, Counters, Op
from plimsoll.reports.figures.cross_checks import doubts_of, negative_counts
from plimsoll.reports.figures.evidence import Evidence
from plimsoll.reports.figures.latencies import NO_LATENCY, NOT_PRINTED, latency, latency_doubts
from plimsoll.reports.figures.miner import KIND, miner_intervals
from plimsoll.reports.figures.quantity import ROUNDED_AWAY, Quantity, is_rounded_away, named_together
from plimsoll.reports.figures.redo import Redo, redo
from plimsoll.reports.figures.split import Log, Part, Split, split
from plimsoll.reports.figures.temp import Temp, temp
from plimsoll.reports.figures.totals import Choice, block_size, choose, is_impossible
from plimsoll.reports.spool import KIND as COLLECTOR
from plimsoll.reports.spool.intervals import is_container

PRINTED_KINDS = ("statspack", "awr", "awr-global", "awr-pdb")
"""Kinds of reports that print what a database counted between two snapshots, and lists of the segments that did most in it."""
COUNTING_KINDS = (*PRINTED_KINDS, COLLECTOR)
"""Kinds that tell what a database counted between two snapshots."""
_OTHER_KINDS = {
    "ash": "an ASH report samples sessions, and counts no I/O",
    "addm": "an ADDM report tells findings, and counts no I/O",
    "awr-diff": "a compare-period report is about two intervals; make a report of each",
    KIND: "AWR-Miner's output prints no main metrics, or not the time of any",
    "osprep": "an OSPRep page holds no counts of I/O that could be told apart",
}
_NO_ELAPSED = "the report prints no elapsed time, so that what it counted cannot be made a rate"
_TEMP_IN: dict[Op, tuple[DemandClassName, ...]] = {
    "read": ("small_read", "large_read"),
    "write": ("small_write", "large_write"),
}


def intervals_of(report: Report, content: native.Report | None) -> tuple[ReportedInterval, ...]:
    """What a report says of the demand on storage, interval by interval: one, but for the output of AWR-Miner."""
    if content is not None and report.kind == KIND:
        found = miner_intervals(_nothing(report, _OTHER_KINDS[KIND]), report, content)
        return found or (_nothing(report, _OTHER_KINDS[KIND]),)
    return (interval_of(report, content),)


def interval_of(report: Report, content: native.Report | None) -> ReportedInterval:
    """What a report says of the demand on storage. What it does not say is None, with the reason."""
    if content is None or report.kind not in COUNTING_KINDS:
        return _nothing(report, _OTHER_KINDS.get(report.kind, _why_unread(report)))
    counters = Counters(Evidence(content, report.decimal), _elapsed_s(report), report.kind == "awr-global")
    choices: dict[Op, Choice] = {
        op: choose(counters, op, block_size(counters, op, report.block_bytes)) for op in OPS
    }
    log = redo(counters, scope_of(report) == "container")
    splits: dict[Op, Split] = {op: _split(counters, op, choices[op], log, report.block_bytes) for op in OPS}
    temps: dict[Op, Temp] = {op: temp(counters, op, report.block_bytes) for op in OPS}
    classes = dict(_classes(counters, splits, choices, log, temps))
    counted = [one for one in classes.values() if not one.counted_in]
    commits = counters.activity("user commits")
    return _identity(
        report,
        classes=classes,
        iops=_sum(one.ops_per_s for one in counted),
        mb_per_s=_scaled(_sum(one.bytes_per_s for one in counted), 1e-6),
        commits_per_s=None if commits is None else commits.value,
        db_time_s_per_s=_per_second(report, report.db_time_s),
        db_cpu_s_per_s=_per_second(report, report.db_cpu_s),
        instances=tuple(_instances(counters, report)),
        gap=_useless(report) or _gap(classes, counters),
        doubts=(
            *(doubt for op in OPS for doubt in (*choices[op].doubts, *splits[op].doubts)),
            *doubts_of(counters),
            *latency_doubts(counters),
            *negative_counts(counters),
        ),
    )


def _split(counters: Counters, op: Op, choice: Choice, log: Redo, header_bytes: int | None) -> Split:
    is_held = op == "write" and log.requests is not None
    held = Log(log.requests, log.bytes, log.large) if is_held else Log()
    return split(counters, op, choice, held, block_size(counters, op, header_bytes))


def _classes(
    counters: Counters,
    splits: Mapping[Op, Split],
    choices: Mapping[Op, Choice],
    log: Redo,
    temps: Mapping[Op, Temp],
) -> Iterator[tuple[DemandClassName, ReportedClass]]:
    """Classes in the usual order; large ones only where they are told apart."""
    for op in OPS:
        found = splits[op]
        total = choices[op].total
        at_least = total is not None and total.at_least
        small: DemandClassName = "small_read" if op == "read" else "small_write"
        large: DemandClassName = "large_read" if op == "read" else "large_write"
        yield small, _sized(counters, small, found.small, found, at_least)
        if found.large is not None:
            yield large, _sized(counters, large, found.large, found, at_least)
    yield "redo_write", _redo(counters, log)
    for op in OPS:
        name: DemandClassName = "temp_read" if op == "read" else "temp_write"
        yield name, _temp(counters, name, op, temps[op])


def _sized(
    counters: Counters, name: DemandClassName, part: Part, whole: Split, at_least: bool
) -> ReportedClass:
    reasons = whole.reasons
    if part.requests is not None and part.bytes is None and not reasons:
        reasons = {"bytes_per_s": "the report prints no bytes of these requests"}
    made = _class(counters, name, part.requests, part.bytes, whole.definition, reasons)
    bounds = {"bytes_per_s_min": part.low, "bytes_per_s_max": part.high, "at_least": at_least}
    return made.model_copy(update=bounds)


def _redo(counters: Counters, log: Redo) -> ReportedClass:
    """Each write of the log is on stable storage before the next, so there are as many syncs."""
    made = _class(counters, "redo_write", log.requests, log.bytes, log.definition, log.reasons)
    return made.model_copy(
        update={
            "syncs_per_s": made.ops_per_s,
            "sync_latency_us_mean": made.latency_us_mean,
            "is_forced": True,
        }
    )


def _temp(counters: Counters, name: DemandClassName, op: Op, found: Temp) -> ReportedClass:
    made = _class(counters, name, found.requests, found.bytes, found.definition, found.reasons)
    return made.model_copy(update={"counted_in": _TEMP_IN[op]})


def _class(
    counters: Counters,
    name: DemandClassName,
    requests: Quantity | None,
    size: Quantity | None,
    definition: str,
    reasons: Mapping[str, str],
) -> ReportedClass:
    time = latency(counters, name).taken
    unknown = dict(reasons)
    if is_rounded_away(size, requests):
        size, unknown["bytes_per_s"] = None, ROUNDED_AWAY
    elif is_rounded_away(requests, size):
        requests, unknown["ops_per_s"] = None, ROUNDED_AWAY
    figures = {"ops_per_s": requests, "bytes_per_s": size, "latency_us_mean": time}
    if time is None:
        unknown["latency_us_mean"] = NO_LATENCY.get(name, NOT_PRINTED)
    if counters.elapsed_s is None and not counters.clustered:
        unknown |= {
            figure: _NO_ELAPSED
            for figure in ("ops_per_s", "bytes_per_s")
            if figures[figure] is None and not _names_a_table(reasons.get(figure))
        }
    return ReportedClass(
        ops_per_s=_value(requests),
        bytes_per_s=_value(size),
        latency_us_mean=_value(time),
        source=named_together((requests, size)),
        definition=definition,
        unknown={name: why for name, why in unknown.items() if figures.get(name) is None},
        origins=tuple(_origins(figures)),
    )


def _names_a_table(reason: str | None) -> bool:
    return reason is not None and "log belongs" in reason


def _origins(figures: Mapping[str, Quantity | None]) -> Iterator[Origin]:
    for figure, known in figures.items():
        if known is not None:
            yield known.origin(figure)


def _instances(counters: Counters, report: Report) -> Iterator[InstanceShare]:
    """Each instance of a cluster, from its rows of IOStat by Function."""
    elapsed = {one.instance_number: one.elapsed_s for one in report.instances}
    columns = ("reads_per_s", "read_bytes_per_s", "writes_per_s", "write_bytes_per_s")
    for number, row in counters.instances():
        found = {column: counters.evidence.number("iostat_by_function", row, column) for column in columns}
        unknown: dict[str, str] = {}
        found["redo_bytes_per_s"] = counters.instance_redo(number)
        if found["redo_bytes_per_s"] is None:
            unknown["redo_bytes_per_s"] = "the report prints no redo by instance"
        for op in OPS:
            if is_impossible(found[f"{op}s_per_s"], found[f"{op}_bytes_per_s"]):
                found[f"{op}s_per_s"] = None
                unknown[f"{op}s_per_s"] = "what is printed would be requests of less than a sector"
        values: dict[str, float | None] = {column: _value(known) for column, known in found.items()}
        yield InstanceShare(
            instance_number=number,
            elapsed_s=elapsed.get(number),
            **values,
            unknown=unknown,
            origins=tuple(_origins(found)),
        )


def _useless(report: Report) -> str | None:
    """Why the figures of an interval must not be used although they are printed."""
    if (why := backwards(report)) is not None:
        return why
    begin, end = report.begin_time, report.end_time
    if begin is None or end is None:
        return None
    starts = [report.startup_time, *(one.startup_time for one in report.instances)]
    started = next((start for start in starts if start is not None and begin < start <= end), None)
    if started is None:
        return None
    return f"an instance was started at {started}, inside the interval, and counted from zero again"


def _gap(classes: Mapping[DemandClassName, ReportedClass], counters: Counters) -> str | None:
    if any(one.ops_per_s is not None or one.bytes_per_s is not None for one in classes.values()):
        return None
    if counters.elapsed_s is None:
        return _NO_ELAPSED
    return "the report prints no count of reads, writes or redo"


def _nothing(report: Report, reason: str) -> ReportedInterval:
    return _identity(report, classes={}, iops=None, mb_per_s=None, gap=reason)


def _why_unread(report: Report) -> str:
    first = next(iter(report.problems), None)
    return "it could not be read" if first is None else first.message


def _identity(report: Report, **found: object) -> ReportedInterval:
    known = {
        "file": report.file,
        "member": report.member,
        "report_id": report.id,
        "kind": report.kind,
        "release": report.release,
        "db_name": report.db_name,
        "db_id": report.db_id,
        "instance": report.instance,
        "instance_number": report.instance_number,
        "container": report.container,
        "host": report.host,
        "block_bytes": report.block_bytes,
        "scope": scope_of(report),
        "begin_time": report.begin_time,
        "end_time": report.end_time,
        "duration_s": _elapsed_s(report),
        "flags": report.flags,
    }
    return ReportedInterval.model_validate(known | found)


def scope_of(report: Report) -> Literal["database", "cluster", "instance", "container"]:
    """Whose demand a report tells."""
    if report.kind == "awr-pdb":
        return "container"
    if report.kind == "awr-global":
        return "cluster"
    if report.kind == COLLECTOR:
        return _scope_of_collector(report)
    return "instance" if report.rac else "database"


def _scope_of_collector(report: Report) -> Literal["database", "cluster", "container"]:
    """It reads all instances that are open, be it one of a cluster."""
    if is_container(report.container):
        return "container"
    return "cluster" if report.rac else "database"


def _elapsed_s(report: Report) -> float | None:
    return report.elapsed_s if report.elapsed_s is not None and report.elapsed_s > 0 else None


def _per_second(report: Report, seconds: float | None) -> float | None:
    """Seconds of sessions by those of the clock."""
    elapsed_s = _elapsed_s(report)
    return None if seconds is None or elapsed_s is None else seconds / elapsed_s


def _value(known: Quantity | None) -> float | None:
    return None if known is None else known.value


def _sum(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor

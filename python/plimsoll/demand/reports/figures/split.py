"""Small and large: the requests of one kind of I/O told apart by their size.

Oracle calls a request large when it moves 128 KiB or more. Statspack's detail of IOStat by Function counts both sorts with
their bytes. The statistics `multi block requests` count large ones (small ones of several blocks are not among them, whatever
their name says) and leave the bytes together; these are then parted by what is possible: no large request is smaller
than 128 KiB, no small one smaller than a block. Source: Oracle Database Performance Tuning Guide, on V$IOSTAT_FUNCTION.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from plimsoll.demand.reports.figures.counters import Counters, Op
from plimsoll.demand.reports.figures.evidence import plain
from plimsoll.demand.reports.figures.known import Known, added, agree, less
from plimsoll.demand.reports.figures.totals import COUNTERS_DIFFER_SHARE_MAX, Choice, Total
from plimsoll.facts import ReportedDoubt

LARGE_BYTES_MIN = 128 * 1024
"""From here on a request is a large one."""
LARGE_BYTES_USUAL = 1024 * 1024
"""Most platforms read and write no more than this at once."""

BY_MULTI_BLOCK = "small: less than 128 KiB; large: 128 KiB and more, as 'multi block requests' count them"
BY_DETAIL = "small: less than 128 KiB; large: 128 KiB and more, as IOStat by Function counts them"
TOGETHER = "requests of all sizes: this report does not tell small from large"


@dataclass(frozen=True)
class Part:
    """One of the two. `low` and `high` are bounds of its bytes per second where these are an estimate."""

    requests: Known | None = None
    bytes: Known | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Split:
    """Reads or writes by size. Where they cannot be told apart, all are in `small`, and `large` is None."""

    small: Part
    large: Part | None
    definition: str
    doubts: tuple[ReportedDoubt, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict[str, str])


def split(counters: Counters, op: Op, choice: Choice, log: Part, block: Known | None) -> Split:
    """The two parts. `log` is what writes hold of the log, and is left out of them."""
    detail, doubts = _by_detail(counters, op, choice.total)
    if detail is not None:
        return Split(*detail, definition=BY_DETAIL, doubts=doubts)
    large = counters.activity(f"physical {op} total multi block requests")
    if choice.split is not None and choice.split.requests is not None and large is not None:
        parts = _by_multi_block(choice.split, large, log, block, op)
        if parts is not None:
            return Split(*parts, definition=BY_MULTI_BLOCK, doubts=doubts)
        doubts += (_contradiction(choice.split.requests, large, log, op),)
    return _together(choice, log, op, doubts)


def _together(choice: Choice, log: Part, op: Op, doubts: tuple[ReportedDoubt, ...]) -> Split:
    total = choice.total
    if total is None:
        reason = f"the report prints no count of {op}s"
        return Split(Part(), None, TOGETHER, doubts, {"ops_per_s": reason, "bytes_per_s": reason})
    reasons: dict[str, str] = {}
    requests, size = total.requests, total.bytes
    if total.whole:
        requests, size = _without(requests, log.requests), _without(size, log.bytes)
    if requests is None:
        reasons["ops_per_s"] = f"the report prints blocks, but no requests, of {op}s"
    if size is None:
        reasons["bytes_per_s"] = f"the report prints requests, but no bytes, of {op}s"
    definition = f"{TOGETHER}; {total.definition}" if total.definition else TOGETHER
    return Split(Part(requests, size), None, definition, doubts, reasons)


def _by_multi_block(
    total: Total, large: Known, log: Part, block: Known | None, op: Op
) -> tuple[Part, Part] | None:
    """None where the counts contradict each other."""
    assert total.requests is not None, "the caller has looked"
    others = [large] if log.requests is None else [large, log.requests]
    words = f"{op}s − large {op}s" + (" − writes of the log" if log.requests is not None else "")
    small = less(total.requests, others, words)
    if small.value < -small.slack:
        return None
    small = Known(max(0.0, small.value), small.slack, small.source, small.cells, small.how)
    size = None if total.bytes is None else _without(total.bytes, log.bytes)
    if size is None:
        return Part(small), Part(large)
    return _parted(small, large, size, 1.0 if block is None else block.value)


def _parted(small: Known, large: Known, size: Known, block_bytes: float) -> tuple[Part, Part]:
    """Bytes of both together, parted within the bounds of what their requests can hold."""
    if not large.value or not small.value:
        whole, none = size, Known(0.0, 0.0, size.source, size.cells, "there were none")
        mine, others = (whole, none) if small.value else (none, whole)
        return Part(small, mine), Part(large, others)
    most = max(0.0, size.value - small.value * block_bytes)
    least = min(most, max(large.value * LARGE_BYTES_MIN, size.value - small.value * LARGE_BYTES_MIN))
    guess = max(least, min(most, large.value * LARGE_BYTES_USUAL))
    words = (
        f"bytes of both sizes together, parted: small ones hold at least a block of {block_bytes:,.0f} bytes, large ones at "
        "least 128 KiB and seldom more than 1 MiB"
    )
    cells = size.cells + small.cells
    source = size.source
    mine = Known(size.value - guess, size.slack, source, cells, words)
    others = Known(guess, size.slack, source, cells, words)
    return (
        Part(small, mine, size.value - most, size.value - least),
        Part(large, others, least, most),
    )


def _without(total: Known | None, log: Known | None) -> Known | None:
    """A total without the log's part of it; never below zero, for the log is printed less exactly."""
    if total is None or log is None:
        return total
    rest = less(total, [log], "all writes − writes of the log")
    return Known(max(0.0, rest.value), rest.slack, rest.source, rest.cells, rest.how)


def _by_detail(
    counters: Counters, op: Op, total: Total | None
) -> tuple[tuple[Part, Part] | None, tuple[ReportedDoubt, ...]]:
    """Statspack's detail, unless functions are missing in it: those that only write are in some releases."""
    rows = [row for row in counters.iostat_rows("iostat_by_function") if _has_detail(row, op)]
    if op == "write":
        rows = [row for row in rows if plain(row["function"]) != "lgwr"]
    if not rows:
        return None, ()

    def summed(size: str, what: str) -> Known | None:
        column = f"{size}_{op}_bytes" if what == "bytes" else f"{size}_{op}s"
        found = [counters.evidence.number("iostat_by_function", row, column) for row in rows]
        none = Known(0.0, 0.0, "IOStat by Function", (), "blank in all rows")
        known = [each for each in found if each is not None]
        return counters.per_second(added(known, "sum over the functions") or none)

    small, large = summed("small", "requests"), summed("large", "requests")
    if small is None or large is None:
        return None, ()
    doubt = _incomplete(counters, op, [small, large], total)
    if doubt is not None:
        return None, (doubt,)
    return (Part(small, summed("small", "bytes")), Part(large, summed("large", "bytes"))), ()


def _has_detail(row: object, op: Op) -> bool:
    assert isinstance(row, dict), "rows are dictionaries"
    return any(row.get(f"{size}_{op}s") is not None for size in ("small", "large"))


def _incomplete(
    counters: Counters, op: Op, parts: Sequence[Known], total: Total | None
) -> ReportedDoubt | None:
    """What is wrong with the detail, held against the total where there is one."""
    if total is None or total.requests is None or not total.whole:
        return None
    log_writer = [
        counters.per_second(counters.iostat("iostat_by_function", "LGWR", f"{size}_writes"))
        for size in ("small", "large")
    ]
    log = [part for part in log_writer if part is not None] if op == "write" else []
    together = added([*parts, *log], "sum over the functions")
    assert together is not None, "two parts are given"
    if agree(together, total.requests, COUNTERS_DIFFER_SHARE_MAX):
        return None
    message = (
        f"{together.source} holds {together.value:,.2f} {op}s per second in its detail, and {total.requests.source} "
        f"{total.requests.value:,.2f}: functions are missing in it, and it is not used"
    )
    return ReportedDoubt(
        code="functions-missing", message=message, cells=together.cells + total.requests.cells
    )


def _contradiction(total: Known, large: Known, log: Part, op: Op) -> ReportedDoubt:
    held = large.value + (0.0 if log.requests is None else log.requests.value)
    of_log = "" if log.requests is None else " and of the log"
    message = (
        f"{total.source} says {total.value:,.2f} {op}s per second in all, but {held:,.2f} large ones{of_log}"
    )
    cells = total.cells + large.cells + (() if log.requests is None else log.requests.cells)
    return ReportedDoubt(code="requests-contradict", message=message, cells=cells)

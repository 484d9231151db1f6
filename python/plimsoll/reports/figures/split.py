"""Small and large: the requests of one kind of I/O told apart by their size.

Oracle calls a request large when it moves 128 KiB or more. Statspack's detail of IOStat by Function counts both sorts with
their bytes. The statistics `multi block requests` count large ones (small ones of several blocks are not among them, whatever
their name says) and leave the bytes together; these are then parted by what is possible: no large request is smaller
than 128 KiB, no small one smaller than a block. Source: Oracle Database Performance Tuning Guide, on V$IOSTAT_FUNCTION.

Where another section counts more requests in all, the printed split holds for a part of them, and its shares are taken for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from plimsoll.facts import ReportedDoubt
from plimsoll.reports.figures.counters import Counters, Op
from plimsoll.reports.figures.evidence import plain
from plimsoll.reports.figures.quantity import Quantity, added, agree, less, named_together, ratio
from plimsoll.reports.figures.totals import COUNTERS_DIFFER_SHARE_MAX, LARGE_BYTES_MIN, Choice, Total

LARGE_BYTES_USUAL = 1024 * 1024
"""Most platforms read and write no more than this at once."""

BY_MULTI_BLOCK = "small: less than 128 KiB; large: 128 KiB and more, as 'multi block requests' count them"
BY_DETAIL = "small: less than 128 KiB; large: 128 KiB and more, as IOStat by Function counts them"
BY_SHARES = "small: less than 128 KiB; large: 128 KiB and more, in the shares that IOStat by Function counts"
TOGETHER = "requests of all sizes: this report does not tell small from large"


@dataclass(frozen=True)
class Part:
    """One of the two. `low` and `high` are bounds of its bytes per second where these are an estimate."""

    requests: Quantity | None = None
    bytes: Quantity | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Log:
    """What writes hold of the log, and is left out of them. `large` are the large ones of `requests`; None where nobody knows."""

    requests: Quantity | None = None
    bytes: Quantity | None = None
    large: Quantity | None = None

    def parts(self, large_writes: Quantity) -> tuple[list[Quantity], list[Quantity]]:
        """What of it is among small writes, and what among the large ones: no more than there are of these."""
        if self.requests is None:
            return [], []
        if self.large is None:
            return [self.requests], []
        of_large = self.large if self.large.value <= large_writes.value else large_writes
        return [less(self.requests, [of_large], "writes of the log − large ones")], [of_large]


@dataclass(frozen=True)
class Detail:
    """What IOStat's detail tells. `share` is that of the requests which it holds: below 1, functions are missing in it."""

    small: Part
    large: Part
    share: float = 1.0

    def large_bytes_usual(self) -> float:
        """How large a large request of it is on average."""
        requests, size = self.large.requests, self.large.bytes
        if requests is None or size is None or not requests.value or not size.value:
            return LARGE_BYTES_USUAL
        return max(LARGE_BYTES_MIN, size.value / requests.value)

    def grown(self) -> tuple[Part, Part]:
        """As much as all requests are, in the same shares."""
        return _grown(self.small, self.share), _grown(self.large, self.share)


def _grown(part: Part, share: float) -> Part:
    def of(known: Quantity | None) -> Quantity | None:
        words = f" ÷ {share:.3f}, as functions are missing"
        return None if known is None else known.times(1.0 / share, known.how + words)

    return Part(of(part.requests), of(part.bytes))


@dataclass(frozen=True)
class Split:
    """Reads or writes by size. Where they cannot be told apart, all are in `small`, and `large` is None."""

    small: Part
    large: Part | None
    definition: str
    doubts: tuple[ReportedDoubt, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict[str, str])


def split(counters: Counters, op: Op, choice: Choice, log: Log, block: Quantity | None) -> Split:
    """The two parts. `log` is what writes hold of the log, and is left out of them."""
    detail, doubts = _by_detail(counters, op, choice.total, log)
    if detail is not None and detail.share >= 1.0:
        return Split(detail.small, detail.large, definition=BY_DETAIL, doubts=doubts)
    large = counters.activity(f"physical {op} total multi block requests")
    if choice.split is not None and choice.split.requests is not None and large is not None:
        usual = LARGE_BYTES_USUAL if detail is None else detail.large_bytes_usual()
        parts = _by_multi_block(choice, large, log, _Sizes(1.0 if block is None else block.value, usual), op)
        if parts is not None:
            return Split(*parts, definition=BY_MULTI_BLOCK, doubts=doubts)
        doubts += (_contradiction(choice.split.requests, large, log, op),)
    if detail is not None:
        return Split(*detail.grown(), definition=BY_SHARES, doubts=doubts)
    return _together(choice, log, op, doubts)


@dataclass(frozen=True)
class _Sizes:
    """Bytes of the smallest small request, and of a usual large one."""

    block: float
    large: float


def _together(choice: Choice, log: Log, op: Op, doubts: tuple[ReportedDoubt, ...]) -> Split:
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
    choice: Choice, large: Quantity, log: Log, sizes: _Sizes, op: Op
) -> tuple[Part, Part] | None:
    """None where the counts contradict each other."""
    total = choice.total
    assert total is not None, "a split is a part of a total"
    size = None if total.bytes is None else _without(total.bytes, log.bytes)
    for of_all in _of_all(choice, large, op):
        parts = _apart(total, of_all, log, op)
        if parts is not None and _is_possible(*parts, size, sizes):
            break
    else:
        parts = _apart(total, large, log, op)
    if parts is None or size is None:
        return None if parts is None else (Part(parts[0]), Part(parts[1]))
    return _parted(*parts, size, sizes)


def _of_all(choice: Choice, large: Quantity, op: Op) -> Iterator[Quantity]:
    """Large requests among all: where another section counts more in all, in the same share; else as they are printed."""
    total, counted = choice.total, choice.split
    assert total is not None, "a split is a part of a total"
    assert counted is not None, "the caller has looked"
    if total is not counted and total.requests is not None and counted.requests is not None:
        factor = ratio(total.requests, counted.requests, "")
        if factor is not None:
            how = f"{large.how} × {factor.value:.3f}, as {total.requests.source} holds more {op}s"
            source = named_together((large, factor))
            slack = large.slack * factor.value
            yield Quantity(large.value * factor.value, slack, source, large.cells + factor.cells, how)
    yield large


def _apart(total: Total, large: Quantity, log: Log, op: Op) -> tuple[Quantity, Quantity] | None:
    """Requests of both sizes, without those of the log; None where there would be less than none."""
    assert total.requests is not None, "the caller has looked"
    small_log, large_log = log.parts(large)
    words = f"{op}s − large {op}s" + (" − small writes of the log" if small_log else "")
    small = less(total.requests, [large, *small_log], words)
    if small.value < -small.slack:
        return None
    others = less(large, large_log, f"large {op}s − those of the log") if large_log else large
    return replace(small, value=max(0.0, small.value)), replace(others, value=max(0.0, others.value))


def _is_possible(small: Quantity, large: Quantity, size: Quantity | None, sizes: _Sizes) -> bool:
    """Whether the bytes are enough for so many requests."""
    if size is None:
        return True
    return large.value * LARGE_BYTES_MIN + small.value * sizes.block <= size.value + size.slack


def _parted(small: Quantity, large: Quantity, size: Quantity, sizes: _Sizes) -> tuple[Part, Part]:
    """Bytes of both together, parted within the bounds of what their requests can hold."""
    if not large.value or not small.value:
        whole, none = size, Quantity(0.0, 0.0, size.source, size.cells, "there were none")
        mine, others = (whole, none) if small.value else (none, whole)
        return Part(small, mine), Part(large, others)
    least = min(size.value, max(large.value * LARGE_BYTES_MIN, size.value - small.value * LARGE_BYTES_MIN))
    most = max(least, size.value - small.value * sizes.block)
    guess = max(least, min(most, large.value * sizes.large))
    words = (
        f"bytes of both sizes together, parted: small ones hold at least a block of {sizes.block:,.0f} bytes, large ones at "
        f"least 128 KiB and {_usual(sizes)}"
    )
    cells = size.cells + small.cells
    source = size.source
    mine = Quantity(size.value - guess, size.slack, source, cells, words)
    others = Quantity(guess, size.slack, source, cells, words)
    return (
        Part(small, mine, size.value - most, size.value - least),
        Part(large, others, least, most),
    )


def _usual(sizes: _Sizes) -> str:
    if sizes.large == LARGE_BYTES_USUAL:
        return "seldom more than 1 MiB"
    return f"{sizes.large / 1024:,.0f} KiB on average in IOStat by Function"


def _without(total: Quantity | None, log: Quantity | None) -> Quantity | None:
    """A total without the log's part of it; never below zero, for the log is printed less exactly."""
    if total is None or log is None:
        return total
    rest = less(total, [log], "all writes − writes of the log")
    return Quantity(max(0.0, rest.value), rest.slack, rest.source, rest.cells, rest.how)


def _by_detail(
    counters: Counters, op: Op, total: Total | None, log: Log
) -> tuple[Detail | None, tuple[ReportedDoubt, ...]]:
    """Statspack's detail. Functions may be missing in it: those that only write are in some releases."""
    rows = [row for row in counters.iostat_rows("iostat_by_function") if _has_detail(row, op)]
    if op == "write":
        rows = [row for row in rows if plain(row["function"]) != "lgwr"]
    if not rows:
        return None, ()

    def summed(size: str, what: str) -> Quantity | None:
        column = f"{size}_{op}_bytes" if what == "bytes" else f"{size}_{op}s"
        found = [counters.evidence.number("iostat_by_function", row, column) for row in rows]
        none = Quantity(0.0, 0.0, "IOStat by Function", (), "blank in all rows")
        known = [each for each in found if each is not None]
        return counters.per_second(added(known, "sum over the functions") or none)

    small, large = summed("small", "requests"), summed("large", "requests")
    if small is None or large is None:
        return None, ()
    parts = Part(small, summed("small", "bytes")), Part(large, summed("large", "bytes"))
    return _held_against(counters, op, Detail(*parts), total, log)


def _has_detail(row: object, op: Op) -> bool:
    assert isinstance(row, dict), "rows are dictionaries"
    return any(row.get(f"{size}_{op}s") is not None for size in ("small", "large"))


def _held_against(
    counters: Counters, op: Op, detail: Detail, total: Total | None, log: Log
) -> tuple[Detail | None, tuple[ReportedDoubt, ...]]:
    """The detail beside the total, where there is one: what it lacks, and what is said about it."""
    if total is None or total.requests is None or not total.whole:
        return detail, ()
    small, large = detail.small.requests, detail.large.requests
    assert small is not None, "the caller has looked"
    assert large is not None, "the caller has looked"
    of_log = _log_writer(counters) if op == "write" else []
    together = added([small, large, *of_log], "sum over the functions")
    assert together is not None, "two parts are given"
    if agree(together, total.requests, COUNTERS_DIFFER_SHARE_MAX):
        return detail, ()
    said = f"{together.source} holds {together.value:,.2f} {op}s per second in its detail, and {total.requests.source} "
    said += f"{total.requests.value:,.2f}"
    cells = together.cells + total.requests.cells
    if together.value > total.requests.value:
        doubt = ReportedDoubt(
            code="sources-differ", message=f"{said}; {together.source} is taken", cells=cells
        )
        return detail, (doubt,)
    held = small.value + large.value
    others = total.requests.value - (log.requests.value if log.requests is not None else 0.0)
    message = f"{said}: functions are missing in it, and only its sizes and shares are used"
    doubts = (ReportedDoubt(code="functions-missing", message=message, cells=cells),)
    return (replace(detail, share=min(1.0, held / others)) if held and others > 0.0 else None), doubts


def _log_writer(counters: Counters) -> list[Quantity]:
    sizes = ("small", "large")
    found = [counters.iostat("iostat_by_function", "LGWR", f"{size}_writes") for size in sizes]
    return [rate for part in found if (rate := counters.per_second(part)) is not None]


def _contradiction(total: Quantity, large: Quantity, log: Log, op: Op) -> ReportedDoubt:
    held = large.value + (0.0 if log.requests is None else log.requests.value)
    of_log = "" if log.requests is None else " and of the log"
    message = (
        f"{total.source} says {total.value:,.2f} {op}s per second in all, but {held:,.2f} large ones{of_log}"
    )
    cells = total.cells + large.cells + (() if log.requests is None else log.requests.cells)
    return ReportedDoubt(code="requests-contradict", message=message, cells=cells)

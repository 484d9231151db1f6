"""Whether a cache answered: reads the same blocks twice, small parts against the whole, and past the page cache.

Each test is made three times, and counts only when every time says the same, so that a busy machine is no cache:

- Re-read: blocks drawn from the whole span are read twice in the same order. A cache that fills as it is read makes the second pass
  faster.
- Ladder: reads within 1/64, 1/8 and all of the span. A cache that holds a part makes the part faster than the whole.
- Past the page cache, where the cell went through it: the same reads directly. A page cache that already holds the blocks makes
  both passes equally fast, and only this shows it.

A cache that holds the whole span, and lies below the page cache, looks like fast storage to all three; the verdict says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from plimsoll.base.limits import CACHED_SPEEDUP_MIN
from plimsoll.base.units import format_bytes
from plimsoll.facts import Cell, Check, IoClass, Workload
from plimsoll.native.engine import does_nothing
from plimsoll.supply.checks._cells import engines
from plimsoll.supply.checks._kind import Active, Look, Probe

_NAME = "cached"
_PASS_S = 0.4
_TIMES = 3
_RUNGS = (64, 8)
_RUNG_BLOCKS_MIN = 64
_IOS_MIN = 20
"""Fewer reads in a pass have no rate to speak of."""
_SEED = 90_001


@dataclass(frozen=True)
class _Trace:
    """One test: how many times faster the I/Os were where a cache would help, each time it was tried."""

    name: str
    speedups: tuple[float, ...]
    words: str

    @property
    def shows_a_cache(self) -> bool:
        return min(self.speedups) >= CACHED_SPEEDUP_MIN

    @property
    def middle(self) -> float:
        return median(self.speedups)


class _Unusable(Exception):
    """A pass that says nothing, with the reason."""


def _judge(probe: Probe) -> Check | None:
    if any(map(does_nothing, engines(probe.cell))):
        return None
    read = _read_of(probe)
    if read is None:
        reason = "the workload only writes: --check steady finds where a write cache ends"
        return Check(name=_NAME, passed=None, reason=reason)
    try:
        with probe.held_open():
            traces = _traces(probe, read)
    except _Unusable as why:
        return Check(name=_NAME, passed=None, reason=str(why))
    figures = {f"{trace.name}_speedup": trace.middle for trace in traces}
    found = [trace.words for trace in traces if trace.shows_a_cache]
    if found:
        reason = f"a cache answered: {'; '.join(found)}"
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    seen = "; ".join(trace.words for trace in traces)
    limit = f"a cache below that holds all {format_bytes(probe.target.span_bytes)} would not show"
    return Check(name=_NAME, passed=True, reason=f"no cache: {seen}; {limit}", figures=figures)


def _read_of(probe: Probe) -> Workload | None:
    """Random reads of the size that the cell read; None when it did not read."""
    reads = [io for io in probe.cell.workload.classes if io.op == "read"]
    if not reads:
        return None
    block_bytes = reads[0].block_bytes
    one = IoClass(name="read", op="read", pattern="random", block_bytes=block_bytes, weight=1.0)
    return Workload(name="cache check", classes=(one,))


def _traces(probe: Probe, read: Workload) -> list[_Trace]:
    """The re-read comes first: the other tests would leave blocks behind in the cache that it looks for."""
    traces = [_reread(probe, read)]
    if not probe.cell.direct and probe.target.direct_alignment_bytes is not None:
        traces.append(_past_page_cache(probe, read))
    return traces + _ladder(probe, read)


def _reread(probe: Probe, read: Workload) -> _Trace:
    speedups = []
    for time in range(_TIMES):
        first = _usable(probe.measure(Look(read, runtime_s=_PASS_S, seed=_SEED + time)))
        again = _usable(probe.measure(Look(read, runtime_s=_PASS_S, seed=_SEED + time, ios_max=first.ios)))
        speedups.append(_speedup(again, first))
    words = f"reading the same blocks again was {median(speedups):.1f} times as fast"
    return _Trace("reread", tuple(speedups), words)


def _past_page_cache(probe: Probe, read: Workload) -> _Trace:
    speedups = []
    for time in range(_TIMES):
        through = _usable(probe.measure(Look(read, runtime_s=_PASS_S, seed=_SEED + 100 + time)))
        past = _usable(
            probe.measure(
                Look(read, runtime_s=_PASS_S, seed=_SEED + 100 + time, ios_max=through.ios, direct=True)
            )
        )
        speedups.append(_speedup(through, past))
    words = f"through the page cache the same reads were {median(speedups):.1f} times as fast as past it"
    return _Trace("page_cache", tuple(speedups), words)


def _ladder(probe: Probe, read: Workload) -> list[_Trace]:
    """Rungs that hold too few blocks are left out. Whole and parts take turns, so that a change of the machine hits both."""
    block_bytes, span = read.classes[0].block_bytes, probe.target.span_bytes
    rungs = [rung for rung in _RUNGS if span // rung // block_bytes >= _RUNG_BLOCKS_MIN]
    speedups: dict[int, list[float]] = {rung: [] for rung in rungs}
    for time in range(_TIMES if rungs else 0):
        seed = _SEED + 200 + time
        whole = _usable(probe.measure(Look(read, runtime_s=_PASS_S, seed=seed)))
        for rung in rungs:
            part_bytes = span // rung // block_bytes * block_bytes
            part = _usable(probe.measure(Look(read, runtime_s=_PASS_S, seed=seed, span_bytes=part_bytes)))
            speedups[rung].append(_speedup(part, whole))
    return [
        _Trace(
            f"part_{rung}",
            tuple(found),
            f"1/{rung} of the span was {median(found):.1f} times as fast as the whole",
        )
        for rung, found in speedups.items()
    ]


def _usable(cell: Cell) -> Cell:
    if cell.errors:
        raise _Unusable(f"cannot tell: {cell.errors} reads failed")
    if cell.ended_early not in ("", "ios_max"):
        raise _Unusable(f"cannot tell: the check was cut short ({cell.ended_early})")
    if cell.ios < _IOS_MIN:
        raise _Unusable(f"cannot tell: {cell.ios} reads in {cell.runtime_s:.1f} s are too few")
    return cell


def _speedup(fast: Cell, slow: Cell) -> float:
    """By mean latency at depth 1, which is what a client waits; medians would hide a cache that answers 4 in 10."""
    fast_us, slow_us = fast.latency_us.mean, slow.latency_us.mean
    assert fast_us is not None, "a cell with I/Os has a mean"
    assert slow_us is not None, "a cell with I/Os has a mean"
    return slow_us / max(fast_us, 1e-3)


CHECK = Active(
    title="no cache answered",
    help="Reads the same blocks twice, small parts of the span against the whole, and, where the cell went through the page cache,"
    " past it; each three times, at depth 1. It takes seven seconds. A cache below that holds the whole span cannot be told from"
    " fast storage: use a span ten times as large as the largest cache.",
    judge=_judge,
    decides=True,
)

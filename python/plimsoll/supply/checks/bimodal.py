"""Whether there are two speeds: a fast and a slow mode of latency are the trace of a cache that answers part of the I/Os."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_share
from plimsoll.facts import Bucket, Cell, Check, Target
from plimsoll.native.latency import buckets
from plimsoll.supply.checks._cells import service
from plimsoll.supply.checks._kind import Passive

_APART_MIN = 4.0
_SHARE_MIN = 0.05
_IOS_MIN = 1000
_VALLEY_MAX = 0.5
"""The least populated step between two modes holds at most this share of the lower mode's own."""
_PER_DECADE = 20


@dataclass(frozen=True)
class Modes:
    """Two modes of latency; `fast_share` is the share of I/Os in the faster one."""

    fast_us: float
    slow_us: float
    fast_share: float


def find_modes(steps: Sequence[Bucket]) -> Modes | None:
    """The two modes of a distribution in equal logarithmic steps, at least 4 times apart; None when there is one."""
    filled = _without_gaps(steps)
    counts = _smooth([step.ios for step in filled])
    total = sum(step.ios for step in filled)
    found: list[tuple[float, Modes]] = []
    for cut in range(1, len(counts) - 1):
        fast = max(range(cut), key=counts.__getitem__)
        slow = max(range(cut + 1, len(counts)), key=counts.__getitem__)
        share = sum(step.ios for step in filled[:cut]) / total
        modes = Modes(_middle(filled[fast]), _middle(filled[slow]), share)
        depth = counts[cut] / min(counts[fast], counts[slow])
        if _is_double(modes, depth):
            found.append((depth, modes))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _is_double(modes: Modes, depth: float) -> bool:
    shares = (modes.fast_share, 1 - modes.fast_share)
    return depth <= _VALLEY_MAX and min(shares) >= _SHARE_MIN and modes.slow_us >= _APART_MIN * modes.fast_us


def _without_gaps(steps: Sequence[Bucket]) -> list[Bucket]:
    """Empty steps between the filled ones are put back: a valley may be empty."""
    whole: list[Bucket] = []
    for step in steps:
        while whole and whole[-1].upper_us < step.lower_us * 0.999:
            last = whole[-1]
            upper = min(step.lower_us, last.upper_us * 10 ** (1 / _PER_DECADE))
            whole.append(Bucket(lower_us=last.upper_us, upper_us=upper, ios=0))
        whole.append(step)
    return whole


def _smooth(counts: Sequence[int]) -> list[float]:
    """Means over three neighbours, so that one odd step is no valley."""
    padded = [0, *counts, 0]
    return [sum(padded[at : at + 3]) / 3 for at in range(len(counts))]


def _middle(step: Bucket) -> float:
    return (step.lower_us * step.upper_us) ** 0.5


def _judge(cell: Cell, target: Target) -> Check | None:
    spread = service(cell)
    if spread.hdr is None or spread.count < _IOS_MIN or len(cell.classes) > 1:
        return None
    modes = find_modes(buckets(spread.hdr, _PER_DECADE))
    if modes is None:
        return Check(name="bimodal", passed=True, reason="the latencies have one mode")
    figures = {
        "fast_us": modes.fast_us,
        "slow_us": modes.slow_us,
        "fast_share": modes.fast_share,
        "slow_share": 1 - modes.fast_share,
    }
    reason = (
        f"{format_share(modes.fast_share)} of the I/Os took about {modes.fast_us:.0f} µs, the others about {modes.slow_us:.0f} µs:"
        " part of them may come from a cache"
    )
    return Check(name="bimodal", passed=False, reason=reason, figures=figures)


CHECK = Passive(
    title="the latencies have one mode",
    help="Looks for two modes of latency at least 4 times apart, each with at least 5 % of the I/Os. It is a sign of a cache,"
    " but also of a busy CPU or of two kinds of device, so it only warns; --check cache tries whether there is one.",
    judge=_judge,
)

"""Rates over how many bytes are visited, and where a cache on the way ends.

Each set is the first so many bytes of the target, read once in full and then at random. A cache that holds the whole set answers
all of it; one of C bytes answers C / W of the reads within W bytes. So the rate is level up to the size of the cache, and falls
beyond it, steeply first. That is looked for: a fall that every repeat shows, by more than noise does
(`CACHED_SPEEDUP_MIN`). Where the rate was level before it, or the fall is so steep that nearly all of the set before must
have been held, the cache ends between that size and the first that fell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll.base.limits import CACHED_SPEEDUP_MIN
from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_us
from plimsoll.facts import CacheStep, WorkingSet

_LEVEL = 1.1
"""Sizes whose rates differ by less are level: two measurements of one size do."""
_HELD_SHARE_MIN = 0.9
"""A set counts as held where a cache holds so much of it."""
_GROWTH = 4
_SETS_MAX = 6
_SMALLEST_BYTES = 16 << 20
REPEATS_MIN = 2


def default_sizes(span_bytes: int) -> tuple[int, ...]:
    """The whole span, a quarter of it, and so on, down to 16 MiB, six at most."""
    sizes = [span_bytes]
    while len(sizes) < _SETS_MAX and sizes[-1] // _GROWTH >= _SMALLEST_BYTES:
        sizes.append(sizes[-1] // _GROWTH)
    return tuple(reversed(sizes))


def steps_of(sets: Sequence[WorkingSet]) -> tuple[CacheStep, ...]:
    """The falls of the rate, from the smallest set to the largest; none where there are fewer than two repeats."""
    if min((len(one.iops_repeats) for one in sets), default=0) < REPEATS_MIN:
        return ()
    found, start = [], 0
    while (fallen := _first_fallen(sets, start)) is not None:
        settled = _settled(sets, fallen)
        found.append(_step(sets, start, fallen, settled))
        start = settled
    return tuple(found)


def _first_fallen(sets: Sequence[WorkingSet], start: int) -> int | None:
    """The first set beyond `start` that was slower than it in every repeat, by more than noise, or the steep fall right behind."""
    for at in range(start + 1, len(sets)):
        if min(_ratios(sets[start], sets[at])) >= CACHED_SPEEDUP_MIN:
            return _steepest(sets, at)
    return None


def _steepest(sets: Sequence[WorkingSet], fallen: int) -> int:
    """Where the next set is so much slower still that this one was held, this one is not where the cache ends."""
    while fallen + 1 < len(sets) and _held_share(sets[fallen], sets[fallen + 1]) >= _HELD_SHARE_MIN:
        fallen += 1
    return fallen


def _settled(sets: Sequence[WorkingSet], fallen: int) -> int:
    """The rate goes on falling behind a step, as the share of the cache shrinks: where that ends."""
    at = fallen
    while at + 1 < len(sets) and median(_ratios(sets[at], sets[at + 1])) >= _LEVEL:
        at += 1
    return at


def _step(sets: Sequence[WorkingSet], start: int, fallen: int, settled: int) -> CacheStep:
    level = [at for at in range(start, fallen) if median(_ratios(sets[start], sets[at])) < _LEVEL]
    fast, slow = sets[level[-1]], sets[fallen]
    is_held = len(level) > 1
    if _held_share(sets[fallen - 1], slow) >= _HELD_SHARE_MIN:
        fast, is_held = sets[fallen - 1], True
    return CacheStep(
        # Of a set that nothing smaller is level with, and that is not much faster than the next, nobody knows how much is held.
        low_bytes=fast.set_bytes if is_held else None,
        high_bytes=slow.set_bytes,
        settled_bytes=sets[settled].set_bytes,
        fast_bytes=fast.set_bytes,
        fast_iops=fast.iops,
        slow_iops=slow.iops,
        fast_us_p50=fast.latency_us_p50,
        slow_us_p50=slow.latency_us_p50,
    )


def _held_share(smaller: WorkingSet, larger: WorkingSet) -> float:
    """Of the smaller set, how much a cache holds at least, by how much slower the larger one is in the repeat that says least.

    With hits that take no time the times per read are as 1 - C / W, which gives C; hits that take some make the true C larger.
    """
    times = min(_ratios(smaller, larger))
    return (times - 1) / (times - smaller.set_bytes / larger.set_bytes) if times > 1 else 0.0


def _ratios(smaller: WorkingSet, larger: WorkingSet) -> list[float]:
    """How many times as fast the smaller one was, repeat by repeat."""
    pairs = zip(smaller.iops_repeats, larger.iops_repeats, strict=False)
    return [fast / max(slow, 1e-9) for fast, slow in pairs]


def in_words(sets: Sequence[WorkingSet], steps: Sequence[CacheStep]) -> str:
    """The answer in sentences."""
    if len(sets) < 2 or min(len(one.iops_repeats) for one in sets) < REPEATS_MIN:
        return "Too little was measured to tell a cache from chance."
    if steps:
        return " ".join(map(_step_words, steps))
    first, last = sets[0], sets[-1]
    if (slower := open_of(sets, steps)) is not None:
        least, most = (limit(_ratios(first, slower)) for limit in (min, max))
        return (
            f"Whether a cache ends below {format_bytes(slower.set_bytes)} cannot be told: sets of"
            f" {format_bytes(first.set_bytes)} were {least:.2f} to {most:.2f} times as fast, from repeat to repeat. More repeats,"
            " longer ones or a quieter machine would tell."
        )
    ratio = first.iops / max(last.iops, 1e-9)
    return (
        f"No cache seen between {format_bytes(first.set_bytes)} and {format_bytes(last.set_bytes)}: the smallest set was"
        f" {ratio:.2f} times as fast as the largest. A cache that holds less than the one, or more than the other, would not show."
    )


def open_of(sets: Sequence[WorkingSet], steps: Sequence[CacheStep]) -> WorkingSet | None:
    """The first set that is slower by what some repeats say, and not by others; None where steps were found, or no doubt."""
    later = () if steps else sets[1:]
    doubtful = (one for one in later if max(_ratios(sets[0], one), default=0.0) >= CACHED_SPEEDUP_MIN)
    return next(doubtful, None)


def _step_words(step: CacheStep) -> str:
    fast, high = format_bytes(step.fast_bytes), format_bytes(step.high_bytes)
    where = (
        f"A cache ends below {high}; sets smaller than {fast} would tell where"
        if step.low_bytes is None
        else f"A cache ends between {fast} and {high}"
    )
    return (
        f"{where}: within {fast} there were {_figures(step.fast_iops, step.fast_us_p50)}, within {high}"
        f" {_figures(step.slow_iops, step.slow_us_p50)}."
    )


def _figures(iops: float, us_p50: float | None) -> str:
    return f"{format_rate(iops)} I/Os per second (p50 {format_us(us_p50)})"


@dataclass(frozen=True)
class Cost:
    """What a sweep of working sets will take, told before it begins."""

    sets: int
    repeats: int
    duration_s: float
    read_bytes: int
    """Read once before each measurement, all of them together."""

    @property
    def measured_s(self) -> float:
        """Without the reading before."""
        return self.sets * self.repeats * self.duration_s

    def words(self) -> str:
        """In a sentence, with what the reading takes at two speeds: nobody knows the storage's yet."""
        slow, fast = (format_seconds(self.read_bytes / rate) for rate in (1e8, 1e9))
        return (
            f"{self.sets} sizes × {self.repeats} repeats × {format_seconds(self.duration_s)}: {format_seconds(self.measured_s)}"
            f" measured; before it {format_bytes(self.read_bytes)} are read in all, so that caches know them: {fast} at 1 GB/s,"
            f" {slow} at 100 MB/s"
        )

"""Rates over how many bytes are visited: where a cache on the way ends, the rate falls."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell


class WorkingSet(Fact):
    """Random reads within so many bytes, each of which had been read once before. Figures are over all repeats."""

    set_bytes: int
    """How many bytes."""
    iops: float
    """Mean of the repeats."""
    iops_ci95: tuple[float, float] | None = None
    """95 % interval of that mean (Student's t); None for fewer than two repeats."""
    iops_repeats: tuple[float, ...]
    """I/Os per second of each repeat."""
    latency_us_mean: float | None = None
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    read_once_share: float | None = None
    """Of the set's bytes, how many had been read before it was measured, in the repeat with the fewest."""
    cell: Cell
    """The repeat in the middle."""


class CacheStep(Fact):
    """A fall of the rate from one working set to a larger one, seen in every repeat."""

    low_bytes: int | None = None
    """The largest set that was still as fast as a smaller one: the cache holds so much. None: nothing smaller was level with it."""
    high_bytes: int
    """The smallest set that was slower in every repeat: the cache holds less."""
    settled_bytes: int
    """From here on the rate does not fall further, or there is no larger set."""
    fast_bytes: int
    """The set that the fall is told against."""
    fast_iops: float
    """I/Os per second before the fall."""
    slow_iops: float
    """I/Os per second after it."""
    fast_us_p50: float | None = None
    """Median latency before it, in microseconds."""
    slow_us_p50: float | None = None
    """Median latency after it, in microseconds."""


class WorkingSetSweep(Fact):
    """Working sets of rising size. `caches` is empty where no fall was seen, and `reason` says what that means."""

    block_bytes: int
    """Size of each read, in bytes."""
    depth: int
    """Reads outstanding."""
    repeats: int
    """How often each size was measured, in turns with the others."""
    duration_s: float
    """Of each measurement."""
    measured_s: float
    read_once_s: float
    """What reading each set once before took beside that."""
    sets: tuple[WorkingSet, ...]
    """In rising size."""
    caches: tuple[CacheStep, ...] = ()
    """Falls of the rate, the nearest cache first."""
    is_open: bool = False
    """Whether some repeats show a fall and others none, so that nobody can tell whether a cache ends there."""
    reason: Text
    notes: tuple[Note, ...] = ()

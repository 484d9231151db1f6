"""What the storage that is thought of would save of an interval: wait by wait, and all of it together."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.predict import faster_storage
from plimsoll.rules._commits import commits_of
from plimsoll.rules._events import (
    COMMITS,
    DIRECT,
    LOGS,
    MULTI,
    NOT_PRINTED,
    OTHER_IO,
    SHARED,
    SINGLE,
    TEMP,
    UNSAMPLED,
    WRITES,
    part_of,
)
from plimsoll.rules._interval import WATCHED, Interval, Wait, total_s

_FUNCTIONS = {"direct path read": "Direct Reads"}
"""What IOStat by Function calls the requests behind a wait for several of them."""
_LITTLE_SHARE = 0.01
"""Of DB time: less that cannot be computed is not told."""


@dataclass(frozen=True)
class Saving:
    """Seconds of DB time; between the two where a commit waits for one log write or for two."""

    low_s: float
    high_s: float
    capped_by: str | None = None
    is_whole: bool = True
    """Whether it could be computed for all waits for storage but a few."""


def of_read(interval: Interval, wait: Wait) -> float | None:
    """Seconds that faster reads would save of a wait; None where its requests are not known."""
    then_us = interval.storage.then.read_us
    if then_us is None:
        return None
    if part_of(wait.event) == DIRECT and wait.event not in _FUNCTIONS:
        # Smart scans of cells, and reads of large objects, are not one read each.
        return None
    if wait.event in _FUNCTIONS:
        return faster_storage.many_at_once(wait.seconds, _requests(interval, _FUNCTIONS[wait.event]), then_us)
    if wait.waits is None:
        return None
    return faster_storage.one_by_one(wait.waits.value, wait.seconds, then_us)


def of_reads(interval: Interval, waits: list[Wait]) -> float | None:
    """The same of several, no more than what CPUs leave; None where it is known of none."""
    known = [saved for wait in waits if (saved := of_read(interval, wait)) is not None]
    return min(sum(known), _beside_cpus_s(interval)) if known else None


def of_commits(interval: Interval) -> tuple[float, float] | None:
    """Seconds that a faster log would save, at least and at most; None where the log's own time is not known."""
    found, then_us = commits_of(interval), interval.storage.then.log_us
    if found is None or found.write_us is None or then_us is None:
        return None
    if interval.system in WATCHED:
        saved_s = faster_storage.in_proportion(found.flush_s, found.write_us, then_us)
        saved_s = min(saved_s, _beside_cpus_s(interval))
        return saved_s, saved_s
    if found.sync.waits is None:
        return None
    return faster_storage.of_commits(found.sync.waits.value, found.sync.seconds, found.write_us, then_us)


def of_interval(interval: Interval) -> Saving | None:
    """All of it, no more than the waits and than what the CPUs have left; None where nothing can be computed."""
    parts = _parts(interval)
    if interval.db_time is None or not parts.is_known:
        return None
    low, why = _capped(interval, interval.db_time.value, parts.low_s, parts.waited_s)
    high, _ = _capped(interval, interval.db_time.value, parts.high_s, parts.waited_s)
    return Saving(low, high, why, (interval.share(parts.unknown_s) or 0.0) < _LITTLE_SHARE)


def at_most_s(interval: Interval) -> float | None:
    """Seconds that would vanish at least, and all that cannot be computed; None where DB time is not known."""
    if interval.db_time is None:
        return None
    parts = _parts(interval)
    most, _ = _capped(interval, interval.db_time.value, parts.low_s + parts.unknown_s, parts.waited_s)
    return most


@dataclass(frozen=True)
class _Parts:
    """Seconds that can be computed, from one write of the log for each commit to two; those that cannot; and all of the waits."""

    low_s: float
    high_s: float
    unknown_s: float
    waited_s: float
    is_known: bool


def _parts(interval: Interval) -> _Parts:
    reads = interval.waits_of(SINGLE, MULTI, DIRECT, SHARED, TEMP)
    saved = [(wait, of_read(interval, wait)) for wait in reads]
    known_s = sum(one for _, one in saved if one is not None)
    commits = of_commits(interval)
    low_s, high_s = commits or (0.0, 0.0)
    # A log switch waits for data files or the archive, and log buffer space for the log's device: larger logs or faster storage.
    writes_s = total_s(interval.waits_of(WRITES, OTHER_IO, LOGS))
    unknown_s = writes_s + _lost_s(interval) + total_s(wait for wait, one in saved if one is None)
    if commits is None:
        unknown_s += _commits_at_most_s(interval)
    return _Parts(
        low_s=known_s + low_s,
        high_s=known_s + high_s,
        unknown_s=unknown_s,
        waited_s=total_s(reads) + total_s(interval.waits_of(COMMITS)) + writes_s + _lost_s(interval),
        is_known=commits is not None or any(one is not None for _, one in saved),
    )


def _lost_s(interval: Interval) -> float:
    """What may be waits for storage in rows that could not be read, or at which nobody looked. Of the first few alone each that is
    missing is short.
    """
    if UNSAMPLED in interval.parts:
        return interval.parts[UNSAMPLED]
    return 0.0 if interval.least_printed is not None else interval.parts.get(NOT_PRINTED, 0.0)


def _commits_at_most_s(interval: Interval) -> float:
    """What of the waits for commits may be I/O."""
    found = commits_of(interval)
    if found is None:
        return 0.0
    return found.sync.seconds * (1.0 if found.io_share is None else found.io_share)


def _capped(
    interval: Interval, db_time_s: float, saved_s: float, waited_s: float
) -> tuple[float, str | None]:
    left_s = _beside_cpus_s(interval)
    if saved_s > left_s:
        return left_s, "processes of the server had a CPU or waited for one in the rest"
    busy = None if interval.busy is None else interval.busy.value
    return faster_storage.capped(saved_s, waited_s, db_time_s, busy)


def _beside_cpus_s(interval: Interval) -> float:
    """DB time in which no process of a server that was watched had a CPU or waited for one: no storage takes off more.

    A session whose read is at a process that waits for a CPU waits for the CPU. Unlimited where that is not known.
    """
    queue, used, db_time = interval.cpu_queue, interval.busy_time, interval.db_time
    if queue is None or used is None or db_time is None or interval.system not in WATCHED:
        return float("inf")
    return max(0.0, db_time.value - queue.value - used.value)


def _requests(interval: Interval, function: str) -> float | None:
    """Reads that a function made, small and large ones."""
    for row in interval.rows("iostat_by_function"):
        if row["function"] == function and row.get("reads_per_s") is not None and interval.elapsed_s:
            return row["reads_per_s"] * interval.elapsed_s
    return None

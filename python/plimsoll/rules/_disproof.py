"""What the same interval says against a finding: other sections that time the same, and troubles that look like slow storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.rules._commits import LOG_WRITE, SYNC, cause_of
from plimsoll.rules._events import COMMITS, STORAGE_PARTS, part_of
from plimsoll.rules._interval import Interval, Wait
from plimsoll.rules.backup_in_interval import words_of as backup
from plimsoll.rules.cache_cold_after_restart import words_of as cold
from plimsoll.rules.cpu_starved import words_of as starved
from plimsoll.rules.redo_logs_too_small import words_of as small_logs

_SLOWED = ("reads", "temporary I/O", "writes", "cache", "contention", "cluster")
"""Families of many short waits, each of which ends with a wait for a CPU where it is short."""
ALONE_SHARE_MAX = 1.05
"""CPU time, or waits of one kind, that are more than all of DB time and its rounding are in part in no call of a session."""
_OUTSIDE_FACTOR = 3.0
"""A mean so many times outside of what its buckets allow is of other waits than they are."""
_APART_FACTOR = 2.0
_WHOLE_PERCENT = 90.0
"""Lists of short or of long waits alone say nothing of the mean."""
_ROUNDED_SHARE = 0.0005
"""Of waits: what rounding to a tenth of a percent hides."""
_VIEW = "wait_histogram"
_TIMES = (
    (LOG_WRITE, "redo write time", "redo writes", "Instance Activity times a write of the log at"),
    (SYNC, "redo synch time", "redo synch writes", "Instance Activity times the wait for a commit at"),
)
"""A wait, the statistic of its time in hundredths of a second, that of its number, and what the quotient is called."""


@dataclass(frozen=True)
class OtherCause:
    """What makes waits for storage many or long in this interval, whatever the storage is."""

    name: str
    words: str


def other_causes(interval: Interval) -> Iterator[OtherCause]:
    """A cold cache, and a backup."""
    for name, words in (("a cold cache", cold(interval)), ("a backup", backup(interval))):
        if words is not None:
            yield OtherCause(name, words)


def against(interval: Interval, family: str, events: Sequence[str]) -> tuple[str, ...]:
    """Against a finding of that family that stands for these waits; nothing against one that stands for none."""
    wait = None if not events else interval.wait(events[0])
    return () if wait is None else (*_troubles(interval, family), *contradictions(interval, wait))


def beyond(interval: Interval, seconds: float | None) -> Iterator[str]:
    """What a finding says is lost, against all the time that there was."""
    share = interval.share(seconds) or 0.0
    if share > ALONE_SHARE_MAX:
        yield f"it is {share:.2g} times the DB time, so that some of it is in no call of a session"


def contradictions(interval: Interval, wait: Wait) -> tuple[str, ...]:
    """Where other rows and sections time a wait otherwise; of commits that wait for writes of the log, these as well."""
    if wait.doubt is not None:
        return (wait.doubt,)
    if part_of(wait.event) not in (*STORAGE_PARTS, COMMITS):
        return ()
    write = interval.behind(LOG_WRITE) if wait.event == SYNC and cause_of(interval) == "I/O" else None
    timed = [wait] if write is None else [wait, write]
    return tuple(
        said
        for one in timed
        for said in (*_own_mean(one), *_buckets(interval, one), *_timed_apart(interval, one))
    )


def _troubles(interval: Interval, family: str) -> Iterator[str]:
    """What makes sessions wait for storage that is as fast as ever."""
    if family in _SLOWED and (words := starved(interval)) is not None:
        yield f"{words}, which makes every wait longer than what it waits for"
    if family in ("reads", "cache") and (words := cold(interval)) is not None:
        yield words
    if family in ("reads", "cache") and (words := backup(interval)) is not None:
        yield words
    if family == "writes" and (words := small_logs(interval)) is not None:
        yield f"{words}: while the log waits for a checkpoint, the writers are behind for all"


def _own_mean(wait: Wait) -> Iterator[str]:
    """The time and the number of a wait against its own average, where units were mixed up."""
    waits, mean = wait.waits, wait.mean
    if waits is None or mean is None or not waits.value or not mean.value:
        return
    least_us, most_us = (
        1e6 * max(0.0, wait.total.value + slack) / waits.value
        for slack in (-wait.total.slack, wait.total.slack)
    )
    if (
        most_us * _OUTSIDE_FACTOR < mean.value - mean.slack
        or mean.value + mean.slack < least_us / _OUTSIDE_FACTOR
    ):
        yield (
            f"'{wait.event}' took {1e6 * wait.seconds / waits.value:,.0f} µs by its time and number, "
            f"and {mean.value:,.0f} µs by its own average"
        )


def _buckets(interval: Interval, wait: Wait) -> Iterator[str]:
    """The mean against the least and the most that the histogram's buckets allow."""
    mean_us, bounds = wait.mean_us, _bounds_us(interval, wait.event)
    if mean_us is None or bounds is None:
        return
    low_us, high_us = bounds
    if low_us <= _OUTSIDE_FACTOR * mean_us and mean_us <= _OUTSIDE_FACTOR * high_us:
        return
    where = f"{low_us:,.0f} to {high_us:,.0f}" if high_us < float("inf") else f"more than {low_us:,.0f}"
    yield f"by its histogram one wait for '{wait.event}' took {where} µs on average, and by its time {mean_us:,.0f} µs"


def _bounds_us(interval: Interval, event: str) -> tuple[float, float] | None:
    """By the list that is about all waits; None where there is none."""
    lists: dict[str, list[tuple[float, float, float]]] = {}
    for row in interval.rows(_VIEW):
        if row["event"] == event and row["percent"] and row["bucket_begin_us"] is not None:
            end_us = float("inf") if row["bucket_end_us"] is None else row["bucket_end_us"]
            lists.setdefault(row["list"], []).append((row["percent"], row["bucket_begin_us"], end_us))
    for buckets in lists.values():
        every = sum(percent for percent, _, _ in buckets)
        if every >= _WHOLE_PERCENT:
            low_us = sum(percent * begin_us for percent, begin_us, _ in buckets) / every
            high_us = sum(percent * end_us for percent, _, end_us in buckets) / every
            return low_us, high_us + _ROUNDED_SHARE * 1e6
    return None


def _timed_apart(interval: Interval, wait: Wait) -> Iterator[str]:
    """A wait for the log against the time that statistics count of the same."""
    for event, time, number, words in _TIMES:
        spent, count = interval.statistic(time), interval.statistic(number)
        if event != wait.event or wait.mean_us is None or spent is None or count is None:
            continue
        if not spent.value or not count.value:
            continue
        each_us = 1e4 * spent.value / count.value
        if wait.mean_us > _APART_FACTOR * each_us:
            yield f"{words} {each_us:,.0f} µs, and waits for '{event}' at {wait.mean_us:,.0f} µs"

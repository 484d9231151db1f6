"""Counters that were handed in late: which intervals show work of the time before them, and what was surely asked for in each.

A PostgreSQL session hands in its counters at most once a second, between transactions. So an interval may show nothing and the
next one twice as much, though the work was even. Such a pair is known by its commits: the first has far fewer than usual, the
second far more, and together they have as many as ever. What an interval in doubt shows is spread over all the time in which it
may have been done; a rise that really lasted a single second is halved by that, and nothing in the counters can tell the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from statistics import median

from plimsoll.base.limits import COUNTERS_LATE_S_MAX
from plimsoll.facts import ClassDemand, DemandInterval
from plimsoll.facts.demand import DemandClassName

_FEW, _MANY = 0.6, 1.4
"""Commits of the two, as shares of the median of those around them."""
_AS_USUAL = 1.25
"""Of their mean, the same."""
_AROUND = 5
_AROUND_MIN = 3
_TOUCH_S = 0.1
_FIGURES = ("ops_per_s", "bytes_per_s", "syncs_per_s")


def with_late_pairs(intervals: Sequence[DemandInterval]) -> list[DemandInterval]:
    """The intervals; of a pair whose second shows the work of both, the second is in doubt, by the length of the first."""
    marked = list(intervals)
    for number in range(1, len(marked)):
        before, after = marked[number - 1], marked[number]
        if after.late_s_max or not _is_late_pair(marked, number):
            continue
        doubt = (
            f"{before.commits_per_s or 0:,.0f} commits per second were counted before it and {after.commits_per_s or 0:,.0f} in it,"
            " together as many as ever: a session handed in its counters late"
        )
        late_s = min(before.duration_s, COUNTERS_LATE_S_MAX)
        marked[number] = after.model_copy(update={"doubt": doubt, "late_s_max": late_s})
    return marked


def _is_late_pair(intervals: Sequence[DemandInterval], number: int) -> bool:
    before, after = intervals[number - 1], intervals[number]
    if not _touch(before, after) or before.commits_per_s is None or after.commits_per_s is None:
        return False
    around = [
        one.commits_per_s
        for one in (*intervals[max(0, number - 1 - _AROUND) : number - 1], *intervals[number + 1 : number + 1 + _AROUND])
        if one.commits_per_s is not None
    ]  # fmt: skip
    if len(around) < _AROUND_MIN:
        return False
    usual, mean = median(around), (before.commits_per_s + after.commits_per_s) / 2
    return (
        before.commits_per_s <= _FEW * usual
        and after.commits_per_s >= _MANY * usual
        and mean <= _AS_USUAL * usual
    )


def sure(intervals: Sequence[DemandInterval]) -> list[DemandInterval]:
    """What was surely asked for in each of these: of one in doubt the mean over all the time in which it may have been done.

    Of others before it that are in doubt themselves only the share counts that was done within them whenever it was. One that the
    time reaches into is taken whole or not at all, whichever says more: some second of either span had no less than its mean.
    Intervals that are sure are returned as they are, and gaps take no part.
    """
    return [_sure(intervals, number) for number in range(len(intervals))]


def sure_rate(intervals: Sequence[DemandInterval]) -> list[tuple[float, float]]:
    """I/Os and megabytes per second that were surely asked for in each; nothing in a gap."""
    return [(one.iops or 0.0, one.mb_per_s or 0.0) for one in sure(intervals)]


def _sure(intervals: Sequence[DemandInterval], number: int) -> DemandInterval:
    interval = intervals[number]
    if interval.late_s_max <= 0 or interval.duration_s <= 0 or interval.gap is not None:
        return interval
    within, across = _before(intervals, number)
    spread = _spread(interval, within)
    if across is None:
        return spread
    further = _spread(interval, [*within, across])
    return max(spread, further, key=lambda one: (one.iops or 0.0, one.mb_per_s or 0.0))


def _spread(interval: DemandInterval, before: Sequence[DemandInterval]) -> DemandInterval:
    """What it shows and what those before it surely had, over all their time and the time that it reaches back."""
    parts = [interval, *map(_share, before)]
    known_s = sum(one.duration_s for one in parts)
    # Time of which nothing is known counts as time without work: what it held cannot be more than what is spread over it.
    whole_s = max(known_s, interval.duration_s + interval.late_s_max)
    return _scaled([(one, one.duration_s / whole_s) for one in parts])


def _before(
    intervals: Sequence[DemandInterval], number: int
) -> tuple[list[DemandInterval], DemandInterval | None]:
    """Those directly before it within its lateness, a tenth of a second more or less; and one that lies across its edge."""
    edge = intervals[number].begin_time - timedelta(seconds=intervals[number].late_s_max)
    slack, within = timedelta(seconds=_TOUCH_S), []
    for at in range(number - 1, -1, -1):
        one = intervals[at]
        if not _touch(one, intervals[at + 1]):
            break
        if one.begin_time < edge - slack:
            return within, one if one.end_time > edge else None
        within.append(one)
    return within, None


def _touch(one: DemandInterval, other: DemandInterval) -> bool:
    """Whether the other follows at once, and both are known."""
    apart_s = abs((other.begin_time - one.end_time).total_seconds())
    return one.gap is None and other.gap is None and apart_s <= _TOUCH_S


def _share(interval: DemandInterval) -> DemandInterval:
    """The share of it that was done within it whenever it was."""
    if interval.late_s_max <= 0:
        return interval
    return _scaled([(interval, interval.duration_s / (interval.duration_s + interval.late_s_max))])


def _scaled(parts: Sequence[tuple[DemandInterval, float]]) -> DemandInterval:
    """The first one with the sums of shares of all; what is unknown in one of them is unknown in the sum."""
    first = parts[0][0]
    names: dict[DemandClassName, None] = {}
    for one, _ in parts:
        names.update(dict.fromkeys(one.classes))
    classes = {name: _class([(one.classes.get(name), share) for one, share in parts]) for name in names}
    sums = {
        figure: _sum([(getattr(one, figure), share) for one, share in parts])
        for figure in ("iops", "mb_per_s")
    }
    return first.model_copy(update={"classes": classes, **sums})


def _class(parts: Sequence[tuple[ClassDemand | None, float]]) -> ClassDemand:
    """A class that an interval does not have asked for nothing in it."""
    first = next(one for one, _ in parts if one is not None)
    figures = {
        figure: _sum([(0.0 if one is None else getattr(one, figure), share) for one, share in parts])
        for figure in _FIGURES
        if getattr(first, figure) is not None
    }
    return first.model_copy(update=figures)


def _sum(parts: Sequence[tuple[float | None, float]]) -> float | None:
    if any(value is None for value, _ in parts):
        return None
    return sum((value or 0.0) * share for value, share in parts)

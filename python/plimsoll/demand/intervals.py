"""Rates of an interval, which of the intervals is the peak, and all of them as one.

A PostgreSQL session adds its counters to the server's when it is between transactions, at most once a second, and once more
when it ends (pgstat_report_stat). Hence two doubts about a one-second interval: a long transaction shows all its I/O in the
second in which it ends, and many sessions that end together show up to two seconds of work in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.base import limits
from plimsoll.demand import classes
from plimsoll.demand.deltas import Delta, Gap, difference
from plimsoll.demand.late import sure_rate
from plimsoll.facts import ClassDemand, Database, DemandInterval, Snapshot
from plimsoll.facts.demand import DemandClassName

_AT_WORK = "at_work_"


def between(before: Snapshot, after: Snapshot, database: Database) -> tuple[DemandInterval, Delta | Gap]:
    """Demand between two snapshots, and the difference of counters that it was made of."""
    delta = difference(before, after)
    if isinstance(delta, Gap):
        return gap(before, after, delta.reason), delta
    by_class = classes.by_class(delta, database)
    sorting = classes.sorting(database)
    doubt, late_s = _lateness(before, after) if sorting.hands_in_late else (None, 0.0)
    interval = DemandInterval(
        begin_time=before.taken_at,
        end_time=after.taken_at,
        duration_s=delta.duration_s,
        classes=by_class,
        iops=_sum_known(demand.ops_per_s for demand in by_class.values()),
        mb_per_s=_megabytes(_sum_known(demand.bytes_per_s for demand in by_class.values())),
        commits_per_s=_per_s(sorting.commits(delta), delta),
        cache_hits_per_s=_per_s(sorting.cache_hits(delta), delta),
        doubt=doubt,
        late_s_max=late_s,
        sessions_active=after.moment.get("sessions_active"),
        sessions_waiting=after.moment.get("sessions_waiting"),
        sessions_at_work=at_work(after) if delta.duration_s <= limits.AT_WORK_S_MAX else None,
    )
    return interval, delta


def at_work(snapshot: Snapshot) -> dict[str, float] | None:
    """Sessions by what they wait for; None where this login does not see what others do, or the database does not say."""
    if snapshot.moment.get("sessions_active") is None:
        return None
    named = {
        name.removeprefix(_AT_WORK): value
        for name, value in snapshot.moment.items()
        if name.startswith(_AT_WORK)
    }
    return {name: value for name, value in named.items() if value} if named else None


def mean_at_work(samples: Sequence[Snapshot]) -> dict[str, float] | None:
    """Sessions by what they waited for, on average; None where one look does not tell, or there is none."""
    looks = [at_work(one) for one in samples]
    if not looks or None in looks:
        return None
    known = [look for look in looks if look is not None]
    names = dict.fromkeys(name for look in known for name in look)
    return {name: sum(look.get(name, 0.0) for look in known) / len(known) for name in names}


def gap(before: Snapshot, after: Snapshot, reason: str) -> DemandInterval:
    """An interval of which nothing is known but its reason."""
    duration_s = (after.taken_at - before.taken_at).total_seconds()
    if before.monotonic_s is not None and after.monotonic_s is not None:
        duration_s = after.monotonic_s - before.monotonic_s
    return DemandInterval(
        begin_time=before.taken_at,
        end_time=after.taken_at,
        duration_s=max(0.0, duration_s),
        classes={},
        iops=None,
        mb_per_s=None,
        gap=reason,
    )


def peak(intervals: Sequence[DemandInterval]) -> DemandInterval | None:
    """The busiest by I/Os, then by bytes. An interval in doubt counts for the part of it that is sure.

    So a lump of late counters is no peak beside steady seconds, and yet is not lost where it is all there is.
    """
    rates = sure_rate(intervals)
    known = [number for number, interval in enumerate(intervals) if interval.gap is None]
    busiest = max(known, key=lambda number: rates[number], default=None)
    return None if busiest is None else intervals[busiest]


def mean(intervals: Sequence[DemandInterval]) -> DemandInterval | None:
    """All known intervals as one; gaps take no part, neither with I/Os nor with time."""
    known = [interval for interval in intervals if interval.gap is None]
    if not known:
        return None
    by_class: dict[DemandClassName, ClassDemand] = {
        name: _mean_class([(interval.duration_s, interval.classes[name]) for interval in known])
        for name in _names(known)
    }
    return DemandInterval(
        begin_time=known[0].begin_time,
        end_time=known[-1].end_time,
        duration_s=sum(interval.duration_s for interval in known),
        classes=by_class,
        iops=_weighted([(interval.duration_s, interval.iops) for interval in known]),
        mb_per_s=_weighted([(interval.duration_s, interval.mb_per_s) for interval in known]),
        commits_per_s=_weighted([(interval.duration_s, interval.commits_per_s) for interval in known]),
        cache_hits_per_s=_weighted([(interval.duration_s, interval.cache_hits_per_s) for interval in known]),
    )


def _lateness(before: Snapshot, after: Snapshot) -> tuple[str | None, float]:
    """Why this interval may show I/O that was done before it, and how long before."""
    old_age_s, new_age_s = (shot.moment.get("transaction_age_s_max") or 0.0 for shot in (before, after))
    passed_s = (after.taken_at - before.taken_at).total_seconds()
    oldest_ended = old_age_s > limits.LONG_TRANSACTION_S and new_age_s < old_age_s + passed_s / 2
    fewer_long = (after.moment.get("long_transactions") or 0) < (before.moment.get("long_transactions") or 0)
    if oldest_ended or fewer_long:
        return f"a transaction of {old_age_s:.0f} s ended, and its I/O shows only now", old_age_s
    had, has = (shot.moment.get("sessions") or 0.0 for shot in (before, after))
    if had - has > limits.SESSIONS_ENDED_SHARE_MIN * had:
        reason = f"{had - has:.0f} of {had:.0f} sessions ended, and the I/O of up to two of their last seconds shows here"
        return reason, limits.COUNTERS_LATE_S_MAX
    return None, 0.0


def _names(intervals: Sequence[DemandInterval]) -> list[DemandClassName]:
    return [name for name in classes.NAMES if all(name in interval.classes for interval in intervals)]


def _mean_class(parts: list[tuple[float, ClassDemand]]) -> ClassDemand:
    ops = [(duration_s * (demand.ops_per_s or 0.0), demand) for duration_s, demand in parts]
    syncs = [(duration_s * (demand.syncs_per_s or 0.0), demand) for duration_s, demand in parts]
    return ClassDemand(
        ops_per_s=_weighted([(duration_s, demand.ops_per_s) for duration_s, demand in parts]),
        bytes_per_s=_weighted([(duration_s, demand.bytes_per_s) for duration_s, demand in parts]),
        latency_us_mean=_weighted([(count, demand.latency_us_mean) for count, demand in ops if count]),
        syncs_per_s=_weighted([(duration_s, demand.syncs_per_s) for duration_s, demand in parts]),
        sync_latency_us_mean=_weighted(
            [(count, demand.sync_latency_us_mean) for count, demand in syncs if count]
        ),
        is_forced=all(demand.is_forced for _, demand in parts),
        source=parts[-1][1].source,
    )


def _weighted(parts: list[tuple[float, float | None]]) -> float | None:
    """Mean by weight; unknown when a part is unknown or there is none."""
    values = [(weight, value) for weight, value in parts if value is not None]
    total = sum(weight for weight, _ in values)
    if len(values) < len(parts) or total == 0:
        return None
    return sum(weight * value for weight, value in values) / total


def _sum_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _megabytes(bytes_per_s: float | None) -> float | None:
    return None if bytes_per_s is None else bytes_per_s / 1e6


def _per_s(count: float | None, delta: Delta) -> float | None:
    return None if count is None else count / delta.duration_s

"""What follows from several series of one database: sums that reports have as one figure, and latencies of time and count.

Exports have reads and writes apart, often in files of their own, so that this comes when all were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from plimsoll.demand.points import InstancePoints, SeriesKey
from plimsoll.dialects.exports._source import Found

_SUMS = {"iops": ("read_per_s", "write_per_s"), "mb_per_s": ("read_mb_per_s", "write_mb_per_s")}
_LATENCIES = {
    "read_latency_us": ("read_time_s_per_s", "read_per_s"),
    "write_latency_us": ("write_time_s_per_s", "write_per_s"),
}
_LENGTHS_APART_S_MAX = 1.0
"""Two series are of the same time where their intervals begin together and differ by no more."""


def derive(found: Found) -> None:
    """Adds what follows from what was read; what an export has itself stays."""
    for database in sorted({key.database for key in found.points}):
        for metric, parts in _SUMS.items():
            _add_sum(found, SeriesKey(database, metric), parts)
        for metric, (time, count) in _LATENCIES.items():
            _add_latency(found, SeriesKey(database, metric), time, count)
            _weigh(found, SeriesKey(database, metric), count)


def _series(found: Found, database: str, metric: str) -> InstancePoints | None:
    instances = found.points.get(SeriesKey(database, metric))
    return None if instances is None else instances[""]


def _pairs(
    found: Found, database: str, first: str, second: str
) -> Iterator[tuple[float, float, float, float]]:
    """Begin, length and both values, where both are known of the same time."""
    one, other = _series(found, database, first), _series(found, database, second)
    if one is None or other is None:
        return
    others = {begin_s: place for place, begin_s in enumerate(other.begin_s)}
    for place, begin_s in enumerate(one.begin_s):
        match = others.get(begin_s)
        if match is not None and _is_same(one.duration_s[place], other.duration_s[match]):
            yield begin_s, one.duration_s[place], one.value[place], other.value[match]


def _is_same(length_s: float, other_s: float) -> bool:
    if isnan(length_s) or isnan(other_s):
        return isnan(length_s) and isnan(other_s)
    return abs(length_s - other_s) <= _LENGTHS_APART_S_MAX


def _add_sum(found: Found, key: SeriesKey, parts: tuple[str, str]) -> None:
    have = [name for name in parts if SeriesKey(key.database, name) in found.points]
    if key in found.points or not have:
        return
    if len(have) == 1:
        missing = next(name for name in parts if name not in have)
        found.note("sum-unknown", f"{key.database}: {key.metric} is not known, as {missing} is missing")
        return
    for begin_s, length_s, one, other in _pairs(found, key.database, *parts):
        found.add(*key, begin_s, one + other, duration_s=length_s)
    if all(SeriesKey(key.database, name) in found.asked for name in parts):
        found.asked.add(key)


def _add_latency(found: Found, key: SeriesKey, time: str, count: str) -> None:
    """Of time and count of the same interval; where nothing was asked for there was no latency."""
    if key in found.points:
        return
    for begin_s, length_s, spent, per_s in _pairs(found, key.database, time, count):
        if per_s > 0 and length_s > 0:
            found.add(*key, begin_s, 1e6 * spent / per_s, duration_s=length_s, weight=per_s * length_s)
    if key in found.points and SeriesKey(key.database, time) in found.asked:
        found.asked.add(key)


def _weigh(found: Found, key: SeriesKey, count: str) -> None:
    """Gives means that came without it the weight of their I/Os; where that is known of none of them, a note says so."""
    held = _series(found, key.database, key.metric)
    if held is None or not any(map(isnan, held.weight)):
        return
    weights = {
        begin_s: per_s * length_s
        for begin_s, length_s, _, per_s in _pairs(found, key.database, key.metric, count)
        if not isnan(length_s)
    }
    if not weights:
        message = f"{key.metric} of {key.database}: {count} is missing, so that each of its means counts alike, busy or quiet"
        found.note("latency-unweighted", message)
        return
    for place, begin_s in enumerate(held.begin_s):
        if isnan(held.weight[place]):
            held.weight[place] = weights.get(begin_s, held.weight[place])

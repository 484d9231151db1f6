"""Two snapshots subtracted, or the reason why they cannot be.

Totals of before and after a restart, or a reset, have nothing to do with each other. Such a pair gives a `Gap` with its
reason; it never gives zeros, and no difference is ever negative.
"""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.facts import IoCounters, RelationCounters, Snapshot

_CLOCK_TOLERANCE_S = 0.05
"""Scheduling on both sides may delay a reading by this much without a clock having stepped."""
_DRIFT_SHARE = 0.0005
"""Two clocks may run apart by this share of the time without either having stepped: as fast as a kernel lets a clock be slewed."""
_ROUNDING = 1e-9
"""Sums of milliseconds may come out smaller by this share because they were added in another order."""

COUNTS = (
    "reads",
    "read_bytes",
    "writes",
    "write_bytes",
    "extends",
    "extend_bytes",
    "fsyncs",
    "hits",
    "evictions",
    "reuses",
)
TIMES = ("read_time_ms", "write_time_ms", "extend_time_ms", "fsync_time_ms")
_COUNTED = (*COUNTS, *TIMES)
_STATES = ("rows_live", "rows_dead")
"""What a table has, and does not count."""


@dataclass(frozen=True)
class Delta:
    """What happened between two snapshots. `io` has counts instead of totals; values that are not counted are None."""

    duration_s: float
    totals: dict[str, float | None]
    io: tuple[IoCounters, ...]
    clock_step_s: float | None = None
    """How far the server's clock jumped; `duration_s` is then by our own clock."""


@dataclass(frozen=True)
class Gap:
    """Why nothing is known of the time between two snapshots."""

    reason: str


def difference(before: Snapshot, after: Snapshot) -> Delta | Gap:
    """Counters of `after` less those of `before`."""
    reason = other_life(before, after) or _reset(before, after)
    if reason is not None:
        return Gap(reason)
    duration_s, step_s = _duration(before, after)
    if duration_s <= 0:
        return Gap("the server's clock went back, and no other clock says how much time passed")
    apart_s = _apart_s(before, after)
    if apart_s is not None:
        return Gap(
            f"the server's clock and ours moved apart by {apart_s:+.2f} s, and nothing says which is right"
        )
    totals = {name: _subtract(before.totals.get(name), value) for name, value in after.totals.items()}
    back = _went_back(before, after)
    if back is not None:
        return Gap(f"counter {back} went back")
    return Delta(duration_s, totals, _io_difference(before, after), step_s)


def relations_difference(before: Snapshot, after: Snapshot) -> tuple[RelationCounters, ...] | Gap:
    """What each table gained, most blocks read first; tables that gained nothing are left out."""
    reason = other_life(before, after) or _reset(before, after)
    if reason is not None:
        return Gap(reason)
    known = {(table.schema_name, table.name): table for table in before.relations}
    gains = [_table_gain(known.get((table.schema_name, table.name)), table) for table in after.relations]
    wanted = [
        gain for gain in gains if gain.heap_blocks_read + gain.heap_blocks_hit + gain.index_blocks_read > 0
    ]
    return tuple(sorted(wanted, key=lambda gain: -(gain.heap_blocks_read + gain.index_blocks_read)))


def other_life(before: Snapshot, after: Snapshot) -> str | None:
    """Why totals of the one have nothing to do with those of the other; None where they have."""
    if before.system_identifier != after.system_identifier:
        return "another server answered"
    if before.started_at != after.started_at:
        return f"the server was restarted at {after.started_at.isoformat(timespec='seconds')}"
    roles = {shot.moment.get("in_recovery") for shot in (before, after)}
    if roles == {0.0, 1.0}:
        return "a standby became the primary, or the primary a standby"
    return "a database was dropped, and its counters with it" if _lost_a_database(before, after) else None


def _lost_a_database(before: Snapshot, after: Snapshot) -> bool:
    """By their numbers where the server has any: one that was dropped may have been replaced by another."""
    if before.database_oids and after.database_oids:
        return not set(before.database_oids) <= set(after.database_oids)
    return (after.moment.get("databases") or 0) < (before.moment.get("databases") or 0)


def _reset(before: Snapshot, after: Snapshot) -> str | None:
    for view, when in after.resets.items():
        if when is not None and when != before.resets.get(view):
            return f"the counters of {view} were reset at {when.isoformat(timespec='seconds')}"
    return None


def clock_step_s(before: Snapshot, after: Snapshot) -> float | None:
    """How far the server's clock jumped in between, held against our monotonic clock; None where it did not, or nothing says so."""
    return _duration(before, after)[1]


def _duration(before: Snapshot, after: Snapshot) -> tuple[float, float | None]:
    """Seconds between the two by the server's clock, or by ours when the server's stepped; and the step."""
    by_server = (after.taken_at - before.taken_at).total_seconds()
    if before.monotonic_s is None or after.monotonic_s is None:
        return by_server, None
    by_us = after.monotonic_s - before.monotonic_s
    if abs(by_server - by_us) <= _doubt_s(before, after):
        return by_server, None
    return by_us, by_server - by_us


def _apart_s(before: Snapshot, after: Snapshot) -> float | None:
    """How far the two wall clocks moved apart, where that is all there is to tell a step by: between two runs of a collector."""
    if before.monotonic_s is not None and after.monotonic_s is not None:
        return None
    moved_s = after.clock_offset_s - before.clock_offset_s
    return moved_s if abs(moved_s) > _doubt_s(before, after) else None


def _doubt_s(before: Snapshot, after: Snapshot) -> float:
    """How far two clocks may seem to move apart without either having stepped."""
    passed_s = abs((after.taken_at - before.taken_at).total_seconds())
    read_s = before.clock_offset_error_s + after.clock_offset_error_s
    return read_s + _CLOCK_TOLERANCE_S + _DRIFT_SHARE * passed_s


def _went_back(before: Snapshot, after: Snapshot) -> str | None:
    """Name of a counter that is smaller than before, or gone."""
    for name, old in before.totals.items():
        new = after.totals.get(name)
        if old is not None and (new is None or new < old - _ROUNDING * old):
            return name
    olds, news = _by_key(before.io), _by_key(after.io)
    for key, row in olds.items():
        old_values, new_values = vars(row), vars(news[key]) if key in news else {}
        for field in _COUNTED:
            old, new = old_values[field], new_values.get(field)
            if old and (new is None or new < old - _ROUNDING * old):
                return f"pg_stat_io.{field} of {' / '.join(key)}"
    return None


def _io_difference(before: Snapshot, after: Snapshot) -> tuple[IoCounters, ...]:
    """Row by row. A row that was absent before was zero throughout (see `Snapshot.io`)."""
    olds = _by_key(before.io)
    return tuple(_row_difference(olds.get(key), row) for key, row in _by_key(after.io).items())


def _row_difference(old: IoCounters | None, new: IoCounters) -> IoCounters:
    if old is None:
        return new
    before, after = vars(old), vars(new)
    return new.model_copy(update={field: _subtract(before[field], after[field]) for field in _COUNTED})


def _table_gain(old: RelationCounters | None, new: RelationCounters) -> RelationCounters:
    """A table whose counters are smaller than before was made anew or reset, so all that it has is gain."""
    counted = [
        name for name, value in new.model_dump().items() if isinstance(value, int) and name not in _STATES
    ]
    if old is None or any(getattr(new, name) < (getattr(old, name) or 0) for name in counted):
        return new
    return new.model_copy(update={name: getattr(new, name) - (getattr(old, name) or 0) for name in counted})


def _by_key(rows: tuple[IoCounters, ...]) -> dict[tuple[str, str, str], IoCounters]:
    return {(row.backend, row.object, row.context): row for row in rows}


def _subtract(old: float | None, new: float | None) -> float | None:
    """Never below zero: what `_went_back` lets pass is rounding."""
    if old is None or new is None:
        return None
    return max(0, new - old)

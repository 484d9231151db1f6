"""An interval of a PostgreSQL server that was watched: what its sessions were at, sampled with each snapshot.

A session that is at work in a sample stands for the time since the sample before. DB time is the sum of these times, so that it is
what average active sessions make of the interval. Errors of sampling shrink with the number of samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plimsoll.facts import ClassDemand, Demand, DemandInterval, PrintedCell
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._commits import FLUSH, FLUSH_TIME, STANDBY
from plimsoll.rules._interval import UNKNOWN, Interval, Printed, Storage, Wait

EVENTS = {
    "read": "reads of data files",
    "temp": "temporary files",
    "write": "writes of data files",
    "commit": FLUSH,
    "standby": STANDBY,
    "lock": "locks",
    "latch": "lightweight locks",
    "other": "other waits of the server",
}
"""What sessions at work are counted under → the wait, as findings name it. Those that wait for their client are no DB time."""
_CPU = "cpu"
_VIEW, _ROW = "pg_stat_activity", "clients at work"
_SAMPLED = "sampled with each snapshot"
_OF_AURORA = ("aurora", "apg_")
"""How names of settings begin that no other server has."""


def interval_of_demand(demand: Demand, storage: Storage = UNKNOWN) -> Interval:
    """What rules see of a server that was watched."""
    known = [one for one in demand.intervals if one.gap is None and one.sessions_at_work is not None]
    seconds = _seconds(known)
    counted = _counted(demand)
    waits = {
        EVENTS[name]: _wait(name, spent_s, counted) for name, spent_s in seconds.items() if name in EVENTS
    }
    wal = None if demand.mean is None else demand.mean.classes.get("redo_write")
    return Interval(
        file=demand.database.location,
        system="postgresql",
        elapsed_s=sum(one.duration_s for one in known) or None,
        db_time=_quantity("all", _db_time(seconds)) if known else None,
        db_cpu=_quantity(_CPU, seconds.get(_CPU, 0.0)) if known else None,
        platform="aurora" if any(one.startswith(_OF_AURORA) for one in demand.database.settings) else None,
        foreground=waits,
        background=_log(wal),
        statistic=lambda name: _count(demand.counts, name),
        storage=storage,
    )


def _db_time(seconds: Mapping[str, float]) -> float:
    return sum(spent_s for name, spent_s in seconds.items() if name == _CPU or name in EVENTS)


def _seconds(known: list[DemandInterval]) -> dict[str, float]:
    """Session seconds by what was waited for."""
    found: dict[str, float] = {}
    for one in known:
        for name, sessions in (one.sessions_at_work or {}).items():
            found[name] = found.get(name, 0.0) + sessions * one.duration_s
    return found


def _counted(demand: Demand) -> dict[str, float]:
    """How often there was something to wait for, where the server counts it."""
    found: dict[str, float] = {}
    mean = demand.mean
    if mean is None:
        return found
    reads = [one.ops_per_s for name, one in mean.classes.items() if name in ("small_read", "large_read")]
    if reads and all(rate is not None for rate in reads):
        found["read"] = sum(rate or 0.0 for rate in reads) * mean.duration_s
    if mean.commits_per_s is not None:
        found["commit"] = mean.commits_per_s * mean.duration_s
    return found


def _wait(name: str, spent_s: float, counted: Mapping[str, float]) -> Wait:
    def look() -> Printed:
        count = counted.get(name)
        waits = (
            None
            if count is None
            else Quantity(count, 0.0, "the server's counters", (_cell("times", f"{count:,.0f}", name),))
        )
        return Printed(_quantity(name, spent_s), waits)

    return Wait(EVENTS[name], spent_s, look)


def _log(wal: ClassDemand | None) -> dict[str, Wait]:
    """The log's own writes, where the server times them."""
    return dict(_log_waits(wal))


def _log_waits(wal: ClassDemand | None) -> Iterator[tuple[str, Wait]]:
    if wal is None or wal.sync_latency_us_mean is None:
        return
    each_us = wal.sync_latency_us_mean + (0.0 if wal.is_forced else wal.latency_us_mean or 0.0)
    mean = Quantity(each_us, 0.0, "the server's counters", (_cell("µs each", f"{each_us:,.0f}", "log"),))
    yield FLUSH_TIME, Wait(FLUSH_TIME, 0.0, lambda: Printed(_quantity("log", 0.0), None, mean))


def _quantity(name: str, spent_s: float) -> Quantity:
    return Quantity(spent_s, 0.0, _VIEW, (_cell("seconds", f"{spent_s:,.1f}", name),), _SAMPLED)


def _cell(column: str, value: str, name: str) -> PrintedCell:
    what = EVENTS.get(name, name)
    return PrintedCell(section=_VIEW, row=f"{_ROW}: {what}", column=column, value=value)


def _count(counts: Mapping[str, float], name: str) -> Quantity | None:
    """A count of the server over the whole time."""
    value = counts.get(name)
    if value is None:
        return None
    view, _, column = name.partition(".")
    cell = PrintedCell(section=view, row="all databases", column=column, value=f"{value:,.0f}")
    return Quantity(value, 0.0, view, (cell,))

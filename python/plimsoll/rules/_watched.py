"""An interval of a server that was watched: what its sessions were at, sampled with each snapshot.

A session that is at work in a sample stands for the time since the sample before. DB time is the sum of these times, so that it is
what average active sessions make of the interval. Errors of sampling shrink with the number of samples.

MariaDB and MySQL do not show which sessions wait for a read: those are told by the time that the server's reads took, which it
counts with the performance schema, and the rest of what sessions run is CPU time.

Where snapshots are too far apart for samples, as those that were kept over weeks are, DB time of PostgreSQL is what the server
counts of its sessions (active_time), of which it times their reads and writes of data files; the rest is not told apart. Where a
collector looked at the sessions of PostgreSQL between its snapshots, these looks are the samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import correlation, fmean, linear_regression

from plimsoll.base import limits
from plimsoll.demand.wait_classes import AT_WORK, HIDDEN, waits_for
from plimsoll.facts import ClassDemand, Demand, DemandInterval, IoCounters, PrintedCell
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._commits import FLUSH, FLUSH_TIME, STANDBY
from plimsoll.rules._events import RUNNING
from plimsoll.rules._interval import UNKNOWN, Interval, Printed, Storage, System, Wait, WatchedServer

EVENTS = {
    "read": "reads of data files",
    "temp": "temporary files",
    "write": "writes of data files",
    "commit": FLUSH,
    "standby": STANDBY,
    "lock": "locks",
    "latch": "lightweight locks",
    "running": RUNNING,
    "other": "other waits of the server",
}
"""What sessions at work are counted under → the wait, as findings name it. Those that wait for their client are no DB time."""
_CPU, _RUNS = "cpu", "running"
_READS = ("small_read", "large_read")
_VIEWS: Mapping[System, str] = {
    "postgresql": "pg_stat_activity",
    "mariadb": "information_schema.processlist",
}
_ROW = "clients at work"
_SAMPLED = "sampled with each snapshot"
_LOOKED = "looked at each second between the snapshots"
_LOOKED_SHARE_MIN = 0.5
"""Of the time: what fewer looks saw may be of another time than what was counted."""
_SCHEDULED, _PROCESSES = "/proc/PID/schedstat", "the server's processes"
_COUNTED = "the server's counters"
_OF_AURORA = ("aurora", "apg_")
"""How names of settings begin that no other server has."""
_SESSIONS, _READ_TIME, _MS_PER_S = "client backend", "pg_stat_database.blk_read_time", 1000
_WRITES = ("writes", "extends", "fsyncs")
_WRITE_TIMES = ("write_time_ms", "extend_time_ms", "fsync_time_ms")
_LONG_S = 60.0
"""A rate of a shorter time lasts no longer either."""
_POINTS_MIN = 8
_ON_LINE_MIN = 0.5
"""Of the variance of times that sizes must explain (r²)."""


def interval_of_demand(demand: Demand, storage: Storage = UNKNOWN) -> Interval:
    """What rules see of a server that was watched."""
    system: System = "postgresql" if demand.database.kind == "postgresql" else "mariadb"
    known = [one for one in demand.intervals if one.gap is None and one.sessions_at_work is not None]
    looked = None if known else _looked_at(demand)
    is_sampled = bool(known) or looked is not None
    seconds = _told_apart(_seconds(known), _read_s(known)) if looked is None else looked
    sampled = _Sampled(_VIEWS[system], _counted(demand), _SAMPLED if looked is None else _LOOKED)
    unsampled = None if is_sampled else _session_time(demand)
    wal = None if demand.mean is None else demand.mean.classes.get("redo_write")
    is_cpu_told = is_sampled and _RUNS not in seconds
    return Interval(
        file=demand.database.location,
        system=system,
        elapsed_s=sum(one.duration_s for one in known) or _counted_s(demand) or None,
        db_time=sampled.quantity("all", _db_time(seconds)) if is_sampled else unsampled,
        is_sampled=is_sampled,
        db_cpu=sampled.quantity(_CPU, seconds.get(_CPU, 0.0)) if is_cpu_told else None,
        cpu_queue=_scheduled(known, "process_cpus_waited", "seconds in the queue"),
        busy_time=_scheduled(known, "process_cpus", "seconds on a CPU"),
        platform="aurora" if any(one.startswith(_OF_AURORA) for one in demand.database.settings) else None,
        foreground=(
            {EVENTS[name]: sampled.wait(name, seconds[name]) for name in seconds if name in EVENTS}
            if unsampled is None
            else dict(_server_waits(demand, unsampled.value))
        ),
        background=dict(_log_waits(wal)),
        statistic=lambda name: _count(demand.counts, name),
        log_writes=_log_writes(wal, demand.mean),
        log_write_bytes=_log_write_bytes(wal),
        log_bytes_share=_bytes_share(known),
        tables=demand.relations,
        server=_server(demand),
        storage=storage,
    )


def _server(demand: Demand) -> WatchedServer | None:
    if demand.database.kind != "postgresql":
        return None
    return WatchedServer(
        settings=demand.database.settings,
        is_timed=demand.database.io_timing,
        block_bytes=demand.database.block_bytes or 8192,
        counted_s=_counted_s(demand),
        io=demand.io,
        log_bytes_per_s_max=_log_bytes_per_s_max(demand),
        rows=demand.rows,
    )


def _log_bytes_per_s_max(demand: Demand) -> float | None:
    """WAL that was generated, on average, times what the busiest minute or longer wrote of it in proportion to the average.

    Writes are whole pages and may be many times what was generated; how they are shared out over the time goes with it.
    """
    names = ("pg_wal.written_bytes", "pg_stat_wal.wal_bytes")
    generated = next((demand.counts[name] for name in names if name in demand.counts), None)
    if generated is None or demand.mean is None:
        return None
    whole = _log_rate(demand.mean)
    long = [_log_rate(one) or 0.0 for one in demand.intervals if one.duration_s >= _LONG_S]
    factor = max(long) / whole if long and whole else 1.0
    return generated / demand.mean.duration_s * factor


def _log_rate(interval: DemandInterval) -> float | None:
    log = interval.classes.get("redo_write")
    return None if log is None else log.bytes_per_s


def _counted_s(demand: Demand) -> float:
    """Seconds of the known intervals, also of those in which nobody looked at sessions."""
    return 0.0 if demand.mean is None else demand.mean.duration_s


def _db_time(seconds: Mapping[str, float]) -> float:
    return sum(spent_s for name, spent_s in seconds.items() if name == _CPU or name in EVENTS)


def _session_time(demand: Demand) -> Quantity | None:
    """Seconds that sessions were at work, by the server's own count; None where it has none."""
    found = _count(demand.counts, "pg_stat_database.active_time")
    return None if found is None else found.times(1 / _MS_PER_S, f"÷ {_MS_PER_S:,}")


def _server_waits(demand: Demand, db_time_s: float) -> Iterator[tuple[str, Wait]]:
    """What sessions' I/O on data files took, where the server timed it; no more than all of their time."""
    rows = [row for row in demand.io if row.backend == _SESSIONS and row.object != "wal"]
    for name, counts, times in (("read", ("reads",), ("read_time_ms",)), ("write", _WRITES, _WRITE_TIMES)):
        total_ms = _sum_of(rows, counts, times)
        if total_ms:
            yield _server_wait(EVENTS[name], rows, counts, times, min(db_time_s, total_ms / _MS_PER_S))
    read_ms = demand.counts.get(_READ_TIME)
    if not demand.io and read_ms:
        spent, count = _count(demand.counts, _READ_TIME), _count(demand.counts, "pg_stat_database.blks_read")
        assert spent is not None, "it is there"
        total = spent.times(1 / _MS_PER_S, f"÷ {_MS_PER_S:,}")
        yield EVENTS["read"], Wait(EVENTS["read"], min(db_time_s, total.value), lambda: Printed(total, count))


def _server_wait(
    event: str, rows: Sequence[IoCounters], counts: Sequence[str], times: Sequence[str], spent_s: float
) -> tuple[str, Wait]:
    def quantity(value: float, columns: Sequence[str]) -> Quantity:
        totals = ((column, sum(getattr(row, column) or 0 for row in rows)) for column in columns)
        whose = f"{_SESSIONS} / relation, temp relation / all"
        cells = tuple(
            PrintedCell(section="pg_stat_io", row=whose, column=column, value=f"{total:,.0f}")
            for column, total in totals
        )
        return Quantity(value, 0.0, "pg_stat_io", cells)

    count = float(sum(getattr(row, column) or 0 for row in rows for column in counts))
    return event, Wait(event, spent_s, lambda: Printed(quantity(spent_s, times), quantity(count, counts)))


def _sum_of(rows: Sequence[IoCounters], counts: Sequence[str], times: Sequence[str]) -> float | None:
    """Milliseconds; None where some of it was not timed."""
    total_ms = 0.0
    for row in rows:
        for count, time in zip(counts, times, strict=True):
            spent_ms = getattr(row, time)
            if getattr(row, count) and spent_ms is None:
                return None
            total_ms += spent_ms or 0.0
    return total_ms


def _seconds(known: list[DemandInterval]) -> dict[str, float]:
    """Session seconds by what was waited for."""
    found: dict[str, float] = {}
    for one in known:
        for name, sessions in (one.sessions_at_work or {}).items():
            found[name] = found.get(name, 0.0) + sessions * one.duration_s
    return found


def _looked_at(demand: Demand) -> dict[str, float] | None:
    """Session seconds by what was waited for, by the looks of a collector.

    None where there are none, too few for the time, or sessions that tell nobody what they are at.
    """
    waits = None if demand.rows is None else demand.rows.waits
    counted_s = _counted_s(demand)
    if (
        waits is None
        or not waits.looks
        or waits.looks * limits.WAITS_PERIOD_S < _LOOKED_SHARE_MIN * counted_s
    ):
        return None
    found: dict[str, float] = {}
    for one in waits.waits:
        if one.wait_event_type == HIDDEN:
            return None
        if one.backend_type in AT_WORK:
            name = waits_for(one.wait_event_type, one.wait_event)
            found[name] = found.get(name, 0.0) + one.seen / waits.looks * counted_s
    return found


def _told_apart(seconds: dict[str, float], read_s: float | None) -> dict[str, float]:
    """What sessions ran as reads and CPU time; as it is where the server does not time its reads."""
    if _RUNS not in seconds or read_s is None:
        return seconds
    reads = min(read_s, seconds[_RUNS])
    return {name: spent_s for name, spent_s in seconds.items() if name != _RUNS} | {
        "read": reads,
        _CPU: seconds[_RUNS] - reads,
    }


def _read_s(known: list[DemandInterval]) -> float | None:
    """Seconds that the server's own reads took; None where it did not time some of them."""
    spent_s = 0.0
    for one in known:
        for reads in (one.classes[name] for name in _READS if name in one.classes):
            if reads.ops_per_s is None or (reads.ops_per_s and reads.latency_us_mean is None):
                return None
            spent_s += reads.ops_per_s * one.duration_s * (reads.latency_us_mean or 0.0) / 1e6
    return spent_s


def _counted(demand: Demand) -> dict[str, float]:
    """How often there was something to wait for, where the server counts it."""
    found: dict[str, float] = {}
    mean = demand.mean
    if mean is None:
        return found
    reads = [one.ops_per_s for name, one in mean.classes.items() if name in _READS]
    if reads and all(rate is not None for rate in reads):
        found["read"] = sum(rate or 0.0 for rate in reads) * mean.duration_s
    if mean.commits_per_s is not None:
        found["commit"] = mean.commits_per_s * mean.duration_s
    return found


class _Sampled:
    """Makes figures of what was sampled, with the cells that they stand in."""

    def __init__(self, view: str, counted: Mapping[str, float], how: str) -> None:
        self._view, self._counts, self._how = view, counted, how

    def wait(self, name: str, spent_s: float) -> Wait:
        return Wait(EVENTS[name], spent_s, lambda: Printed(self.quantity(name, spent_s), self._times(name)))

    def quantity(self, name: str, spent_s: float) -> Quantity:
        return Quantity(
            spent_s, 0.0, self._view, (self._cell("seconds", f"{spent_s:,.1f}", name),), self._how
        )

    def _times(self, name: str) -> Quantity | None:
        count = self._counts.get(name)
        if count is None:
            return None
        return Quantity(count, 0.0, _COUNTED, (self._cell("times", f"{count:,.0f}", name),))

    def _cell(self, column: str, value: str, name: str) -> PrintedCell:
        row = f"{_ROW}: {EVENTS.get(name, name)}"
        return PrintedCell(section=self._view, row=row, column=column, value=value)


def _scheduled(known: list[DemandInterval], figure: str, column: str) -> Quantity | None:
    """Seconds of the server's processes by the kernel's scheduler: at least these, since one that ended took its count with it."""
    rates = [(one.duration_s, getattr(one.beneath, figure)) for one in known if one.beneath is not None]
    spent_s = [duration_s * rate for duration_s, rate in rates if rate is not None]
    if not spent_s:
        return None
    cell = PrintedCell(section=_SCHEDULED, row=_PROCESSES, column=column, value=f"{sum(spent_s):,.1f}")
    return Quantity(sum(spent_s), 0.0, _SCHEDULED, (cell,))


def _log_waits(wal: ClassDemand | None) -> Iterator[tuple[str, Wait]]:
    """The log's own writes, where the server times them."""
    each_us = None if wal is None else _log_us(wal)
    if each_us is None:
        return
    mean = Quantity(each_us, 0.0, _COUNTED, (_log_cell("µs each", f"{each_us:,.0f}"),))
    nothing = Quantity(0.0, 0.0, _COUNTED, ())
    yield FLUSH_TIME, Wait(FLUSH_TIME, 0.0, lambda: Printed(nothing, None, mean))


def _log_us(wal: ClassDemand) -> float | None:
    """Of one write until it is on stable storage."""
    if wal.is_forced:
        return wal.latency_us_mean
    return (
        None if wal.sync_latency_us_mean is None else wal.sync_latency_us_mean + (wal.latency_us_mean or 0.0)
    )


def _log_writes(wal: ClassDemand | None, mean: DemandInterval | None) -> Quantity | None:
    if wal is None or mean is None or wal.ops_per_s is None:
        return None
    count = wal.ops_per_s * mean.duration_s
    return Quantity(count, 0.0, _COUNTED, (_log_cell("writes", f"{count:,.0f}"),))


def _log_write_bytes(wal: ClassDemand | None) -> Quantity | None:
    if wal is None or wal.mean_bytes is None:
        return None
    return Quantity(wal.mean_bytes, 0.0, _COUNTED, (_log_cell("bytes each", f"{wal.mean_bytes:,.0f}"),))


def _bytes_share(known: list[DemandInterval]) -> float | None:
    """What of the time of a write of the log grows with its bytes, 0 to 1, by a straight line through the seconds (least squares).

    None where the seconds are too few, too much alike, or off that line.
    """
    logs = [one.classes["redo_write"] for one in known if "redo_write" in one.classes]
    told = ((log.mean_bytes, _log_us(log)) for log in logs)
    points = [(size, time_us) for size, time_us in told if size is not None and time_us is not None]
    if len(points) < _POINTS_MIN or len({size for size, _ in points}) < 2:
        return None
    if correlation(*zip(*points, strict=True)) ** 2 < _ON_LINE_MIN:
        return None
    slope_us, _ = linear_regression(*zip(*points, strict=True))
    share = slope_us * fmean(size for size, _ in points) / fmean(time_us for _, time_us in points)
    return min(1.0, max(0.0, share))


def _log_cell(column: str, value: str) -> PrintedCell:
    return PrintedCell(section=_COUNTED, row="writes of the log", column=column, value=value)


def _count(counts: Mapping[str, float], name: str) -> Quantity | None:
    """A count of the server over the whole time."""
    value = counts.get(name)
    if value is None:
        return None
    view, _, column = name.partition(".")
    cell = PrintedCell(section=view, row="all databases", column=column, value=f"{value:,.0f}")
    return Quantity(value, 0.0, view, (cell,))

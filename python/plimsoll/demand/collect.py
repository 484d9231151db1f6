"""Takes snapshots at a steady pace and makes a demand of them, whatever happens to the database meanwhile.

A server that restarts is waited for, and the time without it is a gap. Ctrl-C ends the collecting and keeps what there is.
Each interval is made as soon as its second snapshot is there, so the memory needed does not grow with the counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from statistics import median

from plimsoll.base import limits
from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.base.units import format_share
from plimsoll.context import Context
from plimsoll.databases import Connection
from plimsoll.demand import classes, deltas, intervals
from plimsoll.demand.beneath import beneath, cached_read_share
from plimsoll.demand.counted import Counted
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.demand.late import with_late_pairs
from plimsoll.demand.local import is_here
from plimsoll.demand.pacing import Pace, own_load
from plimsoll.facts import Database, Demand, DemandInterval, Note, RelationCounters, Snapshot
from plimsoll.facts.demand import LOWER_BOUND
from plimsoll.host.sampler import pressure_us
from plimsoll.ports import files

_PRESSURE = "/proc/pressure/io"


def collect(
    ctx: Context,
    connection: Connection,
    seconds: float | None = None,
    *,
    period_s: float = limits.SNAPSHOT_PERIOD_S,
    relations: bool = False,
    until: Callable[[], bool] | None = None,
    stage: str = "demand",
) -> Demand:
    """Demand of the next `seconds`, or until `until` says so, or until cancelled; with `relations` that of each table too.

    Raises Interrupted when cancelled before the first interval was whole, WorldError when the first snapshot fails or the
    database goes away for good before that.
    """
    collector = _Collector(ctx, connection, period_s, relations, stage)
    collector.run(seconds, until or (lambda: False))
    return collector.demand()


class _Collector:
    def __init__(
        self, ctx: Context, connection: Connection, period_s: float, relations: bool, stage: str
    ) -> None:
        self._ctx = ctx
        self._connection = connection
        self._period_s = period_s
        self._relations = relations
        self._stage = stage
        self._intervals: list[DemandInterval] = []
        self._costs_s: list[float] = []
        self._temp_bytes = 0.0
        self._counted = Counted()
        self._notes: dict[str, Note] = {}
        self._running_s: float | None = None
        self._tables: tuple[RelationCounters, ...] = ()
        self._stalled_us: int | None = None

    def run(self, seconds: float | None, until: Callable[[], bool]) -> None:
        """Snapshots now and at every period after; the last one when the time is over."""
        classes.sorting(
            self._connection.database
        )  # a database of which no demand can be made is refused at once
        self._is_here = is_here(self._connection)
        self._beneath = beneath(self._connection)
        self._stalled_share(0.0)
        self._pace = Pace(self._ctx, self._period_s, seconds, self._stage, until)
        first = before = self._connection.snapshot(self._relations)
        for _ in self._pace.steps():
            read = partial(self._connection.snapshot, self._relations and self._pace.is_last)
            after = self._pace.read(self._connection, read)
            if isinstance(after, WorldError):
                self._lost(before, after)
                break
            self._add(before, after)
            before = after
        if self._relations and before is not first and before.relations:
            self._compare_tables(first, before)

    def demand(self) -> Demand:
        """What was collected."""
        if not self._intervals:
            raise Interrupted("interrupted before the first interval was whole")
        database = self._connection.database
        hands_in_late = classes.sorting(database).hands_in_late
        collected = with_late_pairs(self._intervals) if hands_in_late else self._intervals
        known = [interval.duration_s for interval in collected if interval.gap is None]
        held = held_back(collected)
        cached = cached_read_share(collected)
        return Demand(
            database=database,
            resolution_s=round(median(known), 3) if known else self._period_s,
            intervals=tuple(collected),
            peak=intervals.peak(collected),
            mean=intervals.mean(collected),
            held_back=held,
            cached_read_share=cached,
            counts=self._counted.totals,
            io=self._counted.io,
            relations=self._tables,
            notes=(
                *held_back_note(held),
                *self._connection.notes,
                *classes.notes(database, self._temp_bytes),
                *_cached_note(database, cached),
                *self._notes.values(),
                *_lateness(collected, hands_in_late),
                *_not_handed_in(self._running_s, hands_in_late),
                *own_load(self._costs_s, self._period_s),
            ),
        )

    def _lost(self, before: Snapshot, cause: WorldError) -> None:
        """Keeps what there is and says that the rest is missing; with nothing to keep the cause is the answer."""
        if not self._intervals and not self._ctx.cancel.is_set:
            raise cause
        reason = f"the database went away and had not come back at the end: {cause.message}"
        now_s = self._ctx.clock.monotonic_s()
        passed = timedelta(seconds=now_s - (before.monotonic_s or now_s))
        end = before.model_copy(update={"taken_at": before.taken_at + passed, "monotonic_s": now_s})
        self._intervals.append(intervals.gap(before, end, reason))
        self._note("database-lost", reason)

    def _add(self, before: Snapshot, after: Snapshot) -> None:
        interval, delta = intervals.between(before, after, self._connection.database)
        by_kernel = {
            "stalled_share": self._stalled_share(interval.duration_s),
            "beneath": None if self._beneath is None else self._beneath.since(interval.duration_s),
        }
        self._intervals.append(interval.model_copy(update=by_kernel))
        self._costs_s += [after.cost_s] if after.cost_s is not None else []
        if isinstance(delta, deltas.Gap):
            self._note("gap", f"a gap of {interval.duration_s:.1f} s: {delta.reason}")
        else:
            self._counted.add(delta, self._connection.database)
            self._temp_bytes += classes.sorting(self._connection.database).temp_bytes(delta)
            if delta.clock_step_s is not None:
                self._note(
                    "clock-step",
                    f"the server's clock stepped by {delta.clock_step_s:+.2f} s; our own was used",
                )
        self._running_s = after.moment.get("running_age_s_max")
        self._pace.tell(interval.gap, interval.iops)

    def _stalled_share(self, duration_s: float) -> float | None:
        """Of the time since the last call: all that had work on the server's host waited for I/O. None where that is elsewhere."""
        before = self._stalled_us
        self._stalled_us = pressure_us(files.read_text(_PRESSURE), "full") if self._is_here else None
        if before is None or self._stalled_us is None or duration_s <= 0:
            return None
        return min(1.0, max(0, self._stalled_us - before) / 1e6 / duration_s)

    def _compare_tables(self, first: Snapshot, last: Snapshot) -> None:
        gained = deltas.relations_difference(first, last)
        if isinstance(gained, deltas.Gap):
            self._note("tables-unknown", f"what each table did is unknown: {gained.reason}")
            return
        self._tables = gained[: limits.RELATIONS_MAX]
        if len(gained) > limits.RELATIONS_MAX:
            self._note(
                "tables-left-out",
                f"{len(gained) - limits.RELATIONS_MAX} tables with fewer reads are left out",
            )

    def _note(self, code: str, message: str) -> None:
        """Each different message once; a hundred restarts are a hundred gaps but few notes."""
        if len(self._notes) < 50:
            self._notes.setdefault(message, Note(code=code, message=message))


def _cached_note(database: Database, cached: float | None) -> Iterator[Note]:
    """How much the system's cache answered, where the kernel tells and the server goes through it."""
    if database.direct_io is not True and cached is not None:
        message = (
            f"the operating system's cache answered {format_share(cached)} of the bytes that the server read; on a storage whose"
            " host has no such cache, or a cold one, all of them are asked of the device"
        )
        yield Note(code="cached-reads", message=message)


def _not_handed_in(running_s: float | None, hands_in_late: bool) -> Iterator[Note]:
    """A transaction at work when the watch ended: its counters, and the lengths of its temporary files, come when it is over."""
    if hands_in_late and running_s is not None and running_s > limits.LONG_TRANSACTION_S:
        message = (
            f"the demand is a lower bound: a transaction that was at work for {running_s:.0f} s had not ended at the end, and what"
            " it asked for is in no figure; watch until it is over"
        )
        yield Note(code=LOWER_BOUND, message=message)


def _lateness(collected: list[DemandInterval], hands_in_late: bool) -> Iterator[Note]:
    """What late counters did to this demand, with the figures that were set aside for it."""
    known = [interval for interval in collected if interval.gap is None]
    highest = max(known, key=lambda interval: interval.iops or 0.0, default=None)
    chosen = intervals.peak(collected)
    if chosen is not None and chosen.doubt is not None:
        yield Note(code="peak-in-doubt", message=f"the peak may be overstated: {chosen.doubt}")
    elif highest is not None and highest.doubt is not None:
        message = f"the interval with {highest.iops or 0:,.0f} I/Os per second is not taken as peak: {highest.doubt}"
        yield Note(code="peak-set-aside", message=message)
    if known and hands_in_late and median(interval.duration_s for interval in known) < 2.0:
        message = (
            "sessions hand in their counters at most once a second, so a second may show part of the second before it; "
            "sums over several seconds are exact"
        )
        yield Note(code="counters-late", message=message)

"""Demand of a live Oracle Database: the collector's queries at a steady pace, each two moments read as a spool of them would be.

So what is watched over a connection, and what a DBA spools in SQL*Plus, is the same demand of the same counters.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Protocol

from plimsoll.base import limits
from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, PrintsQueries
from plimsoll.demand import intervals
from plimsoll.demand.collector import history, moment
from plimsoll.demand.pacing import Pace, own_load
from plimsoll.demand.series import as_demand, demand_of
from plimsoll.facts import Database, Demand, Note, ReportedInterval
from plimsoll.flows.demand_reports import read_source
from plimsoll.flows.taken_intervals import ReadReport, flagged
from plimsoll.reports.sources import Source

_STAGE = "demand"
_STEP_S_MIN = 1.0
"""A clock that seems to step by less may have been read late."""
_STEPS_TOLD_MAX = 50
_MAJOR = 10_000
"""What a version's number has for each of its first part."""


class Watched(Connection, PrintsQueries, Protocol):
    """A connection that answers the collector's queries."""


def watch_moments(ctx: Context, connection: Watched, seconds: float, licensed: bool = False) -> Demand:
    """Demand of the next `seconds`, or until cancelled. With `licensed` the intervals of AWR's history are in it too.

    Raises Interrupted when cancelled before the first interval was whole, WorldError when the first moment cannot be read or the
    database goes away for good before the second.
    """
    watch = _Watch(ctx, connection, licensed)
    watch.run(seconds)
    return watch.demand()


class _Watch:
    def __init__(self, ctx: Context, connection: Watched, licensed: bool) -> None:
        self._ctx = ctx
        self._connection = connection
        self._licensed = licensed
        self._taken: list[ReadReport] = []
        self._lost: list[ReportedInterval] = []
        self._costs_s: list[float] = []
        self._begins_s: list[float] = []
        self._steps: list[Note] = []

    def run(self, seconds: float) -> None:
        """A moment now and at every period after; the last one when the time is over."""
        pace = Pace(self._ctx, limits.MOMENT_PERIOD_S, seconds, _STAGE)
        before = self._moment()
        if self._licensed:
            before += history(self._connection, self._release)
        for _ in pace.steps():
            after = pace.read(self._connection, self._moment)
            if isinstance(after, WorldError):
                self._lose(after)
                return
            last = self._add(before + after)
            before = after
            self._steps += _clock_step(last, self._begins_s[-1] - self._begins_s[-2])
            pace.tell(last.gap, last.iops)

    def demand(self) -> Demand:
        """What was watched."""
        if not self._taken:
            raise Interrupted("interrupted before the first interval was whole")
        made = as_demand(demand_of([*flagged(self._taken), *self._lost]))
        own = self._connection.database
        load = own_load(self._costs_s, limits.MOMENT_PERIOD_S)
        notes = (*self._connection.notes, *made.notes, *self._steps[:_STEPS_TOLD_MAX], *load)
        found = {"database": _database(made.database, own), "mean": intervals.mean(made.intervals)}
        return made.model_copy(update={**found, "notes": notes})

    @property
    def _release(self) -> int:
        return self._connection.database.version_number // _MAJOR

    def _moment(self) -> str:
        begin_s = self._ctx.clock.monotonic_s()
        text = moment(self._connection, self._release)
        self._costs_s.append(self._ctx.clock.monotonic_s() - begin_s)
        self._begins_s.append(begin_s)
        return text

    def _add(self, text: str) -> ReportedInterval:
        """Reads two moments, and gives the interval between them."""
        self._taken += read_source(Source(self._connection.database.location, content=text.encode()))
        return self._taken[-1].intervals[-1]

    def _lose(self, cause: WorldError) -> None:
        """Keeps what there is and says that the rest is missing; with nothing to keep the cause is the answer."""
        if not self._taken:
            if self._ctx.cancel.is_set:
                return
            raise cause
        passed_s = self._ctx.clock.monotonic_s() - self._begins_s[-1]
        reason = f"the database went away and had not come back at the end: {cause.message}"
        self._lost.append(_gap_behind(self._taken[-1].intervals[-1], passed_s, reason))


def _clock_step(interval: ReportedInterval, passed_s: float) -> Iterator[Note]:
    """Where the server's clock, by which the rates are, went otherwise than ours."""
    step_s = 0.0 if interval.duration_s is None else interval.duration_s - passed_s
    if abs(step_s) > _STEP_S_MIN:
        message = f"the server's clock, by which rates are, stepped by {step_s:+.2f} s in the interval from {interval.begin_time}"
        yield Note(code="clock-step", message=message)


def _gap_behind(last: ReportedInterval, passed_s: float, reason: str) -> ReportedInterval:
    """An interval of which nothing is known but its reason."""
    end = last.end_time and (datetime.fromisoformat(last.end_time) + timedelta(seconds=passed_s)).isoformat()
    names = (
        "file",
        "kind",
        "release",
        "db_name",
        "db_id",
        "instance",
        "instance_number",
        "container",
        "host",
        "scope",
    )
    known = last.model_dump(include={*names})
    return ReportedInterval(
        **known,
        begin_time=last.end_time,
        end_time=end,
        duration_s=passed_s,
        classes={},
        iops=None,
        mb_per_s=None,
        gap=reason,
    )


def _database(reported: Database, own: Database) -> Database:
    """As the moments tell it, with what only a session knows."""
    update = {
        "location": own.location,
        "direct_io": own.direct_io,
        "io_timing": own.io_timing,
        "settings": {**own.settings, **reported.settings},
    }
    return reported.model_copy(update=update)

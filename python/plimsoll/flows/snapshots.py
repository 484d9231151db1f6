"""Snapshots kept over months: `plimsoll demand --every` takes them, `plimsoll demand --snapshots` makes a demand of them.

What was confirmed is in the store. Nothing else of a collector is needed to go on after it was killed: the next one finds the
series by its name, and the counters of the server themselves say what lies between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from plimsoll.base import limits, settings
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, CountedRows, CountsRows, open_database
from plimsoll.demand import classes
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.demand.host_rows import host_rows
from plimsoll.demand.kept import demand_and_stretches
from plimsoll.demand.local import is_here
from plimsoll.demand.pacing import AWAY
from plimsoll.demand.wait_looks import WaitLooks
from plimsoll.facts import Demand, KeptRows, KeptRowsKind, KeptSnapshot, Run, Snapshot, SnapshotSeries
from plimsoll.flows.kept_days import Ages, Thinner
from plimsoll.flows.kept_rows import rows_of_span
from plimsoll.flows.kept_time import KeptTime
from plimsoll.flows.record import record
from plimsoll.flows.wanted import moment_of
from plimsoll.ports import files
from plimsoll.requests.demand import DemandRequest
from plimsoll.store.ids import new_run_id

_STAGE = "snapshots"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
"""Another one whenever the machine is started (random(4))."""
_AHEAD_S_MIN = 1.0
"""Another collector of this machine may keep a snapshot while this one is on its way."""
_NAP_S = 0.5
_NOTED_KEEP_S_MIN = 2 * 86_400.0
_EPOCH = datetime.fromtimestamp(0, UTC)
_TOLD: frozenset[KeptRowsKind] = frozenset({"slru", "statements", "relations", "sizes"})
"""Kinds of rows that are asked of the server. That nobody has looked at waits yet, or that its host is another, lacks nothing."""
_SHORTEST = 0.5
"""Of a period: no two snapshots are nearer, so that a collector that is restarted again and again fills no store."""


@dataclass(frozen=True)
class Collected:
    """What became of a collector. `first_at` is when its first snapshot was taken, by the server's clock."""

    series: str
    kept: int
    unkept: int
    first_at: datetime | None
    interrupted: bool


def collect_snapshots(
    ctx: Context, asked: DemandRequest, ask_password: AskPassword | None = None
) -> Collected:
    """Keeps a snapshot at each period until the time is over or it is cancelled, whatever happens to the server meanwhile.

    Raises what opening the database raises, UsageError `demand-source`; WorldError where the very first snapshot cannot be kept.
    """
    location = asked.database or settings.read(settings.DATABASE)
    if location is None or location == "embedded":
        what = "no database was named" if location is None else "an embedded database ends with the command"
        raise UsageError(
            "demand-source", f"{what}: no snapshots of it can be kept", "Name a URL with --database."
        )
    assert asked.every_s is not None, "the caller asks for a period"
    keep_s = asked.keep_s or limits.SNAPSHOTS_KEPT_S
    ages = Ages(asked.hours_after_s, asked.days_after_s)
    with open_database(ctx, location, ask_password) as connection:
        return keep_snapshots(ctx, connection, asked.every_s, keep_s, asked.watched_s, ages)


def keep_snapshots(
    ctx: Context,
    connection: Connection,
    period_s: float,
    keep_s: float,
    seconds: float | None = None,
    ages: Ages | None = None,
) -> Collected:
    """The same of an open connection, which is closed between two snapshots; for so many seconds, None: until it is cancelled."""
    classes.sorting(connection.database)  # a database of which no demand can be made is refused at once
    collector = _Collector(ctx, connection, period_s, keep_s, ages or Ages())
    collector.run(seconds)
    return collector.collected


class _Collector:
    def __init__(
        self, ctx: Context, connection: Connection, period_s: float, keep_s: float, ages: Ages
    ) -> None:
        self._ctx = ctx
        self._connection = connection
        self._period_s = period_s
        self._keep_s = keep_s
        self._ages = ages
        self._series = connection.database.location
        # Half a day, which is all that may be left of one by then, is not noted as a day.
        thins = period_s >= limits.COLLECTOR_THINS_S and keep_s >= _NOTED_KEEP_S_MIN
        self._thinner = Thinner(ctx, self._series, ages, self._before) if thins else None
        self._id = new_run_id(ctx.clock.now())
        self._boot = files.read_text(_BOOT_ID) or None
        self._began_at, self._began_s = ctx.clock.now(), ctx.clock.monotonic_s()
        self._server_at = _EPOCH
        self._kept_time: KeptTime | None = None
        self._reverts = 0
        self._tried_s = -math.inf
        """By our monotonic clock, when the last one was taken that was to be kept."""
        self._kept = 0
        self._unkept = 0
        self._first_at: datetime | None = None
        self._unthinned = ""
        self._unkept_for = ""
        self._lacking: dict[str, str] = {}
        self._is_fresh = True
        self._rows: dict[KeptRowsKind, ChangedRows] = {}
        self._looks = WaitLooks(ctx.clock, connection) if isinstance(connection, CountsRows) else None

    @property
    def collected(self) -> Collected:
        return Collected(
            self._series, self._kept, self._unkept, self._first_at, interrupted=self._ctx.cancel.is_set
        )

    def run(self, seconds: float | None) -> None:
        end_s = math.inf if seconds is None else self._ctx.clock.monotonic_s() + seconds
        due = self._first_due()
        while self._wait(due, end_s, self._looks):
            taken = self._taken(end_s)
            if taken is None:
                break
            self._tell_what_is_lacking(*taken)
            self._keep(*taken)
            due = self._next_due(self._ctx.clock.now())

    def _first_due(self) -> datetime:
        """At once, or when the next one of a collector that has ended was due."""
        now = self._ctx.clock.now()
        newest = {one.series: one.last_at for one in _known_series(self._ctx)}.get(self._series)
        if newest is None or newest > now:  # by a clock of the server's that is ahead of ours
            return now
        return max(now, self._next_due(newest))

    def _next_due(self, after: datetime) -> datetime:
        """The next even time of our clock that is not too near: a collector that was restarted goes on in the same steps."""
        passed = (after - _EPOCH).total_seconds() / self._period_s
        return _EPOCH + timedelta(seconds=self._period_s * math.ceil(passed + _SHORTEST))

    def _wait(self, due: datetime, end_s: float, looks: WaitLooks | None = None) -> bool:
        """Until it is due; False when all is over before. A clock that is set meanwhile changes nothing of how long.

        Meanwhile the server is looked at, where that is asked for.
        """
        clock = self._ctx.clock
        due_s = clock.monotonic_s() + (due - clock.now()).total_seconds()
        while not self._ctx.cancel.is_set:
            if looks is not None:
                looks.look()
            now_s = clock.monotonic_s()
            if now_s >= due_s:
                return True
            if now_s >= end_s:
                return False
            clock.sleep(min(_NAP_S, due_s - now_s, end_s - now_s))
        return False

    def _taken(self, end_s: float) -> tuple[KeptSnapshot, tuple[KeptRows, ...]] | None:
        """A snapshot with its rows, as soon as the server gives one; None when all is over before.

        Each has a session of its own: one that is held for months is ended by firewalls, stays with a server that is the
        primary no more, and takes memory of the server. Where the server is looked at meanwhile, it is held until the next.
        """
        told = ""
        while not self._ctx.cancel.is_set and self._ctx.clock.monotonic_s() < end_s:
            try:
                return self._read()
            except WorldError as error:
                if error.id not in AWAY:
                    raise
                if error.message != told:
                    self._ctx.remark(_STAGE, f"{error.message}; waiting for it", warning=True)
                told = error.message
            again = self._ctx.clock.now() + timedelta(seconds=min(self._period_s, limits.COLLECTOR_RETRY_S))
            self._wait(again, end_s)
        return None

    def _read(self) -> tuple[KeptSnapshot, tuple[KeptRows, ...]]:
        if not self._is_fresh:
            self._connection.reopen()
        self._is_fresh = False
        try:
            snapshot, rows = self._counted()
            kept = KeptSnapshot(
                series=self._series,
                snapshot=snapshot,
                database=self._connection.database,
                collector=self._id,
                boot=self._boot,
                notes=self._connection.notes,
            )
        except PlimsollError:
            self._connection.close()
            raise
        if self._looks is None:
            self._connection.close()
        else:
            self._looks.begin()
        changes = (self._rows.setdefault(part.kind, ChangedRows(part.kind)) for part in rows)
        return kept, tuple(
            of.kept_of(part, snapshot.taken_at) for of, part in zip(changes, rows, strict=True)
        )

    def _counted(self) -> tuple[Snapshot, tuple[CountedRows, ...]]:
        host = host_rows(is_here(self._connection))
        if not isinstance(self._connection, CountsRows) or self._looks is None:
            return self._connection.snapshot(), (host,)
        # Of our clock, so that a collector that is started again goes on where the other one was.
        step = int((self._ctx.clock.now() - _EPOCH).total_seconds() / self._period_s)
        snapshot, rows = self._connection.snapshot_with_rows(step)
        return snapshot, (*rows, self._looks.rows(), host)

    def _tell_what_is_lacking(self, kept: KeptSnapshot, rows: tuple[KeptRows, ...]) -> None:
        """At once, and again only when it changes: whoever reads these snapshots in a month cannot grant anything in hindsight."""
        lacking = {note.code: note.message for note in kept.notes}
        lacking |= {
            part.kind: f"no {part.kind} are kept beside the counters: {part.unknown}"
            for part in rows
            if part.unknown is not None and part.kind in _TOLD
        }
        for name, message in lacking.items():
            if self._lacking.get(name) != message:
                self._ctx.remark(_STAGE, message, warning=True)
        self._lacking = lacking

    def _keep(self, kept: KeptSnapshot, rows: tuple[KeptRows, ...]) -> None:
        """In the store, or told: a store that is full or away for a while costs the snapshots of that time."""
        try:
            newest = _newest(self._ctx, self._series)
            kept = kept.but(reverts=self._reverts_by(kept, newest))
            self._tried_s = kept.snapshot.monotonic_s or self._tried_s
            self._ctx.store.keep_snapshot(kept, rows)
        except WorldError as error:
            if not self._kept:
                raise
            self._unkept += 1
            self._tell_unkept(error)
            return
        self._tell_kept_again()
        for changes in self._rows.values():
            changes.confirm()
        if kept.reverts != self._reverts:
            self._reverts, self._rows = kept.reverts, {}  # the next ones are kept whole
        if self._looks is not None:
            self._looks.confirm()
        self._kept += 1
        if (
            self._thinner is not None
            and newest is not None
            and kept.snapshot.taken_at < newest.snapshot.taken_at
        ):
            self._thinner.look_again(kept.snapshot.taken_at)
        self._server_at = kept.snapshot.taken_at
        self._thin()
        with suppress(WorldError):  # what is too old by now goes with the next one
            self._forget()
        self._first_at = self._first_at or kept.snapshot.taken_at
        self._ctx.progress(
            _STAGE, f"{self._kept:,} snapshot{'' if self._kept == 1 else 's'} of {self._series} kept"
        )

    def _reverts_by(self, kept: KeptSnapshot, newest: KeptSnapshot | None) -> int:
        """How often this machine was put back: once more where the store holds what our clock, which nobody sets, has yet to reach.

        Of that time nothing is left here but what another machine keeps. Where that clock has gone beyond it by now, this collector
        finds snapshots of its own that it has never taken.
        """
        never_taken = [
            one.reverts
            for one in _kept_since(self._ctx, self._series, self._server_at)
            if self._never_took(one)
        ]
        if never_taken:
            return max(never_taken) + 1
        now_s = kept.snapshot.monotonic_s
        if newest is None or kept.boot is None or newest.boot != kept.boot or newest.reverts < self._reverts:
            return self._reverts
        then_s = newest.snapshot.monotonic_s
        is_ahead = now_s is not None and then_s is not None and then_s > now_s + _AHEAD_S_MIN
        return newest.reverts + is_ahead

    def _never_took(self, one: KeptSnapshot) -> bool:
        taken_s = one.snapshot.monotonic_s
        return one.collector == self._id and taken_s is not None and taken_s > self._tried_s

    def _sure_now(self) -> datetime:
        """By the clock that is furthest behind: what is old is removed, so one that is years ahead must remove nothing."""
        by_server = self._server_at + timedelta(seconds=self._period_s)
        return min(self._ctx.clock.now(), self._began_at + timedelta(seconds=self._passed_s()), by_server)

    def _passed_s(self) -> float:
        return self._ctx.clock.monotonic_s() - self._began_s

    def _by_clocks(self, age_s: float) -> datetime:
        now = self._sure_now()
        return now - timedelta(seconds=min(age_s, (now - _EPOCH).total_seconds()))

    def _before(self, age_s: float) -> datetime:
        """Before which moment snapshots are so old by all clocks, and by those that were taken since: a machine and its server may
        have had one clock, and that ahead for years, before this began.
        """
        if self._kept_time is None:
            kept_time, passed_s = KeptTime(self._ctx, self._series, self._server_at), self._passed_s()
            doubts = (
                kept_time.doubt(one, self._by_clocks(one), passed_s) for one in (self._keep_s, *self._ages)
            )
            if (doubt := next((one for one in doubts if one is not None), None)) is not None:
                self._ctx.remark(_STAGE, doubt, warning=True)
            self._kept_time = kept_time
        return min(self._by_clocks(age_s), self._kept_time.before(age_s, self._passed_s()))

    def _forget(self) -> None:
        """Days that are over are noted first, so that nothing is forgotten without a trace."""
        before = self._before(self._keep_s)
        noted_until = before if self._thinner is None else self._thinner.noted_until
        self._ctx.store.forget_snapshots(self._series, min(before, noted_until or before))

    def _tell_unkept(self, error: WorldError) -> None:
        """Once, for as long as the reason is the same."""
        if error.message != self._unkept_for:
            message = f"a snapshot was not kept, nor are the next ones while this lasts: {error.message}. {error.hint}"
            self._ctx.remark(_STAGE, message, warning=True)
        self._unkept_for = error.message

    def _tell_kept_again(self) -> None:
        if self._unkept_for:
            self._ctx.remark(_STAGE, f"snapshots are kept again; {self._unkept:,} were not so far")
        self._unkept_for = ""

    def _thin(self) -> None:
        """A day that is due, or the one that is not over. What could not be thinned is told once, and tried again."""
        try:
            if self._thinner is not None and self._thinner.step() is None:
                self._thinner.note_on(self._server_at)
        except WorldError as error:
            if error.message != self._unthinned:
                self._ctx.remark(_STAGE, f"snapshots were not thinned: {error.message}", warning=True)
            self._unthinned = error.message


def _newest(ctx: Context, series: str) -> KeptSnapshot | None:
    """None also of one that others wrote, and nobody can read."""
    with _what_can_be_read():
        return ctx.store.newest_snapshot(series)
    return None


def _kept_since(ctx: Context, series: str, since: datetime) -> list[KeptSnapshot]:
    """Those that were kept since this collector's last one, as far as they can be read; none before it has kept one."""
    if since == _EPOCH:
        return []
    with _what_can_be_read():
        return list(ctx.store.snapshots(series, since))
    return []


@contextmanager
def _what_can_be_read() -> Iterator[None]:
    """Around what asks a store that is not there yet, or that holds what others wrote."""
    try:
        yield
    except (UsageError, WorldError) as error:
        if error.id not in ("store-missing", "store-damaged"):
            raise


def _known_series(ctx: Context) -> list[SnapshotSeries]:
    """None in a store that the first snapshot will make."""
    try:
        return ctx.store.snapshot_series()
    except UsageError as error:
        if error.id != "store-missing":
            raise
        return []


def kept_series(ctx: Context, name: str) -> str:
    """The series of that name, or the only one whose name contains it. Raises UsageError `series-unknown`, `series-ambiguous`."""
    known = ctx.store.series_names()
    found = [one for one in known if one == name] or [one for one in known if name in one]
    if len(found) == 1:
        return found[0]
    hint = "See them with `plimsoll store snapshots`."
    if not found:
        raise UsageError("series-unknown", f"no snapshots of '{name}' are kept", hint)
    message = f"'{name}' is a part of the names of {len(found)} series"
    raise UsageError("series-ambiguous", message, hint)


def learn_of_snapshots(ctx: Context, asked: DemandRequest) -> Run:
    """The demand of a series in the time that was asked for, stored.

    Raises UsageError `series-unknown`, `series-ambiguous`, `series-short`, `series-long`, `moment-unreadable`.
    """
    assert asked.snapshots is not None, "the caller asks for a series"
    started_at = ctx.clock.now()
    series = kept_series(ctx, asked.snapshots)
    since, until = (moment_of(ctx, word) for word in (asked.since, asked.until))
    demand = demand_of_series(ctx, series, since, until, rows=True)
    title = f"demand of {demand.database.name} at {demand.database.location} from snapshots"
    return record(ctx, "demand", title, started_at, demand=demand, notes=demand.notes)


def demand_of_series(
    ctx: Context, series: str, since: datetime | None, until: datetime | None, rows: bool = False
) -> Demand:
    """With `rows` what was kept row by row is in it. Raises UsageError `series-short`, `series-long`."""
    demand, stretches = demand_and_stretches(ctx.store.snapshots(series, since, until))
    if demand is None:
        message = f"fewer than two snapshots of {series} are kept of that time, and an interval needs two"
        raise UsageError("series-short", message, "See what is kept with `plimsoll store snapshots`.")
    return demand.but(rows=rows_of_span(ctx, stretches)) if rows else demand

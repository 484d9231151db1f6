"""`plimsoll commits`: what commits of this host wait for, until it is ended."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.units import counted, format_seconds, format_us
from plimsoll.context import Context
from plimsoll.demand.pacing import Pace
from plimsoll.facts import CommitsOfRole, CommitsUnderWay, CommitWaits, Note, Run
from plimsoll.flows.record import get_ready, record
from plimsoll.native import allocator, commit_probe
from plimsoll.observe import log_flushes, roles
from plimsoll.observe.commit_causes import causes_of
from plimsoll.observe.commit_turns import turns_apart
from plimsoll.observe.commits import CommitTally
from plimsoll.observe.flushed_disks import FlushedDisks
from plimsoll.observe.log_flushes import LogFlushProbe, LogFlushTurns, Program
from plimsoll.observe.older_flushes import OlderFlushes
from plimsoll.observe.standby_waits import StandbyWaits
from plimsoll.ports.clock import Clock
from plimsoll.requests.commits import CommitsRequest

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitCounts, CommitProbe, CommitRow, CommitUnderWay

STEP_S = 1.0
_ROLES_TOLD_MAX = 20
_BREAKS_OFF = frozenset({"probe-unread", "probe-refused"})
_STAGE = "commits"
_SESSIONS = (roles.CLIENT_BACKEND, "postgres")
"""Roles of PostgreSQL's sessions, the second where their title was not read."""


class CommitReadings(LogFlushProbe, Protocol):
    """What reads the probe."""

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        """What was added since the reading before."""
        ...

    def under_way(self) -> list[CommitUnderWay]:
        """Commits that have begun and not ended."""
        ...


@dataclass(frozen=True)
class InKernel:
    """The probe in this kernel."""

    probe: CommitProbe

    def see(self, executable: str) -> bool:
        """Raises `probe-refused`."""
        return self._is_there(commit_probe.see_log_flushes, executable)

    def see_standby_waits(self, executable: str) -> bool:
        """Raises `probe-refused`."""
        return self._is_there(commit_probe.see_standby_waits, executable)

    def leave(self) -> None:
        """Raises `probe-refused`."""
        commit_probe.leave_log_flushes(self.probe)

    def is_within_calls(self) -> bool:
        """Raises `probe-unread`."""
        return any(one["kind"] != "sync" for one in self.under_way())

    def let_go(self) -> None:
        """Raises `probe-refused`."""
        commit_probe.let_log_flushes_go(self.probe)

    def under_way(self) -> list[CommitUnderWay]:
        """Raises `probe-unread`."""
        return commit_probe.under_way(self.probe)

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        """Raises `probe-unread`."""
        return commit_probe.read(self.probe)

    def _is_there(self, see: Callable[[CommitProbe, str], None], executable: str) -> bool:
        try:
            see(self.probe, executable)
        except WorldError:
            if _has_ended(executable):
                return False
            raise
        return True


def _has_ended(executable: str) -> bool:
    """Whether the process has by which a program was named; not where nobody may look."""
    try:
        os.stat(executable)
    except PermissionError:
        return False
    except OSError:
        return True
    return False


@dataclass(frozen=True)
class Beside:
    """What the probe does not see: what was under way when it came, and what the disks say themselves."""

    flushes: OlderFlushes = field(default_factory=OlderFlushes)
    standby: StandbyWaits = field(default_factory=StandbyWaits)
    disks: FlushedDisks = field(default_factory=FlushedDisks)


def watch_commits(ctx: Context, asked: CommitsRequest) -> Run:
    """Watches, stores and returns the run; ended early, it holds what was seen until then.

    Raises what the start of the probe raises, and `probe-unread` where it never could be read.
    """
    store_is_ready = ctx.store.check()  # before anything is in the kernel
    started_at = ctx.clock.now()
    probe = commit_probe.start()
    try:
        found = watched(ctx, asked, InKernel(probe), Beside(), store_is_ready)
    finally:
        probe.stop()
    allocator.give_back()  # of the probe, before what it takes to record
    parts: dict[str, Any] = {"commits": found, "notes": found.notes, "interrupted": ctx.cancel.is_set}
    run = record(ctx, "commits", "what commits of this host wait for", started_at, **parts)
    allocator.give_back()  # of the store, before what it takes to print
    return run


@dataclass
class _Watching:
    """What was seen so far: `begin` once, `look` often, `end` once, or `broke_off` in its place."""

    probe: CommitReadings
    clock: Clock
    turns: LogFlushTurns
    tally: CommitTally
    beside: Beside
    under_way: tuple[CommitsUnderWay, ...] | None = None
    broken_off: str | None = None
    lost: int = 0
    """Commits that are in no row, since the begin."""
    lost_threads: int = 0
    """Those among them of threads that the probe does not know."""
    _before: CommitCounts | None = None
    _began_s: float = 0.0
    _read_s: float = 0.0
    """Until when rows were read."""
    _untold: int = 0
    """Commits since the look before."""

    @property
    def duration_s(self) -> float:
        """Until the last reading."""
        return self._read_s - self._began_s

    def begin(self) -> None:
        """What was seen before is left out. Raises `probe-unread`."""
        self.beside.flushes.begin()
        self.beside.disks.begin()
        _, self._before = self.probe.read()
        self._began_s = self._read_s = self.clock.monotonic_s()

    def step(self) -> None:
        """One more step begins. What came until its turn did, which takes a while, is not of the turn. Raises `probe-unread`."""
        self.turns.step()
        if self.turns.is_on:
            self._read(is_turn=False)

    def look(self) -> int:
        """How many commits of the roles that are asked for came since the look before. Raises `probe-unread`."""
        self._read(self.turns.is_on)
        told, self._untold = self._untold, 0
        return told

    def end(self) -> None:
        """The last look, and what is still under way. Raises `probe-unread`, and `probe-refused` at the end of a turn."""
        self.turns.end()
        self._read(is_turn=False)
        self.under_way = self.tally.under_way(self._still())

    def _still(self) -> list[CommitUnderWay]:
        """What has begun and not ended: as the probe has it, and what it did not see begin."""
        # Of threads that it had no room for it is not known when they began.
        least_s = 0.0 if self.lost_threads else self.duration_s
        known, older = self.beside.flushes.beside(self.probe.under_way, least_s)
        now_s = self.clock.monotonic_s()
        self.beside.standby.look(now_s)
        return [*known, *older, *self.beside.standby.beside(known, now_s)]

    def broke_off(self, reason: str) -> None:
        """It can be read no more: what was read before is kept."""
        self.turns.broke_off(self._read_s)
        self.broken_off = reason

    def _read(self, is_turn: bool) -> None:
        rows, counts = self.probe.read()
        self._read_s = self.clock.monotonic_s()
        before = self._before or counts
        self.lost_threads = counts["lost_threads"] - before["lost_threads"]
        self.lost = self.lost_threads + counts["lost_rows"] - before["lost_rows"]
        self._untold += self.tally.add(rows, is_turn)
        self.beside.disks.look(self.tally.flushed)


def watched(
    ctx: Context,
    asked: CommitsRequest,
    probe: CommitReadings,
    beside: Beside,
    store_is_ready: bool = True,
) -> CommitWaits:
    """What was seen until the time is over, somebody ends it, or the probe can no longer be read.

    Raises `probe-unread` where it never could be.
    """

    def programs() -> tuple[Program, ...]:
        beside.standby.look(ctx.clock.monotonic_s())
        return log_flushes.postgres_programs()

    seed = int(ctx.clock.now().timestamp())
    steps_max = None if asked.watched_s is None else math.ceil(asked.watched_s / STEP_S)
    turns = LogFlushTurns(probe, ctx.clock, programs, Random(seed), steps_max)
    watching = _Watching(probe, ctx.clock, turns, CommitTally(wanted=asked.roles), beside)
    get_ready("commits", store_is_ready)  # before the first turn, which it would make longer
    watching.begin()
    try:
        _look(ctx, asked, watching)
        watching.end()
    except PlimsollError as error:
        if error.id not in _BREAKS_OFF or not watching.duration_s:
            raise
        watching.broke_off(error.message)
    ctx.progress(_STAGE, "watched", finished=True)
    return _found(watching)


def _look(ctx: Context, asked: CommitsRequest, watching: _Watching) -> None:
    """Looks at each step, until the time is over or somebody ends it."""
    watching.step()
    pace = Pace(ctx, STEP_S, asked.watched_s, _STAGE)
    for _ in pace.steps():
        commits = watching.look()
        _tell(ctx, commits, asked.watched_s, pace.elapsed_s)
        if not pace.is_last:
            watching.step()


def _found(watching: _Watching) -> CommitWaits:
    turns, tally = watching.turns, watching.tally
    of_all = tally.rows(watching.duration_s, turns.seen_s)
    disks = watching.beside.disks
    disks.end()
    of_roles = tally.asked_for(of_all)
    return CommitWaits(
        duration_s=watching.duration_s,
        log_flushes_s=turns.seen_s,
        causes=tally.asked_for(causes_of(of_all, disks.of_roles(watching.duration_s))),
        rows=of_roles,
        lost_commits=watching.lost,
        under_way=watching.under_way,
        broken_off=watching.broken_off,
        notes=(
            *_notes(watching, of_roles),
            *_apart(of_roles),
            *_unnamed(tally),
            *_unmet(tally),
            *_none(watching, of_all),
        ),
    )


def _tell(ctx: Context, commits: int, watched_s: float | None, elapsed_s: float) -> None:
    left_s = None if watched_s is None else max(0.0, watched_s - elapsed_s)
    share = None if not watched_s else min(1.0, elapsed_s / watched_s)
    ctx.progress(_STAGE, f"{_commits(commits)} since the look before", share, left_s)


def _commits(number: int) -> str:
    return f"{number:,} commit{'' if number == 1 else 's'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _notes(watching: _Watching, rows: Sequence[CommitsOfRole]) -> Iterator[Note]:
    """What is missing."""
    if watching.broken_off is not None:
        message = f"it ended before its time, and what was counted after the last reading is missing: {watching.broken_off}"
        yield Note(code="watch-broken-off", message=message)
    if watching.lost:
        why = "the kernel had no room for their threads or rows"
        yield Note(
            code="commits-lost",
            message=f"{_commits(watching.lost)} at least {_are(watching.lost)} in no row: {why}",
        )
    wanted = watching.tally.wanted
    if not wanted or any(map(roles.is_postgres, wanted)):
        yield from _unseen(watching.turns, rows)


def _unseen(turns: LogFlushTurns, rows: Sequence[CommitsOfRole]) -> Iterator[Note]:
    """What is missing of PostgreSQL's commits."""
    for name in turns.gone:
        message = f"{name} ended before its calls could be watched: whose log another backend flushed is not told of it"
        yield Note(code="program-gone", message=message)
    if turns.standby_refusal is not None:
        message = (
            f"what commits of PostgreSQL wait for a standby is not seen: {turns.standby_refusal.message}"
        )
        yield Note(code="standby-unseen", message=message)
    if turns.refusals:
        message = f"commits whose log another backend flushed are not seen of {turns.refusals[0]}"
        if more := len(turns.refusals) - 1:
            message += f"; and so with {counted(more, 'other program')} called like PostgreSQL's"
        yield Note(code="followers-unseen", message=message)
    elif _is_silent(rows):
        yield Note(code="followers-unseen", message=_silent_words(turns.seen_s))


def _apart(rows: Sequence[CommitsOfRole]) -> Iterator[Note]:
    """That the seconds in which calls were watched are not like the others."""
    for one in turns_apart(rows):
        message = (
            f"write and flush of the log by {one.role} took {format_us(one.all_us)} on average over all seconds, and"
            f" {format_us(one.watched_us)} in those in which calls were watched: what calls say of who waits for them does not"
            " stand for the whole time, so that the cause is told from flushes; watch for longer"
        )
        yield Note(code="turns-apart", message=message)


def _silent_words(seen_s: float | None) -> str:
    """Why sessions of PostgreSQL flush, and no call of XLogFlush was seen."""
    if seen_s is not None:
        why = f"but none called XLogFlush in the {format_seconds(seen_s)} in which its calls were watched: watch for longer, or its"
        why += " program calls something else"
    else:
        why = f"and its calls of XLogFlush were not watched: {_unwatched_words()}"
    return (
        f"sessions of PostgreSQL flushed files, {why}; commits whose log another backend flushed are not seen"
    )


def _unwatched_words() -> str:
    """Why they were not, where a program of PostgreSQL ran that could have been found."""
    if log_flushes.are_withheld():
        return "which program its processes run is told to root and with CAP_SYS_PTRACE alone"
    seconds = log_flushes.ONE_STEP_IN * STEP_S
    return (
        f"they are for one second of {seconds:g}, and no program of PostgreSQL ran when that began: watch for longer than"
        f" {format_seconds(seconds)}"
    )


def _unnamed(tally: CommitTally) -> Iterator[Note]:
    """Sessions that are in another role than theirs."""
    if tally.untitled:
        message = (
            f"{_commits(tally.untitled)} {_are(tally.untitled)} of processes of databases that ended before their title was read,"
            " or that /proc does not show to this user (hidepid): their role is postgres or oracle, or the name of their instance"
            " ends in …"
        )
        yield Note(code="owners-gone", message=message)


def _unmet(tally: CommitTally) -> Iterator[Note]:
    """Roles that were asked for and committed nothing, with those that did."""
    seen = ", ".join(sorted(tally.seen)[:_ROLES_TOLD_MAX])
    for role in tally.wanted:
        if role not in tally.seen:
            among = f"; roles that were seen: {seen}" if seen else ""
            yield Note(code="filter-unmatched", message=f"no commit of the role {role} was seen{among}")


def _none(watching: _Watching, rows: Sequence[CommitsOfRole]) -> Iterator[Note]:
    """That none ended, of whatever role; those of one that was asked for are told by its name."""
    if not rows and not watching.tally.wanted:
        message = (
            f"no commit that waited ended in the {format_seconds(watching.duration_s)}: watch for longer, or while something"
            " commits"
        )
        yield Note(code="commits-none", message=message)


def _is_silent(rows: Sequence[CommitsOfRole]) -> bool:
    """Whether sessions of PostgreSQL flushed, and the probe of its calls never fired."""
    kinds = {row.kind for row in rows if row.role in _SESSIONS}
    return kinds == {"sync"}

"""Does one step after the other. How far it has come is asked of the server before each and after each, so that it may end at
any moment.

A table's statement gives up when it waits too long for its lock, since everybody who comes after it waits behind it, and is
tried again. An index is built beside the old one, for which nobody waits; what an ended build leaves behind is dropped if it
is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from plimsoll.base.errors import Interrupted, PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.databases import Session
from plimsoll.placement.moves import catalogue
from plimsoll.placement.moves.catalogue import Invalid
from plimsoll.placement.moves.journal import Built, Journal
from plimsoll.placement.moves.room import Room, check_lags
from plimsoll.placement.moves.steps import Step, Temp, steps_of
from plimsoll.placement.scripts.moves import Move
from plimsoll.placement.scripts.names import quoted

LOCK_TRIES = 5
"""How often a lock is asked for; between two tries as long as one lasted passes, so that those behind it get their turn."""
_LOOK_S = 0.02
"""How often a statement that runs is looked after: a build must be written down soon after it has begun."""
_TURN_KEY = 0x706C6D73
"""Of the advisory lock that one command at a time holds in a database."""
_TURN_S_MAX = 30.0
"""What a server takes at most to notice that an earlier command was killed."""
_RESUME = "What was moved stays, and what was being moved is where it was. Run the command again to continue."


@dataclass(frozen=True)
class Allowed:
    """What the moves may do to others."""

    lock_s: float
    lag_bytes: int


class Mover:
    """Moves objects with one session, and looks with another one."""

    def __init__(self, ctx: Context, work: Session, look: Session, room: Room, allowed: Allowed) -> None:
        self._ctx = ctx
        self._work = work
        self._look = look
        self._room = room
        self._allowed = allowed
        self.here = catalogue.here(look)
        self._journal = Journal(self.here)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The one command at a time; one that was killed a moment ago is waited for. Raises WorldError `moves-under-way`."""
        deadline_s = self._ctx.clock.monotonic_s() + _TURN_S_MAX
        self._run_here("set client_connection_check_interval = '1s'")
        while not self._work.run(
            "select pg_try_advisory_lock(%s, %s)", [_TURN_KEY, self.here.oid % (1 << 31)]
        )[0][0]:
            self._ctx.cancel.check()
            if self._ctx.clock.monotonic_s() > deadline_s:
                message = f"could not begin: another command moves objects of the database {self.here.name}"
                raise WorldError(
                    "moves-under-way",
                    message,
                    "Wait until it ends; its session holds an advisory lock in pg_locks.",
                )
            self._ctx.clock.sleep(0.2)
        yield

    def _run_here(self, sql: str) -> None:
        """A setting that not every server has."""
        with suppress(WorldError):
            self._work.run(sql)

    def steps(self, moves: Iterable[Move]) -> tuple[Step, ...]:
        """The moves as the server sees them now."""
        moves = tuple(moves)
        found = catalogue.relations(self._look, [move.object for move in moves])
        temp = Temp(self.here.name, self.here.default_space, catalogue.temp_setting(self._look))
        return steps_of(moves, found, catalogue.locations(self._look), temp)

    def left_over(self, steps: Iterable[Step], *, ours: bool) -> list[Invalid]:
        """Invalid indexes on the tables of these steps: what ended builds of ours left, or all others."""
        tables = [
            step.relation.table_oid for step in steps if step.relation is not None and step.builds_index
        ]
        found = catalogue.invalid_indexes(self._look, tables)
        moved = {step.relation.oid for step in steps if step.relation is not None}
        return [one for one in found if one.oid not in moved and self._journal.is_ours(one) == ours]

    def clear(self, steps: Iterable[Step]) -> list[Invalid]:
        """Drops what ended builds of ours left; gives those that could not be dropped, as others hold locks on them."""
        return [one for one in self.left_over(steps, ours=True) if not self._dropped(one)]

    def _dropped(self, left: Invalid) -> bool:
        """Also when the command is to end: it is soon done, or gives up where others hold it."""
        self._ctx.remark("move", f"dropping {left.full_name}, left by an interrupted rebuild of this command")
        self._limit_waits(self._allowed.lock_s)
        try:
            self._work.run(f"DROP INDEX CONCURRENTLY {quoted(left.schema, left.name)}")
        except WorldError as error:
            if error.id != "database-locked":
                raise
            return False
        return True

    def _limit_waits(self, seconds: float) -> None:
        """For locks; 0 waits for ever."""
        self._work.run(f"set lock_timeout = {round(seconds * 1000)}")

    def carry_out(self, move: Move) -> Step:
        """One move, if it is still to be done; returns it as it then is.

        Raises WorldError `moves-no-room`, `moves-standby-behind`, `moves-locked`, `moves-full`, `moves-not-there`, and what a
        session raises; SafetyError `moves-room-unknown`; Interrupted.
        """
        (step,) = self.steps([move])
        if step.state != "to do":
            return step
        self._ctx.cancel.check()
        self._check_room(step)
        self._ctx.remark("move", f"{move.object}: {move.source} to {move.target}")
        try:
            self._perform(step)
        finally:
            with suppress(PlimsollError):
                self.clear([step])
        (after,) = self.steps([move])
        check_done(after)
        return after

    def _check_room(self, step: Step) -> None:
        if step.relation is not None:
            self._room.check(step.move.target, step.needed_bytes)
        check_lags(catalogue.lags(self._look), self._allowed.lag_bytes)

    def _perform(self, step: Step) -> None:
        assert step.statement is not None, "a step to do has a statement"
        try:
            if step.builds_index:
                self._build(step, step.statement.sql)
            else:
                self._when_unlocked(step, step.statement.sql)
        except WorldError as error:
            raise self._in_our_words(step, error) from error

    def _build(self, step: Step, sql: str) -> None:
        """An index beside the old one. It waits for nobody whom others wait for, so that no time is set."""
        index = step.relation
        assert index is not None, "an index has a relation"
        self._journal.note(Built(index.table_oid, index.oid))
        self._limit_waits(0)

        def look() -> None:
            for made in catalogue.built_by(self._look, self._work.server_process, index):
                self._journal.note(Built(index.table_oid, index.oid, made))

        self._run(sql, look)

    def _when_unlocked(self, step: Step, sql: str) -> None:
        self._limit_waits(self._allowed.lock_s)
        for number in range(1, LOCK_TRIES):
            if self._got_its_lock(sql):
                return
            name = step.move.object
            self._ctx.remark("move", f"{name} is locked by others; trying again ({number} of {LOCK_TRIES})")
            if self._ctx.cancel.wait(self._allowed.lock_s):
                raise Interrupted(hint=_RESUME)
        self._run(sql)

    def _got_its_lock(self, sql: str) -> bool:
        try:
            self._run(sql)
        except WorldError as error:
            if error.id != "database-locked":
                raise
            return False
        return True

    def _run(self, sql: str, look: Callable[[], None] = lambda: None) -> None:
        """A statement, looked after while it runs; ended when somebody asks for it."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self._work.run, sql)
            try:
                while not wait([running], _LOOK_S).done:
                    look()
                    if self._ctx.cancel.is_set:
                        self._work.cancel()
            except BaseException:
                self._end(running)
                raise
        running.result()

    def _end(self, running: Future[list[tuple[object, ...]]]) -> None:
        """What could not be looked after is ended."""
        while not wait([running], _LOOK_S).done:
            self._work.cancel()

    def _in_our_words(self, step: Step, error: WorldError) -> PlimsollError:
        name, target = step.move.object, step.move.target
        if self._ctx.cancel.is_set:
            return Interrupted(f"interrupted while {name} was moved to {target}", _RESUME)
        if error.id == "database-locked":
            tries = f"{LOCK_TRIES} tries of {self._allowed.lock_s:g} s"
            message = f"could not move {name}: other sessions held locks on it through {tries}"
            return WorldError(
                "moves-locked",
                message,
                f"{_RESUME} --lock-wait waits longer, and blocks other sessions for longer.",
            )
        if error.id == "database-full":
            message = f"could not move {name}: {error.message.partition(': ')[2] or error.message}"
            hint = f"The copy was rolled back, and nothing is lost. Make room in {target}. {_RESUME}"
            return WorldError("moves-full", message, hint)
        return error


def check_done(step: Step) -> None:
    """That the catalogue says so. Raises WorldError `moves-not-there`."""
    if step.state != "done":
        raise WorldError(
            "moves-not-there",
            f"{step.move.object} is not in {step.move.target} after it was "
            f"moved there: {step.reason or 'the catalog has it where it was'}",
            "Somebody else may be moving it. Look at the catalog (\\d in psql), then repeat the command.",
        )

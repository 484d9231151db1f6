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
from dataclasses import dataclass, replace
from typing import TypeVar

from plimsoll.base.errors import Interrupted, PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.databases import Session
from plimsoll.placement.moves import catalogue
from plimsoll.placement.moves.catalogue import Invalid, Relation
from plimsoll.placement.moves.journal import Built, Journal
from plimsoll.placement.moves.probe import Probes
from plimsoll.placement.moves.room import Room, check_lags
from plimsoll.placement.moves.steps import Step, Temp, listed, steps_of
from plimsoll.placement.scripts.moves import Move
from plimsoll.placement.scripts.names import quoted

_Given = TypeVar("_Given")
LOCK_TRIES = 5
"""How often a lock is asked for; between two tries as long as one lasted passes, so that those behind it get their turn."""
_LOOK_S = 0.02
"""How often a statement that runs is looked after: a build must be written down soon after it has begun."""
_TURN_KEY = 0x706C6D73
"""Of the advisory lock that one command at a time holds in a database."""
_TURN_S_MAX = 30.0
"""What a server takes at most to notice that an earlier command was killed."""
_SEEN_S_MAX = 5.0
"""A look waits for a lock no longer than that in one go: meanwhile nobody can end the command."""
_RESUME = "What was moved stays, and what was being moved is where it was. Run the command again to continue."

_REPLACED = (
    "it is another object than the one that was confirmed under this name: run the command again to see it"
)


@dataclass(frozen=True)
class Allowed:
    """What the moves may do to others."""

    lock_s: float
    lag_bytes: int
    is_back: bool = False
    """Whether they take back what was moved before."""


class Mover:
    """Moves objects with one session, and looks with another one."""

    def __init__(
        self, ctx: Context, work: Session, look: Session, room: Room, allowed: Allowed, probes: Probes
    ) -> None:
        self._ctx = ctx
        self._work = work
        self._look = look
        self._room = room
        self._allowed = allowed
        self.probes = probes
        self.here = catalogue.here(look)
        self._journal = Journal(self.here)
        self._agreed: dict[Move, int | None] | None = None

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
        """The moves as the server sees them now. Raises WorldError `moves-locked`, Interrupted."""
        moves = tuple(moves)
        found = self._relations([move.object for move in moves])
        steps = steps_of(moves, found, catalogue.locations(self._look), self._temp())
        return tuple(
            step if self._is_agreed(step) else replace(step, state="left", reason=_REPLACED) for step in steps
        )

    def _temp(self) -> Temp:
        found = Temp(self.here.name, self.here.default_space, catalogue.temp_setting(self._look))
        return replace(found, is_kept=self._allowed.is_back and not self._journal.has_set_temp(found.space))

    def _relations(self, names: list[str]) -> list[Relation]:
        """Their sizes are not told while another session holds one of them to itself, and nobody waits for that without end."""
        limit_waits(self._look, min(self._allowed.lock_s, _SEEN_S_MAX))
        try:
            return self._when_unlocked(
                "an object of the plan", lambda: catalogue.relations(self._look, names)
            )
        except WorldError as error:
            if error.id != "database-locked":
                raise
            held = ", ".join(catalogue.held(self._look, names)) or "an object of the plan"
            raise WorldError(
                "moves-locked",
                f"could not look at {held}: another session holds an ACCESS EXCLUSIVE lock",
                f"Look in pg_locks whose it is, and wait until it ends. {_RESUME}",
            ) from error

    def agree(self, steps: Iterable[Step]) -> None:
        """These were confirmed: from now on what has got the name of one of their objects since then is left alone."""
        self._agreed = {step.move: _object_to_move(step) for step in steps}

    def _is_agreed(self, step: Step) -> bool:
        if self._agreed is None or step.state != "to do" or step.relation is None:
            return True
        return self._agreed.get(step.move) == step.relation.oid

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
        limit_waits(self._work, self._allowed.lock_s)
        try:
            self._work.run(f"DROP INDEX CONCURRENTLY {quoted(left.schema, left.name)}")
        except WorldError as error:
            if error.id != "database-locked":
                raise
            return False
        return True

    def carry_out(self, move: Move) -> Step:
        """One move, if it is still to be done; returns it as it then is.

        Raises WorldError `moves-no-room`, `moves-standby-behind`, `moves-locked`, `moves-full`, `moves-not-there`,
        `moves-tier-slow`, and what a session raises; SafetyError `moves-room-unknown`; Interrupted.
        """
        (step,) = self.steps([move])
        if step.state != "to do":
            return step
        self._ctx.cancel.check()
        self._check_room(step)
        self._ctx.remark("move", f"{move.object}: {move.source} to {move.target}")
        try:
            was_moved = self._perform(step)
        finally:
            with suppress(PlimsollError):
                self.clear([step])
        (after,) = self.steps([move])
        if was_moved:
            check_done(after)
            if after.relation is not None:
                self.probes.look(self._work, move.object, after.relation)
        return after

    def _check_room(self, step: Step) -> None:
        if step.relation is not None:
            self._room.check(step.move.target, step.needed_bytes)
            logged = step.log_bytes(is_minimal=catalogue.log(self._look).is_minimal)
            self._room.check_log(step.move.target, step.needed_bytes, logged)
        check_lags(catalogue.lags(self._look), self._allowed.lag_bytes)

    def _perform(self, step: Step) -> bool:
        """False where another object has got its name meanwhile, which was not moved."""
        made = step.statement
        assert made is not None, "a step to do has a statement"
        try:
            if step.builds_index:
                self._build(step, made.sql)
                return True
            limit_waits(self._work, self._allowed.lock_s)
            if step.move.kind == "temp":
                return self._set_temp(step, made.sql)
            return self._when_unlocked(step.move.object, lambda: self._moved_whole(step, made.sql))
        except WorldError as error:
            raise self._in_our_words(step, error) from error

    def _set_temp(self, step: Step, sql: str) -> bool:
        """What we set is written down before it is, and forgotten once it is taken back: a kill between leaves it known."""
        space = listed(step.move.target, self._temp())
        if not self._allowed.is_back:
            self._journal.note_temp(space)
        self._when_unlocked(step.move.object, lambda: self._run(sql))
        self._journal.note_temp(space)
        return True

    def _moved_whole(self, step: Step, sql: str) -> bool:
        """In one transaction with a look at what was moved: names change hands while a statement waits for its lock."""
        self._work.run("begin")
        try:
            self._run(sql)
            is_same = step.relation is None or step.relation.oid == catalogue.oid_of(
                self._work, step.relation
            )
            self._work.run("commit" if is_same else "rollback")
        except BaseException:
            with suppress(PlimsollError):
                self._work.run("rollback")
            raise
        return is_same

    def _build(self, step: Step, sql: str) -> None:
        """An index beside the old one. It waits for nobody whom others wait for, so that no time is set."""
        index = step.relation
        assert index is not None, "an index has a relation"
        self._journal.note(Built(index.table_oid, index.oid))
        limit_waits(self._work, 0)

        def look() -> None:
            for made in catalogue.built_by(self._look, self._work.server_process, index):
                self._journal.note(Built(index.table_oid, index.oid, made))

        self._run(sql, look)

    def _when_unlocked(self, name: str, act: Callable[[], _Given]) -> _Given:
        """Tried again while others hold locks, and the last time they are the act's error."""
        for number in range(1, LOCK_TRIES):
            try:
                return act()
            except WorldError as error:
                if error.id != "database-locked":
                    raise
            self._ctx.remark("move", f"{name} is locked by others; trying again ({number} of {LOCK_TRIES})")
            if self._ctx.cancel.wait(self._allowed.lock_s):
                raise Interrupted(hint=_RESUME)
        return act()

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


def limit_waits(session: Session, seconds: float) -> None:
    """For locks; 0 waits for ever."""
    session.run(f"set lock_timeout = {round(seconds * 1000)}")


def _object_to_move(step: Step) -> int | None:
    return step.relation.oid if step.state == "to do" and step.relation is not None else None


def check_done(step: Step) -> None:
    """That the catalogue says so. Raises WorldError `moves-not-there`."""
    if step.state != "done":
        raise WorldError(
            "moves-not-there",
            f"{step.move.object} is not in {step.move.target} after it was "
            f"moved there: {step.reason or 'the catalog has it where it was'}",
            "Somebody else may be moving it. Look at the catalog (\\d in psql), then repeat the command.",
        )

"""`plimsoll place apply`: carries out a plan on a PostgreSQL, or takes it back, once somebody has confirmed it by the
database's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from plimsoll.base import settings
from plimsoll.base.errors import ExitStatus, Interrupted, SafetyError, UsageError
from plimsoll.base.printable import printable
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, Session, open_database
from plimsoll.demand.local import is_here
from plimsoll.facts import Note, Placement
from plimsoll.flows.place_plan import moves_in, plan_of, spaces_in
from plimsoll.placement.moves import catalogue
from plimsoll.placement.moves.carry_out import Allowed, Mover
from plimsoll.placement.moves.catalogue import Here, Invalid
from plimsoll.placement.moves.probe import Probes, planned_us
from plimsoll.placement.moves.room import Room, stated_of, unknown_lags
from plimsoll.placement.moves.steps import Step
from plimsoll.placement.scripts.moves import Move
from plimsoll.requests.place_apply import PlaceApplyRequest

_SESSION = "plimsoll place apply"


@dataclass(frozen=True)
class Applied:
    """What was to be moved, and where everything is now."""

    database: str
    location: str
    steps: tuple[Step, ...]
    confirmed: bool
    interrupted: bool = False
    to_confirm: str = ""
    """What begins it."""
    notes: tuple[Note, ...] = ()

    @property
    def status(self) -> ExitStatus:
        """0 where everything is in its place, or nothing was confirmed; 5 where something could not be moved."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        return (
            ExitStatus.DONE_IN_PART if any(step.state == "left" for step in self.steps) else ExitStatus.DONE
        )

    def data(self) -> dict[str, object]:
        """As JSON says it."""
        return {
            "database": self.database,
            "location": self.location,
            "confirmed": self.confirmed,
            "interrupted": self.interrupted,
            "steps": [_data_of(step) for step in self.steps],
        }


def _data_of(step: Step) -> dict[str, object]:
    made = step.statement
    return {
        "object": step.move.object,
        "kind": step.move.kind,
        "from": step.move.source,
        "to": step.move.target,
        "state": step.state,
        "reason": step.reason or None,
        "bytes": None if step.relation is None else step.relation.size_bytes,
        "statement": None if made is None else made.sql,
        "lock": None if made is None else made.lock,
        "log": None if made is None else made.log,
    }


def apply_plan(ctx: Context, asked: PlaceApplyRequest, ask_password: AskPassword | None = None) -> Applied:
    """Moves what the plan moves; an interrupted one says how far it came. Raises what `Mover` raises; SafetyError
    `moves-declined`.
    """
    plan = plan_of(ctx, asked.plan)
    moves = moves_in(plan, asked.tablespaces, reverse=asked.reverse)
    stated = stated_of(asked.free_bytes)
    with (
        open_database(ctx, _location(asked), ask_password) as connection,
        _sessions(connection) as (work, look),
    ):
        room = Room(look, is_here(connection), stated)
        allowed = Allowed(asked.lock_s, asked.lag_bytes, asked.reverse)
        mover = Mover(ctx, work, look, room, allowed, _probes(plan, asked))
        _check_primary(mover)
        with mover.turn():
            word = _to_confirm(plan, mover.here)
            return _applied(ctx, asked, connection, mover, moves, word, unknown_lags(catalogue.lags(look)))


def _probes(plan: Placement, asked: PlaceApplyRequest) -> Probes:
    """What goes back goes back whatever reads take there."""
    planned = {} if asked.reverse else planned_us(plan.tiers, spaces_in(plan, asked.tablespaces))
    return Probes(planned, asked.slower_times)


@dataclass(frozen=True)
class _Word:
    """What begins the moves: the name of the database; where the plan is of another one, its number beside it."""

    text: str
    is_of_other: bool


def _to_confirm(plan: Placement, here: Here) -> _Word:
    is_of_other = plan.database_id not in (None, here.id)
    return _Word(f"{here.name}@{here.id}" if is_of_other else here.name, is_of_other)


def _location(asked: PlaceApplyRequest) -> str:
    location = asked.database or settings.read(settings.DATABASE)
    if not location:
        raise UsageError(
            "database-missing", "no database was named", "Name one with --database, or set PLIMSOLL_DATABASE."
        )
    return location


@contextmanager
def _sessions(connection: Connection) -> Iterator[tuple[Session, Session]]:
    """One that moves, and one that looks meanwhile. Raises UsageError `moves-unsupported`."""
    if connection.dialect != "postgres":
        message = f"cannot move objects of {connection.database.kind}: a script is all there is for it"
        raise UsageError(
            "moves-unsupported", message, "Write one: plimsoll place script PLAN --dialect oracle."
        )
    with ExitStack() as stack:
        made = [connection.session(_SESSION) for _ in range(2)]
        for one in made:
            stack.callback(one.close)
        yield made[0], made[1]


def _check_primary(mover: Mover) -> None:
    if mover.here.is_standby:
        hint = "Name its primary: what moves there moves here by the log, where the tablespace's directory is there."
        raise UsageError(
            "moves-on-standby", f"cannot move objects of {mover.here.name}: the server is a standby", hint
        )


def _applied(
    ctx: Context,
    asked: PlaceApplyRequest,
    connection: Connection,
    mover: Mover,
    moves: Sequence[Move],
    word: _Word,
    unseen: list[str],
) -> Applied:
    name, where = mover.here.name, connection.database.location
    steps = mover.steps(moves)
    to_do = [step for step in steps if step.state == "to do"]
    left = mover.left_over(steps, ours=True)
    if (to_do or left) and not _confirmed(
        ctx, asked, word, where, [*told_steps(steps), *map(_told_left, left)]
    ):
        return Applied(
            name, where, steps, confirmed=False, to_confirm=word.text, notes=tuple(_other_database(word))
        )
    mover.agree(steps)
    interrupted = False
    try:
        mover.clear(steps)
        for step in to_do:
            mover.carry_out(step.move)
    except Interrupted:
        interrupted = True
    steps = mover.steps(moves)
    notes = (*_other_database(word), *_notes(mover, steps, unseen), *_tier_notes(mover.probes, to_do))
    return Applied(name, where, steps, True, interrupted, word.text, notes)


def _other_database(word: _Word) -> Iterator[Note]:
    if word.is_of_other:
        message = f"the plan is of another database or server than {word.text}: objects of the same names may be others"
        yield Note(code="plan-of-another-database", message=message)


def _tier_notes(probes: Probes, tried: Sequence[Step]) -> Iterator[Note]:
    """Whether the tiers are as fast as the plan has them, as far as that was seen."""
    for found in probes.seen.values():
        yield Note(code="tier-read", message=f"{found.words}; what a cache answered is among them")
    targets = dict.fromkeys(step.move.target for step in tried if step.relation is not None)
    for space in targets:
        if space in probes.planned_us and space not in probes.seen:
            message = (
                f"whether {space} is as fast as the plan has it was not seen: no table moved there of which enough blocks could be"
                " read past the server's cache"
            )
            yield Note(code="tier-unread", message=message)


def _told_left(one: Invalid) -> str:
    return f"   -  {one.full_name}: dropped, left by an interrupted rebuild of this command"


def _notes(mover: Mover, steps: Sequence[Step], unseen: list[str]) -> Iterator[Note]:
    for one in mover.left_over(steps, ours=True):
        message = (
            f"the index {one.full_name} was left by a build that ended, "
            "and others hold locks on it: repeat the command to drop it"
        )
        yield Note(code="index-left", message=message)
    for one in mover.left_over(steps, ours=False):
        message = (
            f"the index {one.full_name} is not valid, and is not known "
            "as ours: it was left alone. Drop or reindex it yourself"
        )
        yield Note(code="index-invalid", message=message)
    for who in unseen:
        yield Note(
            code="lag-unknown",
            message=f"how far {who} is behind is not known to this user; grant pg_monitor to see it",
        )


def _confirmed(ctx: Context, asked: PlaceApplyRequest, word: _Word, where: str, told: Sequence[str]) -> bool:
    """Whether the name of the database was given, or typed. Raises SafetyError `moves-declined`."""
    if asked.confirm is not None:
        return _is_meant(asked.confirm, word, where)
    # Names are whatever somebody made them: a terminal must not act on them.
    lines = "\n".join(map(printable, told))
    answer = ctx.ask(f"At {where}:\n{lines}\nType {word.text}, {_named(word)}, to begin: ")
    return answer is not None and _is_meant(answer, word, where)


def _named(word: _Word) -> str:
    name = "the name of the database"
    return (
        f"{name} and its number, as the plan is of another database or server" if word.is_of_other else name
    )


def _is_meant(given: str, word: _Word, where: str) -> bool:
    if given != word.text:
        beside = "; the plan is of another database or server" if word.is_of_other else ""
        raise SafetyError(
            "moves-declined",
            f"nothing was moved: '{given}' is not {word.text}, the database at {where}{beside}",
            f"Make sure that you mean this database, then confirm it by its name: --confirm {word.text}.",
        )
    return True


def told_steps(steps: Sequence[Step]) -> Iterator[str]:
    """What is done, what is to do with its lock and log, and what is left with the reason."""
    for number, step in enumerate(steps, 1):
        move = step.move
        size = format_bytes(step.needed_bytes) if step.relation is not None else move.kind
        yield f"{number:3}. {move.object} ({size}): {move.source} to {move.target}: {step.state}"
        if step.statement is not None:
            yield f"     {step.statement.sql}"
            yield f"     lock: {step.statement.lock}"
            yield f"     WAL: {step.statement.log}"
        if step.reason:
            yield f"     {step.reason}"

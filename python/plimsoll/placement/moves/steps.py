"""A plan held against the catalogue: what is done, what is to do, and what cannot be done here, with the reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from plimsoll.base.units import format_bytes
from plimsoll.placement.moves.catalogue import Relation
from plimsoll.placement.scripts.moves import Move
from plimsoll.placement.scripts.names import parts
from plimsoll.placement.scripts.postgres import Statement, statement, temp_statement, why_left

_SIZE_TIMES_MAX = 2.0
"""An object that is so many times as large as planned, or as small, may not be the one that was planned."""
_SIZE_CHANGE_MIN = 16 << 20
"""Small ones may double within an hour."""
State = Literal["done", "to do", "left"]


@dataclass(frozen=True)
class Step:
    """One move, and how far it has come.

    A step that is left has a reason; one to do has its statement, and a reason to look twice where its object is not as planned.
    """

    move: Move
    state: State
    reason: str = ""
    statement: Statement | None = None
    relation: Relation | None = None

    @property
    def builds_index(self) -> bool:
        """Whether an index is built beside the old one, which can leave one behind."""
        return self.relation is not None and self.relation.storage == "index"

    @property
    def needed_bytes(self) -> int:
        """What the copy takes up, by the server's own size of today."""
        return 0 if self.relation is None else self.relation.size_bytes or 0

    def log_bytes(self, *, is_minimal: bool) -> int:
        """What the copy writes into WAL. `is_minimal` is wal_level: whole relations are then copied without it, but no index that
        is built concurrently, in more than one transaction.
        """
        if self.relation is None or self.relation.persistence == "u":
            return 0
        return 0 if is_minimal and not self.builds_index else self.needed_bytes


@dataclass(frozen=True)
class Temp:
    """The database, its default tablespace, and where new sessions put temporary files."""

    database: str
    default_space: str
    setting: str
    is_kept: bool = False
    """Whether moves are taken back, and that setting is not known to be of ours."""

    @property
    def space(self) -> str:
        """The one tablespace of the setting; the setting itself where it names several."""
        named = parts(self.setting) if "," not in self.setting else None
        return named[0] if named is not None and len(named) == 1 else self.setting


def steps_of(
    moves: Iterable[Move], found: Sequence[Relation], spaces: Iterable[str], temp: Temp
) -> tuple[Step, ...]:
    """Each move as a step; that of a table is that of its TOAST table as well. `spaces` are the server's tablespaces."""
    known, moves = set(spaces), tuple(moves)
    tables = {move.object for move in moves}
    return tuple(
        _step(move, found, known, temp, _planned_bytes(move, moves))
        for move in moves
        if move.kind != "toast" or move.parent not in tables
    )


def _planned_bytes(move: Move, moves: Iterable[Move]) -> int | None:
    """What the plan knows of its size, with its TOAST table; None where a part is not known."""
    sizes = [move.size_bytes]
    sizes += [one.size_bytes for one in moves if one.kind == "toast" and one.parent == move.object]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _step(
    move: Move, found: Sequence[Relation], spaces: set[str], temp: Temp, planned_bytes: int | None
) -> Step:
    if move.kind == "temp":
        return _temp_step(move, spaces, temp)
    if move.kind in ("wal", "redo", "undo", "lob"):
        return Step(move, "left", why_left(move) or "")
    mine = [
        one
        for one in found
        if f"{one.schema}.{one.name}" == move.object or (one.schema, one.name) == parts(move.object)
    ]
    if len(mine) != 1:
        names = " and ".join(f'"{one.schema}"."{one.name}"' for one in mine)
        reason = (
            f"its name means {names}"
            if mine
            else f"there is no object of this name in the database {temp.database}"
        )
        return Step(move, "left", reason)
    return _relation_step(move, mine[0], spaces, planned_bytes)


def _relation_step(move: Move, one: Relation, spaces: set[str], planned_bytes: int | None) -> Step:
    if one.why_fixed is not None:
        return Step(move, "left", one.why_fixed, relation=one)
    if one.space == move.target and one.is_valid:
        return Step(move, "done", relation=one)
    if one.space not in (move.source, move.target):
        reason = f"it lies in {one.space}, not in {move.source} as when it was planned"
        return Step(move, "left", reason, relation=one)
    if move.target not in spaces:
        return Step(move, "left", _no_space(move.target), relation=one)
    storage = one.storage
    assert storage is not None, "what cannot be moved was told before"
    made = statement(storage, one.schema, one.name, move.target, one.size_bytes)
    return Step(move, "to do", _not_as_planned(planned_bytes, one.size_bytes), made, one)


def _not_as_planned(then: int | None, now: int | None) -> str:
    """That it is of another size by far: the plan is old, of another database, or of another object that had the name."""
    if then is None or now is None or abs(now - then) < _SIZE_CHANGE_MIN:
        return ""
    if 1 / _SIZE_TIMES_MAX <= now / max(then, 1) <= _SIZE_TIMES_MAX:
        return ""
    return (
        f"it has {format_bytes(now)} today, and {format_bytes(then)} in the plan: see that the plan is of this "
        f"database and this object, or plan again"
    )


def _no_space(space: str) -> str:
    return (
        f"there is no tablespace {space}: make it with CREATE TABLESPACE, "
        "its directory on standbys first, or name another with --tablespace"
    )


def _temp_step(move: Move, spaces: set[str], temp: Temp) -> Step:
    target, source = (listed(space, temp) for space in (move.target, move.source))
    now = temp.space
    if now == target:
        return Step(move, "done")
    if now != source:
        wanted = source or "left unset"
        reason = f"temp_tablespaces of the database is {temp.setting or 'not set'}, where the plan expects it {wanted}"
        return Step(move, "left", reason)
    if target and target not in spaces:
        return Step(move, "left", _no_space(target))
    if temp.is_kept:
        reason = (
            f"temp_tablespaces of the database is {temp.setting}, and this command is not known to have set it: it may have been so"
            f" before. Take it back yourself: {temp_statement(temp.database, target)}"
        )
        return Step(move, "left", reason)
    made = Statement(
        temp_statement(temp.database, target),
        "none: new sessions heed it, open ones do not",
        "next to nothing",
    )
    return Step(move, "to do", statement=made)


def listed(space: str, temp: Temp) -> str:
    """The database's default tablespace is what is used where nothing is set."""
    return "" if space == temp.default_space else space

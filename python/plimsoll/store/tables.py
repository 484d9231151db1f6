"""The tables of the store, derived from the fact classes: nothing about a fact is typed a second time.

A fact that has a table is one row of it. Its plain fields are columns; a single fact inside it that has no table of its own
lies flat in the same row (`latency_us.p99` is the column `latency_us_p99`); facts that have a table are rows there, which name
the run, the row they belong to and the field they fill. No SQLAlchemy here: saving a run must cost next to no start-up time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from plimsoll.facts import (
    Cell,
    Demand,
    Fact,
    IoClass,
    Line,
    Prediction,
    Proof,
    RelationCounters,
    Report,
    Run,
    RunSummary,
    Sweep,
    Target,
    Verdict,
)

PARTS: tuple[type[Fact], ...] = (
    Run,
    Target,
    Cell,
    Line,
    Demand,
    Verdict,
    Report,
    Proof,
    Prediction,
    Sweep,
)
"""Facts that have a table though they stand alone in their field. Facts held in tuples and dictionaries always have one."""

PLURALS: dict[type[Fact], str] = {IoClass: "io_classes", RelationCounters: "relation_counters"}
"""Table names that are not the class's own name with an s."""

Kind = Literal["text", "integer", "real", "boolean", "instant", "binary", "json"]
Path = tuple[str | int, ...]

_KINDS: dict[Any, Kind] = {
    str: "text",
    int: "integer",
    float: "real",
    bool: "boolean",
    datetime: "instant",
    bytes: "binary",
}
_WORDS_OF_SQL = frozenset({"end"})
"""Names of fields that PostgreSQL or SQLite would not take as a column without quotes."""
_PAIR_SUFFIXES = ("_lo", "_hi")


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `path` leads from the fact to the value; `required` is NOT NULL; `accepts_none`: None is a value of the field.

    A field with a default is not required, so that it can be added to a table that has rows; these then load with the default.
    """

    name: str
    kind: Kind
    path: Path = ()
    required: bool = True
    accepts_none: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """A field whose facts are rows of another table: one of them, many in order, or named ones of a dictionary."""

    path: Path
    fact: type[Fact]
    holds: Literal["one", "many", "named"]

    @property
    def field(self) -> str:
        """The value of the column `field` in those rows."""
        return ".".join(str(step) for step in self.path)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one fact class.

    `links` come before `columns` in the table, `summary` after them (runs only: what `store list` shows). `optionals` are the
    facts lying flat in the row that may be None, each with the index of the column that is NULL exactly then, innermost first.
    `pairs` are the paths of two-part values such as a confidence interval.
    """

    name: str
    fact: type[Fact]
    links: tuple[Column, ...]
    columns: tuple[Column, ...]
    summary: tuple[Column, ...]
    branches: tuple[Branch, ...]
    optionals: tuple[tuple[Path, int], ...]
    pairs: tuple[Path, ...]

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """In the order of the database."""
        return self.links + self.columns + self.summary


@cache
def tables() -> tuple[Table, ...]:
    """Every table, `runs` first."""
    return tuple(table_of(fact) for fact in facts_with_table())


@cache
def facts_with_table() -> tuple[type[Fact], ...]:
    """The parts of a run and every fact that is held in a tuple or dictionary, in the order in which they are met."""
    found: dict[type[Fact], None] = dict.fromkeys(PARTS)
    seen: set[type[Fact]] = set()
    waiting: list[type[Fact]] = [Run]
    while waiting:
        fact = waiting.pop(0)
        if fact not in seen:
            seen.add(fact)
            for field in fact.model_fields.values():
                annotation, _ = _without_none(field.annotation)
                held = _held_in(annotation)
                found |= {} if held is None else {held: None}
                waiting += [held] if held else [annotation] if _is_fact(annotation) else []
    return tuple(found)


def _held_in(annotation: Any) -> type[Fact] | None:
    """The fact of `tuple[fact, ...]` or `dict[name, fact]`."""
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    held = arguments[0] if origin is tuple else arguments[1] if origin is dict else None
    return held if _is_fact(held) else None


def table_name(fact: type[Fact]) -> str:
    """`ClassResult` is kept in `class_results`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", fact.__name__).lower()
    return PLURALS.get(fact, f"{words}s")


@cache
def table_of(fact: type[Fact]) -> Table:
    """The table of a class that has one."""
    parts = list(_parts(fact, (), optional=False))
    columns = tuple(part for part in parts if isinstance(part, Column))
    optionals = [part for part in parts if isinstance(part, _Optional)]
    return Table(
        name=table_name(fact),
        fact=fact,
        links=() if fact is Run else _links(fact),
        columns=columns,
        summary=_summary_columns() if fact is Run else (),
        branches=tuple(part for part in parts if isinstance(part, Branch)),
        optionals=tuple((part.path, _marker(part, columns)) for part in reversed(optionals)),
        pairs=tuple(part.path for part in parts if isinstance(part, _Pair)),
    )


@dataclass(frozen=True, slots=True)
class _Optional:
    path: Path
    fact: type[Fact]


@dataclass(frozen=True, slots=True)
class _Pair:
    path: Path


_Part = Column | Branch | _Optional | _Pair


def _parts(fact: type[Fact], path: Path, optional: bool) -> Iterator[_Part]:
    """What the fields of a class become; `optional` when the fact itself may be missing from its row."""
    for name, field in fact.model_fields.items():
        annotation, accepts_none = _without_none(field.annotation)
        here = (*path, name)
        required = field.is_required() and not accepts_none and not optional
        if not _is_fact(annotation):
            yield from _field_parts(annotation, here, required, accepts_none)
        elif annotation in facts_with_table():
            yield Branch(here, annotation, "one")
        else:
            if accepts_none:
                yield _Optional(here, annotation)
            yield from _parts(annotation, here, optional or accepts_none)


def _field_parts(annotation: Any, path: Path, required: bool, accepts_none: bool) -> Iterator[_Part]:
    held = _held_in(annotation)
    if held is not None:
        yield Branch(path, held, "named" if get_origin(annotation) is dict else "many")
    elif get_args(annotation) == (float, float):
        yield _Pair(path)
        for index, suffix in enumerate(_PAIR_SUFFIXES):
            yield Column(_flat(path) + suffix, "real", (*path, index), required, accepts_none)
    else:
        yield Column(_flat(path), _kind(annotation), path, required, accepts_none)


def _kind(annotation: Any) -> Kind:
    origin = get_origin(annotation)
    if origin is Literal:
        return "text"
    return "json" if origin in (tuple, dict) else _KINDS[annotation]


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    kept = [part for part in get_args(annotation) if part is not NoneType]
    assert len(kept) == 1, f"a field of a fact has one type, and may be None: {annotation}"
    return _without_none(kept[0])[0], True


def _is_fact(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Fact)


def _flat(path: Path) -> str:
    """The column of a field: its name, with `_at` where SQL would want that quoted."""
    name = "_".join(str(step) for step in path)
    return f"{name}_at" if name in _WORDS_OF_SQL else name


def _marker(part: _Optional, columns: tuple[Column, ...]) -> int:
    """Index of a column that is never NULL while the optional fact is there."""
    for name, field in part.fact.model_fields.items():
        if field.is_required() and field.annotation in _KINDS:
            return next(index for index, column in enumerate(columns) if column.path == (*part.path, name))
    raise AssertionError(f"{part.fact.__name__} may be None in a row, so it needs a required plain field")


def _links(fact: type[Fact]) -> tuple[Column, ...]:
    """What ties a row to its run and to its place in it."""
    return (
        Column("run_id", "text"),
        Column("row_no", "integer"),
        Column("parent_no", "integer"),
        Column("field", "text"),
        Column("position", "integer", required=False, accepts_none=True),
        *([Column("key", "text")] if _is_named(fact) else []),
    )


@cache
def _is_named(fact: type[Fact]) -> bool:
    """Whether the class is held in a dictionary anywhere."""
    annotations = (
        field.annotation for holder in facts_with_table() for field in holder.model_fields.values()
    )
    return any(get_origin(annotation) is dict and _held_in(annotation) is fact for annotation in annotations)


def _summary_columns() -> tuple[Column, ...]:
    extra = [name for name in RunSummary.model_fields if name not in Run.model_fields]
    return tuple(Column(name, _kind(RunSummary.model_fields[name].annotation), (name,)) for name in extra)

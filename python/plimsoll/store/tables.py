"""The tables that a run is for other tools, derived from the fact classes: nothing about a fact is typed a second time.

A fact that has a table is one row of it. Its plain fields are columns; a single fact inside it that has no table of its own
lies flat in the same row (`latency_us.p99` is the column `latency_us_p99`); facts that have a table are rows there, which name
the run and their place in its document. In the store they are views (`views.py`), in an export files (`export.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from plimsoll.facts import Fact, Run
from plimsoll.facts.run import RESULTS
from plimsoll.results import load_all


def parts() -> tuple[type[Fact], ...]:
    """Facts that have a table though they may stand alone. Facts held in tuples and dictionaries always have one."""
    from plimsoll.facts import Cell, Target  # whoever asks for no table need not know them

    alone = (kind for kind in RESULTS.values() if _is_fact(kind))
    return (Target, Cell, *alone)


NAMES = {
    "Run": "run_details",
    "CommitsUnderWay": "commits_under_way",
    "FlashUses": "flash_use_sets",
    "SliceChecks": "slice_check_sets",
    "HostSeen": "host_seen",
}
"""Table names that are not the plural of the class's own name; the table `runs` holds what is asked often."""
_SIBILANT = re.compile(r"(ss|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"(?<=[^aeiou])y$")

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
    """One column. `path` leads from the fact to the value."""

    name: str
    kind: Kind
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A field whose facts are rows of another table: one of them, many in order, or named ones of a dictionary."""

    path: tuple[str, ...]
    fact: type[Fact]
    holds: Literal["one", "many", "named"]


Place = tuple[Branch, ...]
"""Where facts of a class stand: the branches from the run to them."""

LINKS = (
    Column("run_id", "text"),
    Column("place", "text"),
    Column("position", "integer"),
    Column("key", "text"),
)
"""First columns of each table: the run, where in its document the fact stands (`results.line.trials[3].cell`), and its own place: a
position in a list from 0 on, or its key among named ones."""


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one fact class."""

    name: str
    fact: type[Fact]
    columns: tuple[Column, ...]
    branches: tuple[Branch, ...]

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """With the links."""
        return LINKS + self.columns


@cache
def tables() -> tuple[Table, ...]:
    """Every table, that of the run first."""
    return tuple(table_of(fact) for fact in facts_with_table())


@cache
def places() -> dict[type[Fact], tuple[Place, ...]]:
    """Where facts of each class stand in a run."""
    found: dict[type[Fact], list[Place]] = {fact: [] for fact in facts_with_table()}
    waiting: list[tuple[type[Fact], Place]] = [(Run, ())]
    while waiting:
        fact, place = waiting.pop(0)
        found[fact].append(place)
        waiting += [(branch.fact, (*place, branch)) for branch in table_of(fact).branches]
    return {fact: tuple(of_fact) for fact, of_fact in found.items()}


@cache
def facts_with_table() -> tuple[type[Fact], ...]:
    """The run, its parts and every fact that is held in a tuple or dictionary, in the order in which they are met."""
    load_all()  # which may bring facts of their own
    found: dict[type[Fact], None] = dict.fromkeys((Run, *parts()))
    seen: set[type[Fact]] = set()
    waiting: list[type[Fact]] = [Run]
    while waiting:
        fact = waiting.pop(0)
        if fact not in seen:
            seen.add(fact)
            for _, annotation in _fields(fact):
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
    return NAMES.get(fact.__name__, _plural(words))


def _plural(words: str) -> str:
    """`class` becomes `classes` and `anomaly` `anomalies`; `waits` and `series` are more than one as they are."""
    if _SIBILANT.search(words):
        return f"{words}es"
    if _CONSONANT_Y.search(words):
        return _CONSONANT_Y.sub("ies", words)
    return words if words.endswith("s") else f"{words}s"


@cache
def table_of(fact: type[Fact]) -> Table:
    """The table of a class that has one."""
    parts = list(_parts(fact, ()))
    return Table(
        name=table_name(fact),
        fact=fact,
        columns=tuple(part for part in parts if isinstance(part, Column)),
        branches=tuple(part for part in parts if isinstance(part, Branch)),
    )


def _parts(fact: type[Fact], path: tuple[str, ...]) -> Iterator[Column | Branch]:
    """What the fields of a class become."""
    for own, annotation in _fields(fact):
        here = (*path, *own)
        if not _is_fact(annotation):
            yield from _field_parts(annotation, here)
        elif annotation in facts_with_table():
            yield Branch(here, annotation, "one")
        else:
            yield from _parts(annotation, here)


def _fields(fact: type[Fact]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Where each field is, and what it holds; the results of a run are fields of it."""
    for name, field in fact.model_fields.items():
        if fact is Run and name == "results":
            yield from (((name, kind), annotation) for kind, annotation in RESULTS.items())
        else:
            yield (name,), _without_none(field.annotation)


def _field_parts(annotation: Any, path: tuple[str, ...]) -> Iterator[Column | Branch]:
    held = _held_in(annotation)
    if held is not None:
        yield Branch(path, held, "named" if get_origin(annotation) is dict else "many")
    elif get_args(annotation) == (float, float):
        for index, suffix in enumerate(_PAIR_SUFFIXES):
            yield Column(_flat(path) + suffix, "real", (*path, index))
    else:
        yield Column(_flat(path), _kind(annotation), path)


def _kind(annotation: Any) -> Kind:
    origin = get_origin(annotation)
    if origin is Literal:
        return "text"
    return "json" if origin in (tuple, dict) else _KINDS[annotation]


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    kept = [part for part in get_args(annotation) if part is not NoneType]
    assert len(kept) == 1, f"a field of a fact has one type, and may be None: {annotation}"
    return _without_none(kept[0])


def _is_fact(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Fact)


def _flat(path: tuple[str, ...]) -> str:
    """The column of a field: its name, with `_at` where SQL would want that quoted."""
    name = "_".join(path)
    return f"{name}_at" if name in _WORDS_OF_SQL else name

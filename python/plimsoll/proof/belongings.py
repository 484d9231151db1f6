"""What a workload made in its schema, and how that alone is dropped.

A schema that we made may hold more by now: views and functions of others, defaults of columns, triggers on our tables; and what
lies elsewhere may depend on it. All of that is listed and nothing is dropped then. `cascade` is never said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plimsoll.base.errors import WorldError
from plimsoll.databases import Session, reads_answers
from plimsoll.proof.statements import statement, statements

_SHOWN = 20
_WORKLOAD = "server"


@dataclass(frozen=True)
class Belongings:
    """Names without their schema. An index goes with its table, and a table's type with it."""

    schema: str
    table: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    routine: tuple[str, ...] = ()
    column: tuple[str, ...] = ()
    """As `table.column`. A column goes with its table, one that others have added with their data in it."""


_WHOLE = ("table", "index", "type", "routine")
"""What is dropped by its own name, or with its table."""
_MADE = re.compile(
    r"^create (?:or replace )?(?:unique )?(?P<kind>table|index|type|function|procedure) (?:\w+\.)?(?P<name>\w+)",
    re.MULTILINE,
)
_TABLE = re.compile(r"^create table (?:\w+\.)?(?P<name>\w+) \((?P<columns>.*?)^\)", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^ +(?!primary |unique |constraint |foreign |check )(?P<name>\w+) ", re.MULTILINE)
_PRIMARY_KEY = "{}_pkey"
"""PostgreSQL's own name for one that was given none."""


def made_by(schema: str, texts: Iterable[str]) -> Belongings:
    """What the statements of those texts make in `schema`, in PostgreSQL."""
    made = [(match["kind"], match["name"]) for text in texts for match in _MADE.finditer(text)]

    def named(*kinds: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for kind, name in made if kind in kinds))

    keys = (_PRIMARY_KEY.format(table) for table in named("table"))
    return Belongings(
        schema,
        named("table"),
        (*named("index"), *keys),
        named("type"),
        named("function", "procedure"),
        tuple(column for text in texts for column in _columns(text)),
    )


def _columns(text: str) -> Iterator[str]:
    """Those of each table that the text makes, each on a line of its own."""
    for table in _TABLE.finditer(text):
        for column in _COLUMN.finditer(table["columns"]):
            yield f"{table['name']}.{column['name']}"


@reads_answers
def strangers(session: Session, dialect: str, own: Belongings, *, acting: bool = False) -> list[str]:
    """What is in the schema or depends on it and is not ours, by kind and name; sorted.

    With `acting` only code that runs whenever our rows are worked with: triggers, rules and policies.
    """
    relations = [*own.table, *own.index, *own.type]
    words = {"schema": own.schema, "relations": _quoted(relations), "routines": _quoted(own.routine)}
    query = statement(dialect, _WORKLOAD, "foreign", words)
    given = [own.schema, relations, [*own.routine], relations] if "%s" in query else []
    found = {str(what): bool(acts) for what, acts in session.run(query, given)}
    added = [] if acting else _added_columns(session, dialect, own)
    return [*(what for what, acts in found.items() if acts or not acting), *added]


def _added_columns(session: Session, dialect: str, own: Belongings) -> list[str]:
    words = {"schema": own.schema, "tables": _quoted(own.table)}
    query = statement(dialect, _WORKLOAD, "columns", words)
    found = session.run(query, [own.schema, [*own.table]] if "%s" in query else [])
    return [
        f"column {column} of table {own.schema}.{table}"
        for table, column in found
        if f"{table}.{column}" not in own.column
    ]


def check_pure(session: Session, dialect: str, own: Belongings) -> None:
    """That nobody put anything on our tables: it would run with our rights, and be measured. Raises WorldError `proof-foreign`."""
    foreign = strangers(session, dialect, own, acting=True)
    if foreign:
        raise WorldError(
            "proof-foreign",
            f"cannot drive the tables of {own.schema}: others' objects act on them: {_listed(foreign)}",
            "Drop these yourself, then repeat the command: they would run with your rights, and be measured.",
        )


def drop(session: Session, dialect: str, own: Belongings) -> None:
    """Drops the schema with what is ours.

    Raises WorldError `proof-foreign` with the names of what is not, and drops nothing then.
    """
    foreign = strangers(session, dialect, own)
    if foreign:
        raise WorldError(
            "proof-foreign",
            f"cannot drop the schema {own.schema}: others' objects are in it or depend on it: {_listed(foreign)}",
            "Move or drop these yourself, then repeat the command. Nothing was dropped.",
        )
    texts = list(_drops(dialect, own))
    if dialect == "postgres":
        texts = [";\n".join(texts)]  # statements that are sent together are one transaction
    for text in texts:
        session.run(text)


def _listed(names: list[str]) -> str:
    rest = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{rest}"


def _drops(dialect: str, own: Belongings) -> Iterator[str]:
    """Each statement once, or for each name of the kind that it speaks of."""
    kinds = {kind: getattr(own, kind) for kind in _WHOLE}
    marks = {kind: f"\0{kind}\0" for kind in kinds}
    for text in statements(dialect, _WORKLOAD, "drop", {"schema": own.schema, **marks}):
        kind = next((kind for kind, mark in marks.items() if mark in text), None)
        for name in kinds[kind] if kind else ("",):
            yield text.replace(marks[kind], name) if kind else text


def _quoted(names: Iterable[str]) -> str:
    """A list for `in`, which must not be empty. The names are ours."""
    return ", ".join(f"'{name}'" for name in ("", *names))

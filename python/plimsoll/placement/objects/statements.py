"""Tables that statements name: objects which a report's lists of segments may not show.

A statement's reads belong to the tables that it names, and nobody knows in which parts: each of them has between none and all of
them. SQLGlot reads the text; what it cannot read, PL/SQL mostly, names no table here and is counted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint

_LENGTH_MAX = 100_000
"""Signs of a statement that are read: longer ones are generated, and take minutes."""
_EXTRA = "placement"


@dataclass(frozen=True)
class Statement:
    """A statement of a report. Its text may be cut, where a report has it in no other place."""

    id: str
    text: str
    blocks_read: float


@dataclass
class Named:
    """A table that statements name: their reads together are the most that it can have had."""

    name: str
    blocks_max: float = 0.0
    statements: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class NamedTables:
    """Tables by name in capitals, with their schema where it is written; and how many statements could not be read."""

    tables: Mapping[str, Named]
    read: int
    unread: int


def tables_of(statements: Iterable[Statement], dialect: str) -> NamedTables:
    """What statements name. Raises WorldError `sqlglot-missing`."""
    found: dict[str, Named] = {}
    read, unread = 0, 0
    for statement in statements:
        names = table_names(statement.text, dialect)
        read, unread = (read, unread + 1) if names is None else (read + 1, unread)
        for name in sorted(names or ()):
            named = found.setdefault(name, Named(name))
            named.blocks_max += statement.blocks_read
            named.statements.append(statement.id)
    return NamedTables(found, read, unread)


def table_names(text: str, dialect: str) -> frozenset[str] | None:
    """Tables and views that a statement names; None where its text cannot be read. Raises WorldError `sqlglot-missing`."""
    try:
        import sqlglot
        from sqlglot import exp
        from sqlglot.errors import SqlglotError
    except ModuleNotFoundError as error:
        message = "the tables that statements name are read with sqlglot, which is not installed"
        raise WorldError("sqlglot-missing", message, extra_hint(_EXTRA)) from error
    # It logs each statement that it does not know.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    if not text.strip() or len(text) > _LENGTH_MAX:
        return None
    try:
        tree = sqlglot.parse_one(text, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return None
    if isinstance(tree, exp.Command):
        return None
    own = {cte.alias_or_name.upper() for cte in tree.find_all(exp.CTE)}
    names = (_written(table.db, table.name) for table in tree.find_all(exp.Table) if table.name)
    return frozenset(name for name in names if name not in own and name != "DUAL")


def _written(schema: str, name: str) -> str:
    return ".".join(part.upper() for part in (schema, name) if part)

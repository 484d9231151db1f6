"""The facts of all runs as views of SQL over the documents, one for each fact class, in the words of the database at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from plimsoll.store.tables import Column, Kind, Path, Place, Table, places, tables

DOCUMENTS = "documents d"
"""What every view of ours reads first."""


class Json(Protocol):
    """How a database reaches into a document."""

    def member(self, document: str, path: Path, kind: Kind) -> str:
        """The value at the path below an object, as a value of that kind; NULL where there is none."""
        ...

    def members(self, document: str, path: Path, named: bool, alias: str) -> str:
        """A source of rows: each object of the list, or of the named ones, below the path."""
        ...

    def value(self, alias: str, named: bool) -> str:
        """One of `members`."""
        ...

    def position(self, alias: str) -> str:
        """Its position, from 0 on."""
        ...

    def key(self, alias: str) -> str:
        """Its key among named ones."""
        ...

    def is_object(self, document: str, path: Path) -> str:
        """Whether there is a fact at the path."""
        ...


def views(json: Json) -> dict[str, str]:
    """The SELECT of each view by its name."""
    return {table.name: _view(json, table) for table in tables()}


def _view(json: Json, table: Table) -> str:
    return "\nUNION ALL\n".join(_select(json, table, place) for place in places()[table.fact])


def _select(json: Json, table: Table, place: Place) -> str:
    """The facts of a class that stand in one place of a run."""
    sources, conditions = [DOCUMENTS], []
    document, below, words = "d.document", (), "''"
    position = key = None
    for number, branch in enumerate(place, 1):
        path = (*below, *branch.path)
        words += f" || '{'.' if number > 1 else ''}{'.'.join(branch.path)}'"
        if branch.holds == "one":
            below, position, key = path, None, None
            continue
        alias = f"e{number}"
        named = branch.holds == "named"
        sources.append(json.members(document, path, named, alias))
        document, below = json.value(alias, named), ()
        conditions.append(json.is_object(document, ()))
        position = None if named else json.position(alias)
        key = json.key(alias) if named else None
        words += f" || '.' || {key}" if named else f" || '[' || {position} || ']'"
    if below:
        conditions.append(json.is_object(document, below))
    link = ("d.run_id", words, f"CAST({position or 'NULL'} AS bigint)", f"CAST({key or 'NULL'} AS text)")
    columns = ", ".join((*_linked(table, link), *_members(json, table.columns, document, below)))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {columns} FROM {', '.join(sources)}{where}"


def _linked(table: Table, link: tuple[str, ...]) -> Iterator[str]:
    for expression, column in zip(link, table.all_columns, strict=False):
        yield f"{expression} AS {column.name}"


def _members(json: Json, columns: tuple[Column, ...], document: str, below: Path) -> Iterator[str]:
    for column in columns:
        yield f"{json.member(document, (*below, *column.path), column.kind)} AS {column.name}"


class SqliteJson:
    """source: https://sqlite.org/json1.html"""

    def member(self, document: str, path: Path, kind: Kind) -> str:
        return f"json_extract({document}, {_sqlite_path(path)})"

    def members(self, document: str, path: Path, named: bool, alias: str) -> str:
        return f"json_each({document}, {_sqlite_path(path)}) {alias}"

    def value(self, alias: str, named: bool) -> str:
        return f"{alias}.value"

    def position(self, alias: str) -> str:
        return f"{alias}.key"

    def key(self, alias: str) -> str:
        return f"{alias}.key"

    def is_object(self, document: str, path: Path) -> str:
        if path:
            return f"json_type({document}, {_sqlite_path(path)}) = 'object'"
        return f"{document.removesuffix('.value')}.type = 'object'"


def _sqlite_path(path: Path) -> str:
    return "'$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path) + "'"


_POSTGRES_TYPES: dict[Kind, str] = {
    "text": "text", "integer": "bigint", "real": "double precision", "boolean": "boolean", "instant": "timestamptz",
    "binary": "text", "json": "jsonb",
}  # fmt: skip


class PostgresJson:
    """source: https://www.postgresql.org/docs/18/functions-json.html; paths are lax, and silent where there is nothing."""

    def member(self, document: str, path: Path, kind: Kind) -> str:
        if kind == "json":
            return f"NULLIF({document} #> {_postgres_path(path)}, 'null')"
        return f"CAST({document} #>> {_postgres_path(path)} AS {_POSTGRES_TYPES[kind]})"

    def members(self, document: str, path: Path, named: bool, alias: str) -> str:
        below = "".join(f".{step}" for step in path) + (".keyvalue()" if named else "[*]")
        found = f"jsonb_path_query({document}, '${below}', '{{}}', true)"
        return f"LATERAL {found} WITH ORDINALITY {alias}(one, number)"

    def value(self, alias: str, named: bool) -> str:
        return f"({alias}.one -> 'value')" if named else f"{alias}.one"

    def position(self, alias: str) -> str:
        return f"({alias}.number - 1)"

    def key(self, alias: str) -> str:
        return f"({alias}.one ->> 'key')"

    def is_object(self, document: str, path: Path) -> str:
        return f"jsonb_typeof({document} #> {_postgres_path(path)}) = 'object'"


def _postgres_path(path: Path) -> str:
    return "'{" + ",".join(map(str, path)) + "}'"

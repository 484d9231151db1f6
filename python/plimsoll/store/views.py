"""The facts of all runs as views of SQL over the documents, one for each fact class, in the words of the database at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from plimsoll.base.values import value
from plimsoll.store.documents import DOCUMENTS
from plimsoll.store.tables import LINKS, Column, Kind, Path, Place, Table, places, tables


class Json(Protocol):
    """How a database reaches into a document."""

    def base(self, path: Path) -> str:
        """The path as a value, to which `member` adds."""
        ...

    def member(self, document: str, path: Path, kind: Kind, base: str | None = None) -> str:
        """The value at the path below an object, as a value of that kind; NULL where there is none. `base`: where the object is."""
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


@value
class _Source:
    """Facts of a class that stand in one place of a run: the links of each, the document that holds it, and where in that it is."""

    links: str
    document: str
    below: Path
    rows: str


def _view(json: Json, table: Table) -> str:
    """The columns stand in it once, however many places there are: SQLite reads all views whenever it opens a store."""
    sources = [_source(json, place) for place in places()[table.fact]]
    if len(sources) == 1:
        return _select(json, table, sources[0])
    facts = "\nUNION ALL\n".join(
        f"SELECT {source.links}, {source.document} AS document, {json.base(source.below)} AS base {source.rows}"
        for source in sources
    )
    members = _members(json, table.columns, "document", (), "base")
    return f"SELECT {', '.join((*(column.name for column in LINKS), *members))} FROM ({facts}) facts"


def _select(json: Json, table: Table, source: _Source) -> str:
    members = _members(json, table.columns, source.document, source.below)
    return f"SELECT {', '.join((source.links, *members))} {source.rows}"


def _source(json: Json, place: Place) -> _Source:
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
    where_it_is = words.replace("' || '", "")
    link = (
        "d.run_id",
        where_it_is,
        f"CAST({position or 'NULL'} AS bigint)",
        f"CAST({key or 'NULL'} AS text)",
    )
    links = ", ".join(
        f"{expression} AS {column.name}" for expression, column in zip(link, LINKS, strict=True)
    )
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return _Source(links, document, below, f"FROM {', '.join(sources)}{where}")


def _members(
    json: Json, columns: tuple[Column, ...], document: str, below: Path, base: str | None = None
) -> Iterator[str]:
    for column in columns:
        yield f"{json.member(document, (*below, *column.path), column.kind, base)} AS {column.name}"


class SqliteJson:
    """source: https://sqlite.org/json1.html"""

    def base(self, path: Path) -> str:
        return _sqlite_path(path)

    def member(self, document: str, path: Path, kind: Kind, base: str | None = None) -> str:
        whole = _sqlite_path(path) if base is None else f"{base} || '{_sqlite_steps(path)}'"
        return f"json_extract({document}, {whole})"

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
    return f"'${_sqlite_steps(path)}'"


def _sqlite_steps(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


_POSTGRES_TYPES: dict[Kind, str] = {
    "text": "text", "integer": "bigint", "real": "double precision", "boolean": "boolean", "instant": "timestamptz",
    "binary": "text", "json": "jsonb",
}  # fmt: skip


class PostgresJson:
    """source: https://www.postgresql.org/docs/18/functions-json.html; paths are lax, and silent where there is nothing."""

    def base(self, path: Path) -> str:
        return f"CAST({_postgres_path(path)} AS text[])"

    def member(self, document: str, path: Path, kind: Kind, base: str | None = None) -> str:
        whole = _postgres_path(path) if base is None else f"({base} || {_postgres_path(path)})"
        if kind == "json":
            return f"NULLIF({document} #> {whole}, 'null')"
        return f"CAST({document} #>> {whole} AS {_POSTGRES_TYPES[kind]})"

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


JSONS: dict[str, Json] = {"sqlite": SqliteJson(), "postgresql": PostgresJson()}
"""By the name of the database's dialect."""

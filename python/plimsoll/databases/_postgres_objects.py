"""One look at the objects of a PostgreSQL database: what each relation counted, how large it is, and what belongs to none.

`pg_stat_statements`, where it is installed, alone counts reads of temporary files; the schema that it lies in is the user's choice,
so that its query is made here and stands in no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from plimsoll.databases._kind import Connection
from plimsoll.databases._postgres_waits import ReadWaitsWatch
from plimsoll.facts import Snapshot

STATEMENTS_MAX = 100
"""Statements whose texts are read at each look: those with most reads."""


@dataclass(frozen=True)
class RelationLook:
    """A table, index, TOAST table, materialised view or sequence; counters are totals. See `objects.14.sql`."""

    oid: int
    schema_name: str
    name: str
    relkind: str
    is_partition: bool
    is_catalog: bool
    owner_oid: int | None
    owner_schema_name: str | None
    owner_name: str | None
    whole_schema_name: str | None
    whole_name: str | None
    tablespace_name: str
    size_bytes: int | None
    blocks_read: int
    blocks_hit: int
    scans: int
    rows_fetched: int
    rows_inserted: int
    rows_updated: int
    rows_hot_updated: int
    rows_deleted: int
    maintenance_runs: int

    @property
    def full_name(self) -> str:
        """With its schema."""
        return f"{self.schema_name}.{self.name}"


@dataclass(frozen=True)
class ServerLook:
    """What belongs to no relation; None where this user may not ask for it."""

    own_blocks_read: int | None
    own_rows_changed: int | None
    rows_changed: int | None
    active_ms: float | None
    tablespace_name: str
    temp_tablespaces: str
    log_bytes: int | None
    temp_file_bytes: int | None
    database_oid: int | None = None


@dataclass(frozen=True)
class StatementsPlace:
    """Where pg_stat_statements answers. `schema` is quoted already."""

    schema: str
    version: str

    @property
    def version_numbers(self) -> tuple[int, ...]:
        """To be compared."""
        return tuple(int(part) for part in self.version.split("."))


@dataclass(frozen=True)
class StatementCount:
    """A statement of this database; its text has `$1` where values stood."""

    id: str
    text: str
    blocks_read: int


@dataclass(frozen=True)
class StatementsLook:
    """What pg_stat_statements counted of all statements that it still knows; `forgotten` is how often it let some go."""

    temp_blocks_read: int
    temp_blocks_written: int
    forgotten: int
    most: tuple[StatementCount, ...] = ()
    """Those of this database with most reads."""


@dataclass(frozen=True)
class ObjectsLook:
    """All of it at one moment. `statements` is None where pg_stat_statements does not answer."""

    snapshot: Snapshot
    relations: tuple[RelationLook, ...]
    server: ServerLook
    statements: StatementsLook | None


@runtime_checkable
class CountsObjects(Connection, Protocol):
    """A connection whose server counts what each object was asked for."""

    def objects(self) -> ObjectsLook:
        """All objects at one moment. Raises as `snapshot` does."""
        ...

    def watch_read_waits(self) -> AbstractContextManager[ReadWaitsWatch | None]:
        """Looks in the block at what sessions wait for when they read; None where the server does not say."""
        ...


def database_id(system_identifier: str, oid: int) -> str:
    """What tells a database from those of other servers, and from one that was dropped and made anew."""
    return f"{system_identifier}/{oid}"


def statements_query(schema: str) -> str:
    """The query of what pg_stat_statements counted; `schema` is quoted already."""
    return (
        "select coalesce(sum(temp_blks_read), 0)::int8 as temp_blocks_read, "
        "coalesce(sum(temp_blks_written), 0)::int8 as temp_blocks_written, "
        f"(select dealloc from {schema}.pg_stat_statements_info) as forgotten "
        f"from {schema}.pg_stat_statements(false)"
    )


def most_query(schema: str) -> str:
    """The query of the statements of this database that read most blocks, whoever ran them."""
    return (
        "select queryid::text as id, max(query) as text, sum(shared_blks_read)::int8 as blocks_read "
        f"from {schema}.pg_stat_statements(true) "
        "where dbid = (select oid from pg_database where datname = current_database()) and queryid is not null "
        f"group by queryid order by 3 desc, 1 limit {STATEMENTS_MAX}"
    )


def relations_of(rows: list[dict[str, Any]]) -> tuple[RelationLook, ...]:
    """Relations; one that was dropped while it was looked at has no size, and is gone."""
    return tuple(RelationLook(**row) for row in rows if row["size_bytes"] is not None)


def statements_of(row: Mapping[str, Any], most: list[dict[str, Any]]) -> StatementsLook:
    """The one row of `statements_query`, and those of `most_query`."""
    return StatementsLook(**row, most=tuple(StatementCount(**one) for one in most))

"""The tables as SQLAlchemy sees them: what creates a store, and what migrations are made from and checked against.

Imported only when a store is created or brought up to date, because SQLAlchemy takes longer to start than a run to save.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.types import TypeEngine

from plimsoll.store import tables
from plimsoll.store.revisions import VERSION_COLUMN, VERSION_TABLE

TYPES: dict[tables.Kind, TypeEngine] = {
    "text": Text(),
    "integer": BigInteger(),
    "real": Double(),
    "boolean": Boolean(),
    "instant": DateTime(timezone=True).with_variant(Text(), "sqlite"),
    "binary": LargeBinary(),
    "json": JSON().with_variant(postgresql.JSONB(), "postgresql").with_variant(Text(), "sqlite"),
}
"""SQLite keeps instants as ISO 8601 text in UTC, which sorts by time, and JSON as text, which its JSON functions read."""

_DIALECTS: dict[str, Dialect] = {"sqlite": sqlite.dialect(), "postgresql": postgresql.dialect()}


def metadata() -> MetaData:
    """Every table with its keys and indexes."""
    known = MetaData()
    for table in tables.tables():
        columns = [Column(c.name, TYPES[c.kind], nullable=not c.required) for c in table.all_columns]
        if table.links:
            columns[0].append_foreign_key(ForeignKey("runs.id", name=f"fk_{table.name}_run_id"))
            Table(
                table.name, known, *columns, PrimaryKeyConstraint("run_id", "row_no", name=f"pk_{table.name}")
            )
        else:
            runs = Table(table.name, known, *columns, PrimaryKeyConstraint("id", name=f"pk_{table.name}"))
            Index("ix_runs_started_at", runs.c.started_at)
    return known


def creation_script(dialect_name: str) -> list[str]:
    """The statements that make an empty database a store of today's revision, but for the revision's own row."""
    dialect = _DIALECTS[dialect_name]
    known = metadata()
    version = Table(VERSION_TABLE, MetaData(), Column(VERSION_COLUMN, Text(), primary_key=True))
    statements = [str(CreateTable(table).compile(dialect=dialect)) for table in known.sorted_tables]
    statements += [
        str(CreateIndex(index).compile(dialect=dialect))
        for table in known.sorted_tables
        for index in table.indexes
    ]
    return [*statements, str(CreateTable(version).compile(dialect=dialect))]

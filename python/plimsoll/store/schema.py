"""What a store is made of: six tables, and views over the documents that are derived from the fact classes.

A new field of a fact needs nothing here: it is in the document of each run from then on, and the views are made anew when a store
is written by a plimsoll that knows more. `SCHEMA_NO` rises only when the tables `documents`, `blobs` and `run_blobs` change.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from plimsoll import __version__, facts, results, store
from plimsoll.results import RunColumn
from plimsoll.store.columns import run_columns
from plimsoll.store.tables import Kind
from plimsoll.store.views import Json, PostgresJson, SqliteJson, views

SCHEMA_NO = 1
VERSION_TABLE = "plimsoll_store"
SNAPSHOTS = "counter_snapshots"
SNAPSHOT_ROWS = "counter_rows"
TABLES = ("runs", "documents", "blobs", "run_blobs", SNAPSHOTS, SNAPSHOT_ROWS, VERSION_TABLE)


@dataclass(frozen=True)
class Dialect:
    """How a database spells what we need: its types, and how it reaches into JSON. `instant` sorts by time."""

    types: dict[Kind, str]
    json: Json


DIALECTS = {
    "sqlite": Dialect(
        {
            "text": "TEXT", "integer": "INTEGER", "real": "REAL", "boolean": "BOOLEAN", "instant": "TEXT",
            "binary": "BLOB", "json": "TEXT",
        },
        SqliteJson(),
    ),
    "postgresql": Dialect(
        {
            "text": "text", "integer": "bigint", "real": "double precision", "boolean": "boolean",
            "instant": "timestamptz", "binary": "bytea", "json": "jsonb",
        },
        PostgresJson(),
    ),
}  # fmt: skip
"""SQLite keeps instants as ISO 8601 text in UTC, and JSON as text, which its JSON functions read."""


def table_statements(dialect_name: str) -> list[str]:
    """What makes the tables in an empty database."""
    types = DIALECTS[dialect_name].types
    text, integer = types["text"], types["integer"]
    run_id = f"run_id {text} NOT NULL"
    runs = ", ".join(column_words(dialect_name, column) for column in run_columns())
    tables = {
        VERSION_TABLE: f"schema_no {integer} NOT NULL, written_by {text} NOT NULL, derived {text} NOT NULL",
        "runs": f"{runs}, PRIMARY KEY (id)",
        "documents": f"{run_id} PRIMARY KEY REFERENCES runs (id), document {types['json']} NOT NULL",
        "blobs": f"sha256 {text} NOT NULL PRIMARY KEY, size_bytes {integer} NOT NULL, zlib {types['binary']} NOT NULL",
        "run_blobs": f"{run_id} REFERENCES runs (id), sha256 {text} NOT NULL REFERENCES blobs (sha256), "
        "PRIMARY KEY (run_id, sha256)",
    }
    return [
        *(f"CREATE TABLE {name} ({columns})" for name, columns in tables.items()),
        *snapshots_statements(dialect_name),
        "CREATE INDEX runs_started_at ON runs (started_at)",
        "CREATE INDEX runs_kind ON runs (kind, started_at)",
        "CREATE INDEX run_blobs_sha256 ON run_blobs (sha256)",
    ]


def snapshots_statements(dialect_name: str) -> list[str]:
    """What makes the tables of snapshots where they are missing: stores from before them are there."""
    types = DIALECTS[dialect_name].types
    text, taken_at = types["text"], f"taken_at {types['instant']} NOT NULL"
    content = f"size_bytes {types['integer']} NOT NULL, zlib {types['binary']} NOT NULL"
    tables = {
        SNAPSHOTS: f"series {text} NOT NULL, {taken_at}, {content}, PRIMARY KEY (series, taken_at)",
        SNAPSHOT_ROWS: f"series {text} NOT NULL, kind {text} NOT NULL, {taken_at}, {content}, "
        "PRIMARY KEY (series, kind, taken_at)",
    }
    return [f"CREATE TABLE IF NOT EXISTS {name} ({columns})" for name, columns in tables.items()]


def column_words(dialect_name: str, column: RunColumn) -> str:
    """As `CREATE TABLE` and `ALTER TABLE … ADD COLUMN` take it."""
    return (
        f"{column.name} {DIALECTS[dialect_name].types[column.kind]}{' NOT NULL' if column.required else ''}"
    )


@cache
def view_selects(dialect_name: str) -> dict[str, str]:
    """The views by name."""
    return views(DIALECTS[dialect_name].json)


@cache
def derived(dialect_name: str) -> str:
    """Names what a store may lack: columns of `runs`, the views, the tables of snapshots. It differs when one of them does."""
    words = snapshots_statements(dialect_name)
    words += [column_words(dialect_name, column) for column in run_columns()]
    words += [f"{name} {select}" for name, select in view_selects(dialect_name).items()]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


@cache
def fingerprint() -> str:
    """Names the code that `derived` comes from: it differs when a file of these rooms does, and takes a tenth of the time."""
    found = hashlib.sha256(__version__.encode())
    for room in (facts, results, store):
        for folder in room.__path__:
            for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
                content = Path(folder, name).read_bytes()
                found.update(f"\n{name} {len(content)}\n".encode() + content)
    return found.hexdigest()

"""What a store is made of: six tables, and views over the documents that are derived from the fact classes.

A new field of a fact needs nothing here: it is in the document of each run from then on, and the views are made anew when a store
is written by a plimsoll that knows more. `SCHEMA_NO` rises only when the tables `documents`, `blobs` and `run_blobs` change.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll import __version__, facts, results, store
from plimsoll.results import RunColumn
from plimsoll.store.columns import run_columns

if TYPE_CHECKING:
    from plimsoll.store.tables import Kind

SCHEMA_NO = 1
VERSION_TABLE = "plimsoll_store"
SNAPSHOTS = "counter_snapshots"
SNAPSHOT_ROWS = "counter_rows"
TABLES = ("runs", "documents", "blobs", "run_blobs", SNAPSHOTS, SNAPSHOT_ROWS, VERSION_TABLE)


DIALECTS: dict[str, dict[Kind, str]] = {
    "sqlite": {
        "text": "TEXT", "integer": "INTEGER", "real": "REAL", "boolean": "BOOLEAN", "instant": "TEXT", "binary": "BLOB",
        "json": "TEXT",
    },
    "postgresql": {
        "text": "text", "integer": "bigint", "real": "double precision", "boolean": "boolean", "instant": "timestamptz",
        "binary": "bytea", "json": "jsonb",
    },
}  # fmt: skip
"""How a database spells the types that we need. `instant` sorts by time: SQLite keeps instants as ISO 8601 text in UTC, and JSON as
text, which its JSON functions read."""


def table_statements(dialect_name: str) -> list[str]:
    """What makes the tables in an empty database."""
    types = DIALECTS[dialect_name]
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
    types = DIALECTS[dialect_name]
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
    return f"{column.name} {DIALECTS[dialect_name][column.kind]}{' NOT NULL' if column.required else ''}"


@cache
def view_selects(dialect_name: str) -> dict[str, str]:
    """The views by name."""
    from plimsoll.store.views import JSONS, views  # a store that is left as it is needs none

    return views(JSONS[dialect_name])


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
                # Nobody has to be kept from making two that are alike, and SHA-256 of all would take five times as long.
                sums = f"{zlib.crc32(content):08x} {zlib.adler32(content):08x}"
                found.update(f"\n{name} {len(content)} {sums}\n".encode())
    return found.hexdigest()

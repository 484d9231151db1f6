"""Databases: how to reach each kind, and how to read its counters. One database, one file (`postgres.py`, `embedded.py`).

A file holds `DATABASE`, a `DatabaseKind`; its SQL lies in `sql/<database>/`, one file per view and range of versions.
Adding a database is adding a file: `open_database` finds it by the name or the URL scheme that the user typed.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from plimsoll.base import registry
from plimsoll.base.errors import UsageError
from plimsoll.base.redact import redact_database
from plimsoll.context import Context
from plimsoll.databases._counted_rows import CountedRows, CountsRows, WaitingSessions
from plimsoll.databases._kind import AskPassword, Connection, DatabaseKind, ServerCounts, Session
from plimsoll.databases._logs import LogPlace
from plimsoll.databases._oracle_collector import PrintsQueries
from plimsoll.databases._postgres_files import DataFile, DataNames, FilePlaces, NamesFiles
from plimsoll.databases._postgres_nodes import NodesTold, nodes_told
from plimsoll.databases._postgres_objects import (
    CountsObjects,
    ObjectsLook,
    RelationLook,
    StatementsLook,
    database_id,
)
from plimsoll.databases._postgres_settings import setting_bytes, setting_seconds
from plimsoll.databases._postgres_waits import ReadWaits
from plimsoll.databases._queries import for_version as queries
from plimsoll.databases._refusals import reads_answers

__all__ = [
    "AskPassword",
    "Connection",
    "CountedRows",
    "CountsObjects",
    "CountsRows",
    "DataFile",
    "DataNames",
    "DatabaseKind",
    "FilePlaces",
    "LogPlace",
    "NamesFiles",
    "NodesTold",
    "ObjectsLook",
    "PrintsQueries",
    "ReadWaits",
    "RelationLook",
    "ServerCounts",
    "Session",
    "StatementsLook",
    "WaitingSessions",
    "database_id",
    "find",
    "names",
    "nodes_told",
    "open_database",
    "queries",
    "reads_answers",
    "setting_bytes",
    "setting_seconds",
]


def names() -> list[str]:
    """Names of the databases that can be read, sorted."""
    return registry.names(sys.modules[__name__])


def find(location: str) -> DatabaseKind:
    """The kind of database that a location means: a URL by its scheme, or a bare name. Raises UsageError `database-unknown`."""
    scheme, separator, _ = location.partition("://")
    for name in names():
        kind: DatabaseKind = registry.load(sys.modules[__name__], name, "DATABASE")
        if scheme in kind.schemes if separator else location == kind.name and not kind.schemes:
            return kind
    hint = "Write --database postgresql://user@host:5432/name, or --database embedded for one that Plimsoll starts itself."
    raise UsageError("database-unknown", f"no database is reached by '{redact_database(location)}'", hint)


def open_database(
    ctx: Context, location: str, ask_password: AskPassword | None = None
) -> AbstractContextManager[Connection]:
    """A connection to the database at `location`, closed at the end of the block; an embedded one is started and ended.

    `ask_password` is called with the redacted location when the server wants a password that neither the URL, the
    environment nor the driver's own file has. Raises PlimsollError: `database-unknown`, `database-url`,
    `database-unreachable`, `database-password-missing`, `database-password-wrong`, `database-refused`,
    `database-too-old`, `driver-missing`, `embedded-missing`, `embedded-start`.
    """
    return find(location).opened(ctx, location, ask_password)

"""Files of a PostgreSQL database, and the relations whose data stand in them.

Source: PostgreSQL manual, "Database File Layout"; the names are made in src/common/relpath.c.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from plimsoll.databases._kind import Connection

_PG_DEFAULT, _PG_GLOBAL = 1_663, 1_664
"""The tablespaces of `base` and `global` (pg_tablespace.dat)."""
_RELATION_FILE = re.compile(
    r"(?P<path>(?P<place>.*)/(?P<folder>base/(?P<own>\d+)|global|PG_\d+_\d+/(?P<other>\d+))"
    r"/(?P<number>\d+)(?:_(?:fsm|vm|init))?)(?:\.\d+)?(?: \(deleted\))?"
)


@dataclass(frozen=True)
class DataFile:
    """What a relation has its data in: in one tablespace no other of the database has that number."""

    tablespace_oid: int
    number: int


@dataclass(frozen=True)
class FilePlaces:
    """Where files of a database lie, on the server's machine."""

    database_oid: int
    locations: Mapping[str, int]
    """Tablespaces that lie elsewhere, by their folder."""

    def data_file(self, path: str) -> tuple[DataFile, str] | None:
        """What a path stands for, and the path without a segment's number; None of another database's, or of no relation's."""
        found = _RELATION_FILE.fullmatch(path)
        if found is None:
            return None
        database = found["own"] or found["other"]
        tablespace_oid = (
            self.locations.get(found["place"])
            if found["other"]
            else _PG_DEFAULT
            if found["own"]
            else _PG_GLOBAL
        )
        if tablespace_oid is None or (database is not None and int(database) != self.database_oid):
            return None
        return DataFile(tablespace_oid, int(found["number"])), found["path"]


@dataclass(frozen=True)
class DataNames:
    """What the databases and tablespaces of a server are called, by their numbers."""

    databases: Mapping[int, str]
    tablespaces: Mapping[int, str]
    pid: int
    """Of the process that answered, as the server numbers processes."""


@runtime_checkable
class NamesFiles(Connection, Protocol):
    """A connection whose server says to which relation a file belongs."""

    def file_places(self) -> FilePlaces:
        """Where files of the connected database lie. Raises as `snapshot` does."""
        ...

    def data_names(self) -> DataNames:
        """What its databases and tablespaces are called now. Raises as `snapshot` does."""
        ...

    def file_relations(self, asked: Collection[DataFile]) -> dict[DataFile, str]:
        """Names, with schema, of the relations whose data are in these files now. Raises as `snapshot` does."""
        ...


def relation_name(schema_name: str, name: str, is_toast: bool) -> str:
    """As people know it: what is too long for its table's rows goes by the name of the table."""
    return f"{schema_name}.{name}{' (TOAST)' if is_toast else ''}"

"""Relations in place of files: what a PostgreSQL says of the files that its own processes were seen to use.

A path alone tells no server from another, least of all in containers. A process is the server's if the folder that it works in is a
cluster whose control file has the server's number. Files that no such process was found to use keep their paths.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import DataFile, FilePlaces, NamesFiles
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.roles import is_postgres
from plimsoll.ports import files

NAMES_MAX = 65_536
"""Files whose relation is remembered."""
ASKED_MAX = 2_000
"""Files that a server is asked for at each reading; those beyond keep the name they had, or their path."""
_CONTROL_BYTES_MAX = 1 << 16
"""A control file has 8 KiB."""
_IDENTIFIER_BYTES = 8
"""The system identifier begins the control file (src/include/catalog/pg_control.h)."""
_File = tuple[str, int]
"""Path and number of a file: a container's path may be another's."""


@dataclass
class Relations:
    """Asks the server at each reading, for a file's relation changes: what it was last is kept for the time after a rewrite."""

    server: NamesFiles
    places: FilePlaces
    proc: Path = Path("/proc")
    has_met_server: bool = False
    """Whether I/O of that very server was seen."""
    unknown_because: str | None = None
    """Why the server is asked no more."""
    _names: dict[_File, str] = field(default_factory=dict)

    def named(self, rows: Sequence[BlockIo]) -> list[BlockIo]:
        """The same rows with the relations that are known."""
        theirs = {pid for pid in {pid for row in rows for pid in self._users(row)} if self._is_servers(pid)}
        self.has_met_server = self.has_met_server or bool(theirs)
        asked: dict[_File, DataFile] = {}
        for row in rows:
            found = self._data_file(row)
            if found is not None and len(asked) < ASKED_MAX and not theirs.isdisjoint(self._users(row)):
                asked[_file_of(row)] = found[0]
        self._ask(asked)
        return [self._named(row) for row in rows]

    def _users(self, row: BlockIo) -> Iterator[int]:
        """Processes that use a file and may be the server's: of PostgreSQL, or at work in a folder above the file."""
        if row.file is None:
            return
        if row.pid is not None and is_postgres(row.role):
            yield row.pid
        if row.opened_by is not None and row.file.startswith(f"{self._folder(row.opened_by)}/"):
            yield row.opened_by

    def _named(self, row: BlockIo) -> BlockIo:
        """A relation's segments are one file to people."""
        name, found = self._names.get(_file_of(row)), self._data_file(row)
        return (
            row
            if name is None or found is None
            else replace(row, relation=name, file=found[1], inode_number=None)
        )

    def _data_file(self, row: BlockIo) -> tuple[DataFile, str] | None:
        return None if row.file is None or row.inode_number is None else self.places.data_file(row.file)

    def _ask(self, asked: dict[_File, DataFile]) -> None:
        if not asked or self.unknown_because is not None:
            return
        try:
            names = self.server.file_relations(set(asked.values()))
        except PlimsollError as error:
            self.unknown_because = error.message
            return
        if len(self._names) > NAMES_MAX:
            self._names.clear()
        self._names |= {file: names[data_file] for file, data_file in asked.items() if data_file in names}

    def _folder(self, pid: int) -> str:
        try:
            return os.readlink(self.proc / str(pid) / "cwd")
        except OSError:
            return ""

    def _is_servers(self, pid: int) -> bool:
        try:
            control = files.read_input(
                self.proc / str(pid) / "cwd" / "global" / "pg_control", _CONTROL_BYTES_MAX
            )
        except OSError:
            return False
        number = int.from_bytes(control[:_IDENTIFIER_BYTES], sys.byteorder)
        return str(number) == self.server.database.system_identifier


def _file_of(row: BlockIo) -> _File:
    return row.file or "", row.inode_number or 0

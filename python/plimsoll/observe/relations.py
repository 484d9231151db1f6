"""Relations in place of files: what a PostgreSQL says of the files that its own processes were seen to use.

A path alone tells no server from another, least of all in containers. A process is the server's if the folder that it works in is a
cluster whose control file has the server's number. Files that no such process was found to use keep their paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import DataFile, FilePlaces, NamesFiles
from plimsoll.observe.block_io import OfFile, RowOfFile
from plimsoll.observe.control_files import ControlFiles
from plimsoll.observe.roles import is_postgres

NAMES_MAX = 65_536
"""Files whose relation is remembered."""
ASKED_MAX = 2_000
"""Files that a server is asked for at each reading: first those that it never was, of these the busiest; the others wait."""
LAST_ROUNDS_MAX = 10
"""So many times as many are asked for when all has been read."""
_File = tuple[str, int]
"""Path and number of a file: a container's path may be another's."""


@dataclass
class _Turn:
    """A file to be asked for."""

    data_file: DataFile
    ios: int = 0


@dataclass
class Relations:
    """Asks the server at each reading, for a file's relation changes: what it was last is kept for the time after a rewrite."""

    server: NamesFiles
    places: FilePlaces
    proc: Path = Path("/proc")
    control_files: ControlFiles = field(init=False)
    has_met_server: bool = False
    """Whether I/O of that very server was seen."""
    unknown_because: str | None = None
    """Why the server is asked no more."""
    _names: dict[_File, str] = field(default_factory=dict)
    _answered: set[_File] = field(default_factory=set)
    """Files that the server was asked for, whatever it said."""
    _waiting: dict[_File, _Turn] = field(default_factory=dict)
    """Those that it was not yet."""

    def __post_init__(self) -> None:
        self.control_files = ControlFiles(self.proc)

    @property
    def are_withheld(self) -> bool:
        """Whether there are processes of which this user may not know whether they are the server's."""
        return self.control_files.are_withheld

    def named(self, rows: Sequence[RowOfFile]) -> list[RowOfFile]:
        """The same rows with the relations that are known."""
        theirs = {pid for pid in {pid for row in rows for pid in self._users(row)} if self._is_servers(pid)}
        self.has_met_server = self.has_met_server or bool(theirs)
        again: dict[_File, _Turn] = {}
        for row in rows:
            found = self._data_file(row)
            if found is not None and not theirs.isdisjoint(self._users(row)):
                file = _file_of(row)
                turns = again if file in self._answered else self._waiting
                if file in turns or len(turns) < NAMES_MAX:
                    turns.setdefault(file, _Turn(found[0])).ios += row.ios
        self._ask(self._busiest(again))
        return [self._named(row) for row in rows]

    def ask_the_rest(self) -> None:
        """For files that waited until now, of which there may be more still."""
        for _ in range(LAST_ROUNDS_MAX):
            self._ask(self._busiest({}))

    @property
    def waiting(self) -> int:
        """Files for which the server was not asked yet."""
        return len(self._waiting)

    def relation_of(self, path: str, inode_number: int) -> tuple[str, str] | None:
        """The relation of a file, and the path of its first segment."""
        name, found = self._names.get((path, inode_number)), self.places.data_file(path)
        return None if name is None or found is None else (name, found[1])

    def _users(self, row: OfFile) -> Iterator[int]:
        """Processes that use a file and may be the server's: of PostgreSQL, or at work in a folder above the file."""
        if row.file is None:
            return
        if row.pid is not None and is_postgres(row.role):
            yield row.pid
        if row.opened_by is not None and row.file.startswith(f"{self._folder(row.opened_by)}/"):
            yield row.opened_by

    def _named(self, row: RowOfFile) -> RowOfFile:
        found = None if row.file is None else self.relation_of(*_file_of(row))
        return row if found is None else row.of_relation(*found)

    def _data_file(self, row: OfFile) -> tuple[DataFile, str] | None:
        return None if row.file is None or row.inode_number is None else self.places.data_file(row.file)

    def _busiest(self, again: dict[_File, _Turn]) -> dict[_File, DataFile]:
        """The files that are asked for now: those that wait come before those that are asked for again."""
        turns = [
            turn
            for files_of in (self._waiting, again)
            for turn in sorted(files_of.items(), key=lambda item: -item[1].ios)
        ]
        return {file: turn.data_file for file, turn in turns[:ASKED_MAX]}

    def _ask(self, asked: dict[_File, DataFile]) -> None:
        if not asked or self.unknown_because is not None:
            return
        try:
            names = self.server.file_relations(set(asked.values()))
        except PlimsollError as error:
            self.unknown_because = error.message
            return
        self._remember_asked(asked)
        if len(self._names) > NAMES_MAX:
            self._names.clear()
        self._names |= {file: names[data_file] for file, data_file in asked.items() if data_file in names}

    def _remember_asked(self, asked: Iterable[_File]) -> None:
        if len(self._answered) > NAMES_MAX:
            self._answered.clear()
        for file in asked:
            self._answered.add(file)
            self._waiting.pop(file, None)

    def _folder(self, pid: int) -> str:
        try:
            return os.readlink(self.proc / str(pid) / "cwd")
        except OSError:
            return ""

    def _is_servers(self, pid: int) -> bool:
        return str(self.control_files.number_of(pid)) == self.server.database.system_identifier


def _file_of(row: OfFile) -> _File:
    return row.file or "", row.inode_number or 0

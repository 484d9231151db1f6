"""To which database and tablespace I/O belongs, and in which control group the process is that asked for it.

Nothing here is looked at unless somebody asks. A file is a server's if a process of it has the file open and works in the folder
below which it lies, or whose tablespace that is: a path alone tells no server from another. What is not known is None, and never
what is likely.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from plimsoll.facts.watch import WatchWord
from plimsoll.observe.block_io import OfFile, RowOfFile
from plimsoll.observe.cgroups import ProcessGroups
from plimsoll.observe.control_files import ControlFiles, number_in
from plimsoll.observe.data_places import (
    PostgresPlace,
    looks_like_data,
    mariadb_place,
    postgres_place,
    tablespace_folder,
)
from plimsoll.observe.names_told import NONE, by_instance, by_number, is_number_alone, of_server, quoted
from plimsoll.observe.open_files import FileNumber
from plimsoll.observe.roles import KERNEL, is_postgres, shares_memory
from plimsoll.ports import files

if TYPE_CHECKING:
    from plimsoll.observe.server_names import ServerNames

FILES_MAX = 65_536
"""Files whose place is remembered."""
_MARIADB = ("mariadbd", "mysqld")
_BUILT_IN = {1_663: "pg_default", 1_664: "pg_global"}


class Place(NamedTuple):
    """Labels of a database and a tablespace; None: unknown."""

    database: str | None
    tablespace: str | None


_UNKNOWN, _NOWHERE = Place(None, None), Place(NONE, NONE)
_File = tuple[str, FileNumber | None]


class Cluster(NamedTuple):
    """A PostgreSQL: a standby beside its primary has the same number, another container the same folder."""

    number: int
    folder: str


@dataclass
class Clusters:
    """PostgreSQL servers, by processes that work in their folders."""

    proc: Path = Path("/proc")
    control_files: ControlFiles = field(init=False)
    _locations: dict[Cluster, dict[str, int]] = field(default_factory=dict)
    _missed: set[str] = field(default_factory=set)
    """Folders that are no tablespace of any cluster, though they were looked for."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.control_files = ControlFiles(self.proc, self._read)

    def place(self, pid: int, path: str) -> tuple[Cluster, PostgresPlace] | None:
        """The server that a process works for, and where in it the file is; None where it is not known to be one of its files."""
        cluster = self.of(pid)
        if cluster is None:
            return None
        found = postgres_place(cluster.folder, self._places(cluster), path)
        folder = tablespace_folder(path)
        if found is None and folder is not None and folder not in self._missed:
            # A tablespace may have been made since: the server's links are read once more.
            self._miss(folder)
            self.control_files = ControlFiles(self.proc, self._read)
            if self.of(pid) == cluster:
                found = postgres_place(cluster.folder, self._places(cluster), path)
        return None if found is None else (cluster, found)

    def of(self, pid: int) -> Cluster | None:
        """The server that a process works for; None: none, or it is not known yet."""
        number = self.control_files.number_of(pid)
        folder = None if number is None else working_folder(self.proc, pid)
        return None if number is None or not folder else Cluster(number, folder)

    def _miss(self, folder: str) -> None:
        if len(self._missed) >= FILES_MAX:
            self._missed.clear()
        self._missed.add(folder)

    def _places(self, cluster: Cluster) -> dict[str, int]:
        with self._lock:
            return self._locations.get(cluster, {})

    def _read(self, control_file: Path) -> int | None:
        """The number in it, with the server's links to its tablespaces; by a thread, as it may take long."""
        number = number_in(control_file)
        data = control_file.parent.parent
        folder = None if number is None else working_folder(self.proc, int(data.parent.name))
        if number is not None and folder:
            links = dict(_links(data / "pg_tblspc"))
            with self._lock:
                self._locations[Cluster(number, folder)] = links
        return number


def _links(folder: Path) -> Iterator[tuple[str, int]]:
    """Where tablespaces lie, and their numbers."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            target = os.readlink(folder / name) if name.isdecimal() else None
        except OSError:
            continue  # it is a folder, or gone
        if target:
            yield target.rstrip("/"), int(name)


def working_folder(proc: Path, pid: int) -> str | None:
    """In which a process works; None where that is not to be seen."""
    try:
        return os.readlink(proc / str(pid) / "cwd")
    except OSError:
        return None


@dataclass
class Belonging:
    """Tells of rows what is asked for, and nothing else."""

    words: Collection[WatchWord]
    """Of these: database, tablespace and cgroup."""
    names: ServerNames | None = None
    """Of the server that is connected to."""
    proc: Path = Path("/proc")
    groups: ProcessGroups = field(init=False)
    clusters: Clusters = field(init=False)
    _places: dict[_File, Place] = field(default_factory=dict)
    _first_folders: dict[int, str] = field(default_factory=dict)
    """Of the number of the PostgreSQL that is connected to the folder."""
    _by_folder: dict[str, list[int]] = field(default_factory=dict)
    """Of each folder the numbers of the clusters that have it, each in its container."""
    _commands: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = ProcessGroups(self.proc)
        self.clusters = Clusters(self.proc)

    def told(self, rows: Sequence[RowOfFile], unknown: Counter[WatchWord]) -> list[RowOfFile]:
        """The same rows, with what they belong to. `unknown` counts the reads and writes of which that is not known."""
        self._commands.clear()
        if self.names is not None:
            self.names.look_again()
        return [self._told(row, unknown) for row in rows]

    def _told(self, row: RowOfFile, unknown: Counter[WatchWord]) -> RowOfFile:
        is_placed = "database" in self.words or "tablespace" in self.words
        place = self._place(row) if is_placed else _UNKNOWN
        group = self._group(row) if "cgroup" in self.words else None
        found: dict[WatchWord, str | None] = {
            "database": place.database,
            "tablespace": place.tablespace,
            "cgroup": group,
        }
        told: dict[WatchWord, str | None] = {word: found[word] for word in self.words}
        if row.operation in ("read", "write"):
            for word, label in told.items():
                unknown[word] += row.ios if label is None else 0
        return row.belonging(told.get("database"), told.get("tablespace"), told.get("cgroup"))

    def _group(self, row: OfFile) -> str | None:
        if row.role == KERNEL and row.pid is None:
            return NONE
        return None if row.pid is None or row.started_ns is None else self.groups.of(row.pid, row.started_ns)

    def _place(self, row: OfFile) -> Place:
        if row.file is not None and (found := self._of_file(row.file, row)) is not None:
            return found
        if row.instance is not None:
            return Place(by_instance(row.instance) if row.instance else None, None)
        if row.file_kind == "device":
            return _NOWHERE  # a file system's own
        if row.file is None or looks_like_data(row.file):
            return _UNKNOWN
        # What the kernel writes of a file may be Oracle's, whose files can have any path.
        is_known = row.role != KERNEL or (row.opened_by is not None and self._is_no_databases(row.opened_by))
        return _NOWHERE if is_known else _UNKNOWN

    def _of_file(self, path: str, row: OfFile) -> Place | None:
        """By a process of a server that has it open, now or when it was last asked for."""
        file = (path, row.number)
        if row.number is not None and file in self._places:
            return self._places[file]
        for pid in dict.fromkeys(self._users(row)):
            found = self._in_postgres(pid, path) or self._in_mariadb(pid, path)
            if found is not None:
                if not any(map(is_number_alone, found)):
                    self._remember(file, found)
                return found
        return None

    def _remember(self, file: _File, place: Place) -> None:
        if len(self._places) >= FILES_MAX:
            self._places.clear()
        self._places[file] = place

    def _users(self, row: OfFile) -> Iterator[int]:
        if row.pid is not None:
            yield row.pid
        if row.opened_by is not None:
            yield row.opened_by

    def _in_postgres(self, pid: int, path: str) -> Place | None:
        if not is_postgres(self._command(pid)):
            return None
        found = self.clusters.place(pid, path)
        return None if found is None else self._postgres_labels(*found)

    def _postgres_labels(self, cluster: Cluster, place: PostgresPlace) -> Place:
        names = (
            self.names if self.names is not None and self.names.identifier == str(cluster.number) else None
        )
        server = self._server(cluster, names)
        database: str | None = place.database if isinstance(place.database, str) else None
        if isinstance(place.database, int):
            name = None if names is None else names.database(place.database)
            database = by_number(place.database) if name is None else quoted(name)
        tablespace: str | None = place.tablespace if isinstance(place.tablespace, str) else None
        if isinstance(place.tablespace, int):
            name = None if names is None else names.tablespace(place.tablespace)
            name = name or _BUILT_IN.get(place.tablespace)
            tablespace = by_number(place.tablespace) if name is None else quoted(name)
        labels = (one if one in (None, NONE) else of_server(one, server) for one in (database, tablespace))
        return Place(*labels)

    def _server(self, cluster: Cluster, names: ServerNames | None) -> str | None:
        """What stands behind the names of a server: nothing for the one that is connected to, else its folder, and its number
        where another has the same folder."""
        if names is not None:
            # A standby has its primary's number: which of them answers is seen by the process that does.
            answering = None if names.pid is None else self.clusters.of(names.pid)
            first = answering if answering is not None and answering.number == cluster.number else cluster
            if self._first_folders.setdefault(cluster.number, first.folder) == cluster.folder:
                return None
        numbers = self._by_folder.setdefault(cluster.folder, [])
        if cluster.number not in numbers:
            numbers.append(cluster.number)
        return cluster.folder if numbers[0] == cluster.number else f"{cluster.folder} ({cluster.number})"

    def _in_mariadb(self, pid: int, path: str) -> Place | None:
        if self._command(pid) not in _MARIADB:
            return None
        folder = working_folder(self.proc, pid)
        found = None if not folder else mariadb_place(folder, path)
        if found is None or folder is None:
            return None
        labels = [one if one in (None, NONE) else of_server(one, folder) for one in found]
        return Place(*labels)

    def _is_no_databases(self, pid: int) -> bool:
        """Whether a process runs that is none of a database's."""
        command = self._command(pid)
        return bool(command) and not shares_memory(command) and command not in _MARIADB

    def _command(self, pid: int) -> str:
        """Of the whole process, whose threads have names of their own; empty where it has ended."""
        if pid not in self._commands:
            told = files.read_bytes(self.proc / str(pid) / "comm") or b""
            self._commands[pid] = os.fsdecode(told).removesuffix("\n")
        return self._commands[pid]

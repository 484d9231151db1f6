"""Database servers that run on this machine, and where their files lie.

PostgreSQL, MariaDB and MySQL, and Oracle are known, each by the name that the kernel keeps of its processes (proc_pid_comm(5)).
Where a server's files lie is told by what it holds open for writing (proc_pid_fd(5)) and by its data folder. A log that is only
appended to says nothing: it may lie anywhere. A server whose data lie in a scratch folder is one that Plimsoll started itself.

Files of other users' processes are seen by root only; then the data folder that stands in the command line has to do.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.context.scratch import is_scratch_name
from plimsoll.ports import files

PROC = Path("/proc")
_KINDS = {
    "postgres": "postgresql",
    "postmaster": "postgresql",
    "edb-postgres": "postgresql",
    "mariadbd": "mariadb",
    "mysqld": "mysql",
}
_ORACLE = re.compile(r"ora_(pmon|dbw.|bw\d\d|lgwr|lg\d\d|ckpt)_(.+)")
"""Background processes that hold an instance's files open, and the instance's name; pmon stands for it."""
_COMM_LETTERS = 15
"""Of a name that the kernel keeps (proc_pid_comm(5))."""
_DEFAULT_FOLDERS = {"mariadb": "/var/lib/mysql", "mysql": "/var/lib/mysql"}
_FOLDER_WORDS = {
    "postgresql": re.compile(
        r"(?:^|\0)(?:-D\0?|--data-directory[=\0]|--pgdata[=\0]|data_directory=)([^\0]+)"
    ),
    "mariadb": re.compile(r"(?:^|\0)(?:--datadir[=\0]|-h\0?)([^\0]+)"),
    "mysql": re.compile(r"(?:^|\0)(?:--datadir[=\0]|-h\0?)([^\0]+)"),
}
_FLAGS = re.compile(r"^flags:\s*([0-7]+)$", re.MULTILINE)
_DELETED = " (deleted)"


@dataclass(frozen=True)
class Place:
    """Something that a server has on storage, and the number of the device that holds it (`st_dev`, of a device `st_rdev`)."""

    name: str
    number: int


@dataclass(frozen=True)
class DatabaseServer:
    """A running server. `places` are empty where nothing may be seen of it."""

    kind: str
    program: str
    process: int
    data_folder: str | None
    places: tuple[Place, ...]
    mounts: str
    """The mount table that it sees (proc_pid_mountinfo(5)): a container has its own."""

    @property
    def is_ours(self) -> bool:
        """Whether Plimsoll started it: its data lie in a folder of a scratch."""
        return self.data_folder is not None and any(map(is_scratch_name, Path(self.data_folder).parts))

    @property
    def words(self) -> str:
        """`postgresql (postgres, process 812, data in /srv/pg)`."""
        data = "" if self.data_folder is None else f", data in {self.data_folder}"
        return f"{self.kind} ({self.program}, process {self.process}{data})"


@dataclass(frozen=True)
class _Process:
    number: int
    program: str
    kind: str
    group: str
    """What its server's processes have in common beside their parent: of Oracle the instance."""
    parent: int


def database_servers(proc: Path = PROC) -> list[DatabaseServer]:
    """All that run here, by process number."""
    families = list(_families(_processes(proc)))
    servers = [_server(leader, family, proc) for leader, family in families]
    return [
        server
        for server, (_, family) in zip(servers, families, strict=True)
        if server.places or _is_any_left(family, proc)
    ]


def _is_any_left(family: Sequence[_Process], proc: Path) -> bool:
    """Whether the server still runs: of one that ended while it was looked at, nothing is seen and nothing is used."""
    now = (_process(one.number, proc) for one in family)
    return any(left is not None and left.kind == family[0].kind for left in now)


def server_processes(leader: int, proc: Path = PROC) -> list[int]:
    """A server's first process and its children, as they are now (proc_pid_task(5), `children`)."""
    children = files.read_text(proc / str(leader) / "task" / str(leader) / "children") or ""
    return [leader, *(int(number) for number in children.split() if number.isdigit())]


def family_of(server: DatabaseServer, proc: Path = PROC) -> frozenset[int]:
    """All of its processes as they are now; of Oracle also the servers that a listener started."""
    if server.kind != "oracle":
        return frozenset(server_processes(server.process, proc))
    instance = server.program.split("_", 2)[2]
    numbers = (int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    return frozenset(one for one in numbers if _is_of_oracle(one, instance, proc))


def _is_of_oracle(number: int, instance: str, proc: Path) -> bool:
    """Background processes by their names, and servers of sessions by `oracleSID (LOCAL=NO)`."""
    words = (files.read_text(proc / str(number) / "cmdline") or "").split("\0")[0]
    return words.split(" ")[0] == f"oracle{instance}" or (
        words.startswith("ora_") and words.endswith(f"_{instance}")
    )


def _processes(proc: Path) -> list[_Process]:
    numbers = sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    return [found for number in numbers if (found := _process(number, proc)) is not None]


def _process(number: int, proc: Path) -> _Process | None:
    program = files.read_text(proc / str(number) / "comm") or ""
    if program.startswith("ora_") and len(program) == _COMM_LETTERS:
        program = _whole_name(number, program, proc)
    instance = _ORACLE.fullmatch(program)
    kind = "oracle" if instance else _KINDS.get(program)
    if kind is None:
        return None
    fields = (files.read_text(proc / str(number) / "stat") or "").rpartition(")")[2].split()
    if len(fields) < 2 or fields[0] in "ZX":
        return None
    return _Process(number, program, kind, instance[2] if instance else "", int(fields[1]))


def _whole_name(number: int, program: str, proc: Path) -> str:
    """As its command line has it, of which the kernel keeps the first letters: instances may differ in those behind them."""
    said = (files.read_text(proc / str(number) / "cmdline") or "").split("\0")[0]
    return said if said.startswith(program) else program


def _families(found: Sequence[_Process]) -> Iterator[tuple[_Process, list[_Process]]]:
    """Each server's first process with all of its processes."""
    by_number = {one.number: one for one in found}
    families: dict[int | str, list[_Process]] = {}
    for one in found:
        families.setdefault(one.group or _root(one, by_number), []).append(one)
    for family in families.values():
        yield (
            min(
                family,
                key=lambda one: (
                    "_pmon_" not in one.program,
                    one.number != _root(one, by_number),
                    one.number,
                ),
            ),
            family,
        )


def _root(one: _Process, by_number: dict[int, _Process]) -> int:
    """The server that it belongs to: the topmost of its forebears that is one of that kind."""
    seen = {one.number}
    while (
        (parent := by_number.get(one.parent)) is not None
        and parent.kind == one.kind
        and parent.number not in seen
    ):
        one = parent
        seen.add(one.number)
    return one.number


def _server(leader: _Process, family: Sequence[_Process], proc: Path) -> DatabaseServer:
    home = proc / str(leader.number)
    data_folder = None if leader.kind == "oracle" else _data_folder(leader, home)
    # The data folder stands first: of several places on one device it is named, and it does not go as a file may.
    places = [] if data_folder is None else list(_folder_places(leader, home, data_folder))
    places += [place for one in family for place in _open_places(proc / str(one.number))]
    by_number = {place.number: place for place in reversed(places)}
    mounts = files.read_text(home / "mountinfo") or files.read_text(proc / "self" / "mountinfo") or ""
    ordered = tuple(sorted(by_number.values(), key=lambda place: place.number))
    return DatabaseServer(leader.kind, leader.program, leader.number, data_folder, ordered, mounts)


def _data_folder(leader: _Process, home: Path) -> str | None:
    """What the command line or the environment says; PostgreSQL, MariaDB and MySQL also work in it."""
    said = _FOLDER_WORDS[leader.kind].search(files.read_text(home / "cmdline") or "")
    if said is not None and said[1].startswith("/"):
        return said[1]
    works_in = _link(home / "cwd")
    if works_in is not None and works_in != "/":
        return works_in
    default = _DEFAULT_FOLDERS.get(leader.kind)
    return default if default is not None and os.path.isdir(default) else None


def _link(path: Path) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def _folder_places(leader: _Process, home: Path, data_folder: str) -> Iterator[Place]:
    """The data folder, and what PostgreSQL reaches from it by links: its log and its tablespaces."""
    seen_by_it = home / "root" / data_folder.lstrip("/")
    for path, name in (
        (seen_by_it, data_folder),
        (home / "cwd", _link(home / "cwd")),
        (Path(data_folder), data_folder),
    ):
        place = _place(path, name or data_folder) if name not in (None, "/") else None
        if place is not None:
            yield place
            break
    if leader.kind == "postgresql":
        folder = Path(data_folder)
        for path in (folder / "pg_wal", *_entries(folder / "pg_tblspc")):
            place = _place(path, str(path))
            if place is not None:
                yield place


def _open_places(process: Path) -> Iterator[Place]:
    """Files and devices that it has open for writing, other than logs that are appended to and files that have no name left."""
    for link in _entries(process / "fd"):
        name = _link(link)
        if name is None or not name.startswith("/") or name.endswith(_DELETED):
            continue
        flags = _FLAGS.search(files.read_text(process / "fdinfo" / link.name) or "")
        opened = int(flags[1], 8) if flags else os.O_RDWR
        if opened & os.O_ACCMODE == os.O_RDONLY or opened & os.O_APPEND:
            continue
        place = _place(link, name)
        if place is not None:
            yield place


def _entries(folder: Path) -> Iterable[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return ()


def _place(path: Path, name: str) -> Place | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    if stat.S_ISBLK(state.st_mode):
        return Place(name, state.st_rdev)
    return Place(name, state.st_dev) if stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode) else None

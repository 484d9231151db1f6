"""What a process is in its database: the words of `backend_type` for PostgreSQL, the process's name for Oracle, else its command.

PostgreSQL: src/backend/utils/init/miscinit.c, GetBackendTypeDesc, whose words stand in each process's title behind
`postgres: ` and, where it is set, the name of the cluster.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from plimsoll.ports import files, processes

KERNEL = "kernel"
OTHERS = "others"
"""The role of rows beyond those that are told apart."""
CLIENT_BACKEND = "client backend"
WALSENDER = "walsender"
_NS_PER_S = 10**9
_POSTGRES_TITLE = re.compile(r"postgres: (?P<words>.+)", re.DOTALL)
_POSTGRES_ROLES = (
    "archiver",
    "autovacuum launcher",
    "autovacuum worker",
    "background writer",
    "checkpointer",
    "io worker",
    "logger",
    "logical replication apply worker",
    "logical replication launcher",
    "logical replication parallel apply worker",
    "logical replication tablesync worker",
    "logical replication worker",
    "parallel worker",
    "slotsync worker",
    "startup",
    "stats collector",
    "walreceiver",
    WALSENDER,
    "walsummarizer",
    "walwriter",
)
_RESERVED = frozenset({KERNEL, OTHERS, CLIENT_BACKEND, *_POSTGRES_ROLES})
"""What no process is by its command alone, which anybody may choose."""
_UNTITLED = frozenset({"postgres", "postmaster"})
"""Commands of processes whose title tells what they are."""
_PROCESSES_MAX = 65_536
"""Processes that are remembered."""
_TITLE_WHOLE_MAX = 126
"""Bytes of a title that the kernel's probe kept whole; a longer one may lack what tells the role."""
_CLIENT = re.compile(r" (\[local\]|\S+\(\d+\))( |$)")
"""Where a client's session comes from, which the title of every backend says."""
_ORACLE = re.compile(r"ora_(?P<process>[a-z0-9]+)_(?P<sid>\S+)")


@dataclass(frozen=True)
class Role:
    """What a process is."""

    name: str
    is_untitled: bool
    """Whether its title, which alone tells, was never read."""


@dataclass
class Roles:
    """Roles of processes, asked for once for each reading: a title may change. One that has ended is what it last was."""

    _known: dict[tuple[int, int], Role] = field(default_factory=dict)
    _asked: set[tuple[int, int]] = field(default_factory=set)

    def look_again(self) -> None:
        """Titles may be others than at the reading before."""
        self._asked.clear()

    def of(self, pid: int, started_ns: int, command: str, title_before: str = "") -> Role:
        """The role of that very process. `title_before` is what a probe read of its title, for where it has ended since."""
        process = (pid, started_ns)
        if process not in self._asked:
            self._asked.add(process)
            title = title_of(pid, started_ns)
            if title is None and process not in self._known:
                title = _whole(title_before)
            if title is not None or process not in self._known:
                self._remember(process, Role(role_of(command, title), title is None and command in _UNTITLED))
        return self._known[process]

    def _remember(self, process: tuple[int, int], role: Role) -> None:
        if len(self._known) >= _PROCESSES_MAX:
            self._known.clear()
            self._asked = {process}
        self._known[process] = role


def _whole(title: str) -> str | None:
    return title.strip() if 0 < len(os.fsencode(title)) <= _TITLE_WHOLE_MAX else None


def is_postgres(role: str) -> bool:
    """Whether a process of that role is one of PostgreSQL's."""
    return role == CLIENT_BACKEND or role in _UNTITLED or role in _POSTGRES_ROLES


def role_of(command: str, title: str | None) -> str:
    """The role by a process's command and by its title, which may be unknown; the kernel keeps 15 bytes of a command."""
    if oracle := _ORACLE.match(title or "") or _ORACLE.match(command):
        return f"{oracle['process']} {oracle['sid']}"
    if title and (postgres := _POSTGRES_TITLE.match(title)):
        return _postgres_role(postgres["words"]) or command
    return f"command {command}" if command in _RESERVED else command


def _postgres_role(words: str) -> str | None:
    """None for a worker of an extension, whose title nobody can know."""
    _, colon, behind_cluster = words.partition(": ")
    is_client = _CLIENT.search(words) is not None
    # A user may be called as one of the server's own processes; of these the walsender alone has a client.
    roles = (WALSENDER,) if is_client else _POSTGRES_ROLES
    for part in (words, behind_cluster) if colon else (words,):
        for role in roles:
            if part == role or part.startswith(f"{role} "):
                return role
    return CLIENT_BACKEND if is_client else None


def title_of(pid: int, started_ns: int) -> str | None:
    """The title of that very process; None where it has ended, also if its number is another's by now."""
    if not is_running(pid, started_ns):
        return None
    title = files.read_bytes(f"/proc/{pid}/cmdline")
    # A process could end between the two looks, and its number be given out anew.
    if not title or not is_running(pid, started_ns):
        return None
    return os.fsdecode(title).replace("\0", " ").strip()


def is_running(pid: int, started_ns: int) -> bool:
    """Whether the process that began then, in nanoseconds since the host was started, still has that number."""
    return processes.identity(pid) == processes.Identity(
        pid, started_ns * os.sysconf("SC_CLK_TCK") // _NS_PER_S
    )

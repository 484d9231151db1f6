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
FOREGROUND = "foreground"
"""The process of a session of Oracle Database, which the instance's name follows."""
IO_WORKER = "io worker"
"""Of PostgreSQL 18 and later: it does what other processes ask it for."""
POSTGRES = "postgres"
WALSENDER = "walsender"
WALWRITER = "walwriter"
_NS_PER_S = 10**9
_POSTGRES_TITLE = re.compile(r"postgres: (?P<words>.+)", re.DOTALL)
_POSTGRES_ROLES = (
    "archiver",
    "autovacuum launcher",
    "autovacuum worker",
    "background writer",
    "checkpointer",
    IO_WORKER,
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
    WALWRITER,
)
SESSIONS = (
    CLIENT_BACKEND,
    POSTGRES,
    WALWRITER,
    "logical replication apply worker",
    "logical replication parallel apply worker",
    "logical replication worker",
    "parallel worker",
)
"""Roles of PostgreSQL that commit, or write the log for who does; `postgres` is one whose title was not read."""
WRITES_DATA = ("background writer", "checkpointer")
"""Roles of PostgreSQL whose flushes are of data."""
_RESERVED = frozenset({KERNEL, OTHERS, CLIENT_BACKEND, *_POSTGRES_ROLES})
"""What no process is by its command alone, which anybody may choose."""
_UNTITLED = frozenset({"postgres", "postmaster"})
"""Commands of processes whose title tells what they are."""
_ENDED = "ended"
"""The role of a process that had ended before anything of it was known."""
_PROCESSES_MAX = 65_536
"""Processes that are remembered."""
_TITLE_WHOLE_MAX = 126
"""Bytes of a title that the kernel's probe kept whole; a longer one may lack what tells the role."""
_CLIENT = re.compile(r" (\[local\]|\S+\(\d+\))( |$)")
"""Where a client's session comes from, which the title of every backend says."""
_ORACLE = re.compile(r"(?:ora|asm|mdb|apx)_(?P<process>[a-z0-9]+)_(?P<sid>\S+)")
"""A process of an Oracle Database or of ASM: in its title, and as far as it goes in its command."""
_ORACLE_FOREGROUND = re.compile(r"oracle(?P<sid>[+-][A-Za-z0-9]+|[^\s(]+)[^\s(]* \(")
"""The title of a session's own process; behind the instance of ASM stands whom it serves."""
_ORACLE_UNTITLED = "oracle"
_ORACLE_COMMAND = re.compile(r"oracle(_\d+(_.*)?)?")
"""The command of such a process: since 12.2 with its own number, and with what there is room for of the instance."""
_ORACLE_GROUPS = (
    (re.compile(r"p\d\w\w"), "parallel server"),
    (re.compile(r"j\d\w\w"), "job"),
    (re.compile(r"s\d\w\w"), "shared server"),
    (re.compile(r"l\d\w\w"), "pooled server"),
    (re.compile(r"u\d\w\w|scmn"), "threads"),
)
"""Processes that are many of a kind. With threaded_execution (12.1 and later) one holds threads of every kind, also sessions."""
_COMMAND_BYTES_MAX = 15
"""The kernel keeps so many of a command."""


@dataclass(frozen=True)
class Role:
    """What a process is."""

    name: str
    is_untitled: bool
    """Whether its title, which alone tells, was never read."""
    is_hidden: bool = False
    """Whether that is so because /proc does not let us see it; else it had ended."""
    instance: str | None = None
    """Of Oracle, to which it belongs; empty: its name is not known, or not all of it; None: it is none of Oracle's."""


@dataclass
class Roles:
    """Roles of processes, asked for once for each reading: a title may change. One that has ended is what it last was.

    A process that runs another program from some moment on, as a command that a shell starts, is another from there: what was done
    before is the shell's.
    """

    _known: dict[tuple[int, int, str], Role] = field(default_factory=dict)
    """By number, start and command."""
    _asked: set[tuple[int, int, str]] = field(default_factory=set)
    _titles: dict[tuple[int, int], str | None] = field(default_factory=dict)

    def look_again(self) -> None:
        """Titles may be others than at the reading before."""
        self._asked.clear()
        self._titles.clear()

    def of(self, pid: int, started_ns: int, command: str | None, title_before: str = "") -> Role:
        """The role of that very process. `title_before` is what a probe read of its title, for where it has ended since; `command`
        is None where it had ended before anybody read that: it is then what it last was."""
        if command is None:
            return self._last(pid, started_ns)
        process = (pid, started_ns, command)
        if process not in self._asked:
            self._asked.add(process)
            title = self._title(pid, started_ns)
            if title is None and process not in self._known:
                title = _whole(title_before)
            if title is not None or process not in self._known:
                self._remember(process, _role(pid, command, title))
        return self._known[process]

    def _last(self, pid: int, started_ns: int) -> Role:
        found = (role for key, role in reversed(self._known.items()) if key[:2] == (pid, started_ns))
        return next(found, Role(_ENDED, False))

    def _title(self, pid: int, started_ns: int) -> str | None:
        process = (pid, started_ns)
        if process not in self._titles:
            self._titles[process] = title_of(pid, started_ns)
        return self._titles[process]

    def _remember(self, process: tuple[int, int, str], role: Role) -> None:
        if len(self._known) >= _PROCESSES_MAX:
            self._known.clear()
            self._asked = {process}
        self._known[process] = role


def _whole(title: str) -> str | None:
    return title.strip() if 0 < len(os.fsencode(title)) <= _TITLE_WHOLE_MAX else None


def is_postgres(role: str) -> bool:
    """Whether a process of that role is one of PostgreSQL's."""
    return role == CLIENT_BACKEND or role in _UNTITLED or role in _POSTGRES_ROLES


def shares_memory(command: str) -> bool:
    """Whether a process of that command is of a database whose sessions are processes, which share their cache."""
    is_of_oracle = _ORACLE.fullmatch(command) or _ORACLE_COMMAND.fullmatch(command)
    return command in _UNTITLED or is_of_oracle is not None


def role_of(command: str, title: str | None) -> str:
    """The role by a process's command and by its title, which may be unknown."""
    if oracle := _oracle_role(command, title):
        return oracle
    if title and (postgres := _POSTGRES_TITLE.match(title)):
        return _postgres_role(postgres["words"]) or command
    return f"command {command}" if command in _RESERVED else command


def _role(pid: int, command: str, title: str | None) -> Role:
    is_untitled = title is None and _needs_title(command)
    is_hidden = is_untitled and processes.is_hidden(pid)
    return Role(role_of(command, title), is_untitled, is_hidden, instance_of(command, title))


def instance_of(command: str, title: str | None) -> str | None:
    """The instance of Oracle that a process belongs to; empty where its name is not known or cut; None: it is none of Oracle's."""
    if found := _ORACLE.match(title or ""):
        return found["sid"]
    if command.startswith("oracle") and (found := _ORACLE_FOREGROUND.match(title or "")):
        return found["sid"]
    if found := _ORACLE.match(command):
        return "" if _is_cut(command) else found["sid"]
    return "" if title is None and _ORACLE_COMMAND.fullmatch(command) else None


def _needs_title(command: str) -> bool:
    is_oracles = _ORACLE_COMMAND.fullmatch(command) or (_ORACLE.match(command) and _is_cut(command))
    return command in _UNTITLED or bool(is_oracles)


def _oracle_role(command: str, title: str | None) -> str | None:
    """With the instance, as several may run on one host."""
    if found := _ORACLE.match(title or ""):
        return f"{_oracle_process(found['process'])} {found['sid']}"
    if command.startswith("oracle") and (found := _ORACLE_FOREGROUND.match(title or "")):
        return f"{FOREGROUND} {found['sid']}"
    if found := _ORACLE.match(command):
        return f"{_oracle_process(found['process'])} {found['sid']}{'…' if _is_cut(command) else ''}"
    return _ORACLE_UNTITLED if title is None and _ORACLE_COMMAND.fullmatch(command) else None


def _oracle_process(name: str) -> str:
    return next((group for names, group in _ORACLE_GROUPS if names.fullmatch(name)), name)


def _is_cut(command: str) -> bool:
    """Whether there may have been more of it: another instance's name may begin alike."""
    return len(os.fsencode(command)) >= _COMMAND_BYTES_MAX


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

"""What a process is in its database: the words of `backend_type` for PostgreSQL, the process's name for Oracle, else its command.

PostgreSQL: src/backend/utils/init/miscinit.c, GetBackendTypeDesc, whose words stand in each process's title behind
`postgres: ` and, where it is set, the name of the cluster.
"""

from __future__ import annotations

import os
import re

from plimsoll.ports import files, processes

KERNEL = "kernel"
CLIENT_BACKEND = "client backend"
_NS_PER_S = 10**9
_POSTGRES_TITLE = re.compile(r"postgres: (?P<words>.+)", re.DOTALL)
_WALSENDER = "walsender"
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
    _WALSENDER,
    "walsummarizer",
    "walwriter",
)
_CLIENT = re.compile(r" (\[local\]|\S+\(\d+\))( |$)")
"""Where a client's session comes from, which the title of every backend says."""
_ORACLE = re.compile(r"ora_(?P<process>[a-z0-9]+)_(?P<sid>\S+)")


def role_of(command: str, title: str | None) -> str:
    """The role by a process's command and by its title, which may be unknown; the kernel keeps 15 bytes of a command."""
    if oracle := _ORACLE.match(title or "") or _ORACLE.match(command):
        return f"{oracle['process']} {oracle['sid']}"
    if title and (postgres := _POSTGRES_TITLE.match(title)):
        return _postgres_role(postgres["words"]) or command
    return command


def _postgres_role(words: str) -> str | None:
    """None for a worker of an extension, whose title nobody can know."""
    _, colon, behind_cluster = words.partition(": ")
    is_client = _CLIENT.search(words) is not None
    # A user may be called as one of the server's own processes; of these the walsender alone has a client.
    roles = (_WALSENDER,) if is_client else _POSTGRES_ROLES
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

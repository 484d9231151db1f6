"""Databases of a running host, and processes that were named: the CPUs they may use, and the nodes that their memory is on.

source: proc_pid_status(5), `Cpus_allowed_list` and `Mems_allowed_list`, in which control groups count already
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.facts import AuditedDatabase, Topology
from plimsoll.host.audit._homes import memory_homes
from plimsoll.host.database_servers import DatabaseServer, database_servers, family_of, server_processes
from plimsoll.host.process_places import Memory, memory_of, threads_of, together
from plimsoll.host.topology.values import parse_list
from plimsoll.ports import files

_MEMORY_PROCESSES_MAX = 32
"""Of a server the processes with most memory: to tell where it is takes long in each, and shared memory is in all of them."""


@dataclass(frozen=True)
class Database:
    """A server's processes. None: not told."""

    server: DatabaseServer
    processes: tuple[int, ...]
    cpus: frozenset[int] | None
    nodes_allowed: frozenset[int] | None
    cpu_nodes: frozenset[int] | None
    home_nodes: frozenset[int] | None
    """Nodes whose memory is as near as any to the CPUs that it may run on."""
    memory: Memory | None

    @property
    def kind(self) -> str:
        """Which database."""
        return self.server.kind

    @property
    def words(self) -> str:
        """What it is called."""
        return self.server.words

    @property
    def elsewhere_bytes(self) -> int | None:
        """Its memory on nodes that are home to none of its CPUs."""
        if self.memory is None or self.home_nodes is None:
            return None
        return sum(size for node, size in self.memory.by_node.items() if node not in self.home_nodes)

    def fact(self) -> AuditedDatabase:
        """As it is told."""
        return AuditedDatabase(
            of=self.words,
            kind=self.kind,
            process=self.server.process,
            processes=len(self.processes),
            cpus=_sorted(self.cpus),
            cpu_nodes=_sorted(self.cpu_nodes),
            memory_nodes=_sorted(self.nodes_allowed),
            memory_bytes=None if self.memory is None else self.memory.by_node.total(),
            memory_elsewhere_bytes=self.elsewhere_bytes,
        )


def _sorted(numbers: frozenset[int] | None) -> tuple[int, ...] | None:
    return None if numbers is None else tuple(sorted(numbers))


def databases(topology: Topology, named: Sequence[int], proc: Path) -> list[Database]:
    """All that run, but for those that Plimsoll started itself, and the processes that were named with their children.

    Raises UsageError `audit-process-missing`.
    """
    chosen = [_named(number, proc) for number in dict.fromkeys(named)]
    families = [(one, family_of(one, proc)) for one in database_servers(proc)]
    families = [(one, family) for one, family in families if not one.is_ours or family & set(named)]
    known = frozenset[int]().union(*(family for _, family in families))
    families += [
        (one, frozenset(server_processes(one.process, proc))) for one in chosen if one.process not in known
    ]
    return [_database(topology, server, sorted(family), proc) for server, family in families]


def _named(number: int, proc: Path) -> DatabaseServer:
    program = files.read_text(proc / str(number) / "comm")
    if program is None:
        message = f"--pid: there is no process {number} that can be seen"
        raise UsageError(
            "audit-process-missing", message, "Name one that `ps -e` shows, or run this as root."
        )
    return DatabaseServer("process", program, number, None, (), "")


def _database(topology: Topology, server: DatabaseServer, family: Sequence[int], proc: Path) -> Database:
    texts = [text for number in family for text in _statuses(number, proc)]
    cpus = _union(texts, "Cpus_allowed_list")
    homes = {cpu.id: cpu.node for cpu in topology.cpus if cpu.online}
    online = None if cpus is None else cpus & frozenset(homes)
    found = frozenset(homes[cpu] for cpu in online or ())
    nodes = None if None in found or not online else frozenset(one for one in found if one is not None)
    return Database(
        server=server,
        processes=tuple(family),
        cpus=online,
        nodes_allowed=_union(texts, "Mems_allowed_list"),
        cpu_nodes=nodes,
        home_nodes=None if nodes is None else memory_homes(topology, nodes),
        memory=_memory(family, proc),
    )


def _statuses(number: int, proc: Path) -> Iterator[str]:
    """Of each of its threads, which may be bound apart."""
    for thread in threads_of(number, proc):
        text = files.read_text(proc / str(number) / "task" / str(thread) / "status")
        if text is not None:
            yield text


def cpus_of(thread: Path) -> frozenset[int] | None:
    """Those that a thread may run on, by its folder; None: not told."""
    return _union([files.read_text(thread / "status") or ""], "Cpus_allowed_list")


def _union(texts: Iterable[str], name: str) -> frozenset[int] | None:
    """What any of them may use; None: none tells."""
    found = [line for text in texts if (line := re.search(rf"^{name}:\s*(\S+)$", text, re.MULTILINE))]
    try:
        return frozenset[int]().union(*(parse_list(one[1]) for one in found)) or None
    except ValueError:
        return None


def _memory(family: Sequence[int], proc: Path) -> Memory | None:
    """None where a process that lives does not tell."""
    largest = sorted(family, key=lambda one: -(status_kib(one, "VmRSS", proc) or 0))[:_MEMORY_PROCESSES_MAX]
    told = [(one, memory_of(one, proc)) for one in largest]
    lacking = [one for one, memory in told if memory is None and threads_of(one, proc)]
    known = [memory for _, memory in told if memory is not None]
    return together(known) if known and not lacking else None


def status_kib(number: int, name: str, proc: Path) -> int | None:
    """A size of a process; None: not told."""
    text = files.read_text(proc / str(number) / "status") or ""
    found = re.search(rf"^{name}:\s*(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) if found else None


def total_kib(database: Database, name: str, proc: Path) -> int | None:
    """Of all its processes; None: one that lives does not tell."""
    told = [(one, status_kib(one, name, proc)) for one in database.processes]
    if any(size is None and threads_of(one, proc) for one, size in told):
        return None
    return sum(size for _, size in told if size is not None)

"""What rules of an audit look through: files of a host by their path, its topology and its databases. What is read is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.facts import HostSeen, Topology
from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._unread import Absent, Idle, Unread
from plimsoll.host.audit._watched import WatchedHost
from plimsoll.host.topology.tree import Reader
from plimsoll.host.topology.values import in_short

_SHOWN_MAX = 120
"""Signs of a value that is kept as evidence."""
_CPUS = "sys/devices/system/cpu"


@dataclass(frozen=True)
class Host:
    """What all rules look at."""

    reader: Reader
    topology: Topology
    root: Path | None
    """Of the running host; None: it is a recording, and has no processes."""
    databases: Sequence[Database] = ()
    watched: WatchedHost | None = None

    @property
    def is_several_nodes(self) -> bool:
        """Whether memory may be far; that of graphics cards is none that a database should have."""
        return sum(not node.is_gpu for node in self.topology.nodes) > 1


@dataclass(frozen=True)
class Look:
    """One rule's view, which keeps what it read."""

    host: Host
    seen: dict[str, str] = field(default_factory=dict[str, str])

    def text(self, path: str) -> str:
        """A file's text. Raises Absent, Unread."""
        text = self.quiet(path)
        self.note(path, text)
        return text

    def quiet(self, path: str) -> str:
        """The same, not kept: whoever reads one for each CPU notes them in short. Raises Absent, Unread."""
        text = self.host.reader.text(path)
        if text is not None:
            return text
        for problem in self.host.reader.problems.all():
            if problem.path == path:
                raise Unread(f"/{problem.message}" if problem.message.startswith(path) else problem.message)
        raise Absent(f"there is no /{path}{'' if self.host.root else ' in the recording'}")

    def note(self, path: str, value: str) -> None:
        """Keeps a value as evidence."""
        self.seen[path] = value if len(value) <= _SHOWN_MAX else f"{value[: _SHOWN_MAX - 1]}…"

    def number(self, path: str) -> int:
        """A file's whole number. Raises Absent, Unread."""
        return _number(path, self.text(path))

    def chosen(self, path: str) -> str:
        """The word in brackets of a file such as `always [madvise] never`. Raises Absent, Unread."""
        text = self.text(path)
        word = text.partition("[")[2].partition("]")[0]
        if not word:
            raise Unread(f"/{path} holds '{text[:_SHOWN_MAX]}', which chooses nothing")
        return word

    def table(self, path: str, *names: str) -> list[int]:
        """Numbers of lines such as `HugePages_Total:  7 kB`, by their names. Raises Absent, Unread."""
        lines = (line.partition(":") for line in self.quiet(path).splitlines())
        told = {name.strip(): rest.split() for name, _, rest in lines}
        missing = [name for name in names if not told.get(name)]
        if missing:
            raise Unread(f"/{path} does not tell {', '.join(missing)}")
        said, before = ", ".join(f"{name} {' '.join(told[name])}" for name in names), self.seen.get(path, "")
        self.note(path, said if not before else before if said in before else f"{before}, {said}")
        return [_number(path, told[name][0]) for name in names]

    def by_cpu(self, path: str) -> dict[int, str]:
        """A file's text below the folder of each CPU that is online and has it. Raises Absent where none has, and Unread."""
        found: dict[int, str] = {}
        for cpu in self.online:
            try:
                found[cpu] = self.quiet(f"{_CPUS}/cpu{cpu}/{path}")
            except Absent:
                continue
        if not found:
            raise Absent(f"there is no /{_CPUS}/cpu*/{path}")
        return found

    def all_of(self, found: Collection[int], path: str) -> None:
        """Raises Unread where a CPU that is online is not among these."""
        lacking = frozenset(self.online) - frozenset(found)
        if lacking:
            raise Unread(f"there is no /{_CPUS}/cpu{in_short(lacking)}/{path}, which other CPUs have")

    @property
    def online(self) -> list[int]:
        """CPUs that run work."""
        return [cpu.id for cpu in self.host.topology.cpus if cpu.online]

    @property
    def databases(self) -> Sequence[Database]:
        """Those that run here. Raises Unread for a recording, Idle where none runs."""
        if self.host.root is None:
            raise Unread("processes are looked at on a running host, and this is a recording")
        if not self.host.databases:
            raise Idle("no database server runs here, and no process was named")
        return self.host.databases

    @property
    def watched(self) -> WatchedHost:
        """What was counted while time passed. Raises Unread for a recording."""
        if self.host.watched is None:
            raise Unread("it takes some time of a running host, and this is a recording")
        return self.host.watched

    def facts(self) -> tuple[HostSeen, ...]:
        """All that was kept."""
        return tuple(HostSeen(path=f"/{path}", value=value) for path, value in self.seen.items())


def _number(path: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Unread(f"/{path} holds '{text[:_SHOWN_MAX]}', which is no number") from None

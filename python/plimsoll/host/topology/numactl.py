"""What `numactl --hardware` printed, with a shell's words around it or without (numactl(8)). It tells neither cores nor caches."""

from __future__ import annotations

from plimsoll.base.errors import UsageError
from plimsoll.base.patterns import late
from plimsoll.facts import TopologyNode
from plimsoll.host.topology.tree import Problems
from plimsoll.host.topology.values import CPUS_MAX

_AVAILABLE = late(r"available: (\d{1,5}) nodes? \(([\d,-]+)\)")
_CPUS = late(r"node (\d{1,5}) cpus:((?: +\d{1,6})*)")
_MEMORY = late(r"node (\d{1,5}) (size|free): +(\d{1,12}) MB")
_HEAD = late(r"node((?: +\d{1,5})+)")
_ROW = late(r"(\d{1,5}):((?: +\d{1,5})*)")
_WIDE_SPACE = "\N{NO-BREAK SPACE}"
"""What pages and books have in place of some spaces."""
_MIB = 1 << 20
"""numactl writes MB and means 1,048,576 bytes."""
_OWN_DISTANCE = 10


class NumactlText:
    """Nodes and distances of such a text."""

    def __init__(self, text: str, name: str, problems: Problems) -> None:
        """Raises UsageError `topology-unknown` where no node is in it."""
        self._name = name
        self._problems = problems
        self._stated: int | None = None
        self._cpus: dict[int, tuple[int, ...]] = {}
        self._memory: dict[tuple[int, str], int] = {}
        self._columns: list[int] = []
        self._rows: dict[int, list[int]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            self._take(number, line.replace(_WIDE_SPACE, " ").strip("\0 \t\r"))
        if not self._cpus:
            raise UsageError(
                "topology-unknown",
                f"{name} is neither a recorded topology nor what numactl --hardware prints",
                "Name a folder or an archive with sys and proc of a host, or a file of that text.",
            )
        self._check()

    @property
    def nodes(self) -> list[TopologyNode]:
        """By number."""
        return [
            TopologyNode(
                id=number,
                cpus=self._cpus[number],
                memory_bytes=self._memory.get((number, "size")),
                free_bytes=self._memory.get((number, "free")),
            )
            for number in sorted(self._cpus)
        ]

    @property
    def distances(self) -> list[tuple[int | None, ...]]:
        """A row and a column for each node."""
        return [self._row(number) for number in sorted(self._cpus)]

    def _row(self, number: int) -> tuple[int | None, ...]:
        found = dict(zip(self._columns, self._rows.get(number, ()), strict=False))
        values = (found.get(other) for other in sorted(self._cpus))
        return tuple(value if value is not None and value >= _OWN_DISTANCE else None for value in values)

    def _take(self, line_number: int, line: str) -> None:
        """A line that is none of numactl's is a shell's, and says nothing."""
        if match := _AVAILABLE.fullmatch(line):
            self._stated = int(match[1])
        elif match := _CPUS.fullmatch(line):
            self._take_cpus(line_number, int(match[1]), tuple(map(int, match[2].split())))
        elif match := _MEMORY.fullmatch(line):
            self._memory[int(match[1]), match[2]] = int(match[3]) * _MIB
        elif match := _HEAD.fullmatch(line):
            self._columns = list(map(int, match[1].split()))
        elif match := _ROW.fullmatch(line):
            self._rows[int(match[1])] = list(map(int, match[2].split()))
        elif line.startswith("node ") and line != "node distances:":
            self._problem(f"cannot read line {line_number}: '{line[:60]}'")

    def _take_cpus(self, line_number: int, node: int, cpus: tuple[int, ...]) -> None:
        if node in self._cpus:
            self._problem(f"line {line_number} tells the CPUs of node {node} a second time")
        elif any(cpu >= CPUS_MAX for cpu in cpus):
            self._problem(f"line {line_number} has a CPU beyond any number that there is")
        else:
            self._cpus[node] = tuple(sorted(set(cpus)))

    def _check(self) -> None:
        """That all that the text speaks of is there."""
        if self._stated is not None and self._stated != len(self._cpus):
            self._problem(f"it speaks of {self._stated} nodes, and tells the CPUs of {len(self._cpus)}")
        for number in self._cpus:
            if (number, "size") not in self._memory:
                self._problem(f"the memory of node {number} is not told")
            if None in self._row(number):
                self._problem(f"not all distances of node {number} are told, or some have no meaning")

    def _problem(self, message: str) -> None:
        self._problems.add("topology-numactl", self._name, f"{self._name}: {message}")

"""A made-up host of two nodes, each a package of two cores of two threads: nothing is wrong with it until a test writes something.

Node 0 has CPUs 0 to 3, node 1 CPUs 4 to 7; CPUs 0 and 1 are one core. A disk on the PCI bus has interrupts 40 and 41.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from plimsoll.facts import HostAudit, HostFinding, HostRule
from plimsoll.host.audit import Host, audit, databases, watch_host
from plimsoll.host.topology import of_tree
from plimsoll.host.topology.tree import FolderTree, Problems

CPUS = range(8)
GIB = 1 << 30
_CPU_LINE = "cpu  {user} 0 0 {idle} 0 0 0 {steal} 0 0\n"
_SETTINGS = {
    "proc/cmdline": "BOOT_IMAGE=/vmlinuz ro quiet",
    "proc/swaps": "Filename Type Size Used Priority\n/dev/sda2 partition 8388604 0 -2",
    "proc/meminfo": """MemTotal: 67108864 kB
SwapTotal: 8388604 kB
SwapFree: 8388604 kB
CommitLimit: 41943036 kB
Committed_AS: 8388608 kB
HugePages_Total: 8
HugePages_Free: 2
HugePages_Rsvd: 1
Hugepagesize: 2048 kB""",
    "proc/sys/kernel/numa_balancing": "0",
    "proc/sys/vm/zone_reclaim_mode": "0",
    "proc/sys/vm/swappiness": "10",
    "proc/sys/vm/overcommit_memory": "0",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/kernel/mm/transparent_hugepage/defrag": "always defer defer+madvise [madvise] never",
    "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "8",
    "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "2",
    "sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages": "1",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
    "sys/devices/system/cpu/online": "0-7",
    "proc/stat": _CPU_LINE.format(user=100, idle=900, steal=0),
    "proc/irq/40/effective_affinity_list": "2",
}


class MadeHost:
    """A tree of sys and proc in a folder."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        for path, text in _SETTINGS.items():
            self.write(path, text)
        for cpu in CPUS:
            self._cpu(cpu)
        for node, cpus, distances in ((0, "0-3", "10 21"), (1, "4-7", "21 10")):
            self.write(f"sys/devices/system/node/node{node}/cpulist", cpus)
            self.write(f"sys/devices/system/node/node{node}/distance", distances)
            self.write(f"sys/devices/system/node/node{node}/meminfo", f"Node {node} MemTotal: 33554432 kB")
        self._disk()
        self.interrupts(0)
        (folder / "proc/self").mkdir(exist_ok=True)

    def write(self, path: str, text: str) -> None:
        """A file, with the folders around it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    def change(self, path: str, before: str, after: str) -> None:
        """A part of a file."""
        text = (self.root / path).read_text()
        assert before in text
        (self.root / path).write_text(text.replace(before, after))

    def remove(self, path: str) -> None:
        """A file."""
        (self.root / path).unlink()

    def _cpu(self, number: int) -> None:
        folder = f"sys/devices/system/cpu/cpu{number}"
        package, core = number // 4, number // 2
        for name, text in {
            "physical_package_id": package,
            "core_id": core,
            "thread_siblings_list": f"{2 * core}-{2 * core + 1}",
            "core_siblings_list": f"{4 * package}-{4 * package + 3}",
        }.items():
            self.write(f"{folder}/topology/{name}", str(text))
        self.write(f"{folder}/cpufreq/scaling_governor", "performance")
        self.write(f"{folder}/cpufreq/scaling_driver", "acpi-cpufreq")
        for state, (name, latency) in enumerate((("POLL", 0), ("C1", 2), ("C6", 133))):
            self.write(f"{folder}/cpuidle/state{state}/name", name)
            self.write(f"{folder}/cpuidle/state{state}/latency", str(latency))
            self.write(f"{folder}/cpuidle/state{state}/disable", "1" if name == "C6" else "0")

    def _disk(self) -> None:
        device = "sys/devices/pci0000:00/0000:00:02.0"
        self.write(f"{device}/numa_node", "0")
        self.write(f"{device}/msi_irqs/40", "msix")
        self.write(f"{device}/msi_irqs/41", "msix")
        self.write(f"{device}/nvme/nvme0/nvme0n1/queue/rotational", "0")
        self.write(f"{device}/nvme/nvme0/nvme0n1/queue/scheduler", "[none] mq-deadline bfq")
        self._link("sys/block/nvme0n1", f"{device}/nvme/nvme0/nvme0n1")
        self._link("sys/bus/pci/devices/0000:00:02.0", device)

    def _link(self, path: str, target: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).symlink_to(self.root / target)

    def interrupts(self, on_cpu_2: int, other: int = 0) -> None:
        """How many the disk has had on CPU 2, and somebody else there."""
        head = "".join(f" CPU{cpu}" for cpu in CPUS)
        rows = [(40, (0, 0, on_cpu_2, 0, 0, 0, 0, 0)), (41, (0,) * 8), (99, (0, 0, other, 0, 0, 0, 0, 0))]
        lines = [f" {number}: {' '.join(map(str, counts))} PCI-MSI nvme0q1" for number, counts in rows]
        self.write(
            "proc/interrupts", "\n".join((head, *lines, "LOC: 1 2 3 4 5 6 7 8 Local timer interrupts"))
        )

    def steal(self, ticks: int) -> None:
        """Of each thousand ticks that pass so many are stolen."""
        self.write("proc/stat", _CPU_LINE.format(user=100, idle=1_900 - ticks, steal=ticks))

    def _idle(self) -> None:
        """Time passes, and nothing else happens."""
        if (self.root / "proc/stat").exists():
            self.steal(0)

    def process(self, number: int, program: str, cpus: str = "0-7", **more: str) -> Path:
        """A process of one thread. `mems` and `words` are its nodes and its command line, `numa_maps` and so on its files."""
        home = f"proc/{number}"
        mems, words = more.pop("mems", "0-1"), more.pop("words", program)
        parent = more.pop("parent", "1")
        sizes = more.pop("sizes", "VmRSS: 1000 kB\nVmSwap: 0 kB\nVmPTE: 100 kB")
        status = f"Name: {program}\nCpus_allowed_list:\t{cpus}\nMems_allowed_list:\t{mems}\n{sizes}"
        for folder in (home, f"{home}/task/{number}"):
            self.write(f"{folder}/comm", program[:15])
            self.write(f"{folder}/status", status)
        self.runs_on(number, 0, 0, program, parent)
        files = {"numa_maps": "", "oom_score_adj": "-1000", "smaps_rollup": "Swap: 0 kB"} | more
        for name, text in files.items():
            self.write(f"{home}/{name}", text)
        (self.root / home / "cmdline").write_bytes(words.replace(" ", "\0").encode())
        return self.root / home

    def runs_on(self, number: int, cpu: int, ticks: int, program: str = "", parent: str = "1") -> None:
        """The CPU that its thread ran on last, and how long it has run."""
        fields = ["S", parent, *["0"] * 9, str(ticks), "0", *["0"] * 23, str(cpu), "0"]
        program = program or (self.root / f"proc/{number}/comm").read_text().strip()
        for folder in (f"proc/{number}", f"proc/{number}/task/{number}"):
            self.write(f"{folder}/stat", f"{number} ({program[:15]}) {' '.join(fields)}")

    def audit(
        self,
        meanwhile: Callable[[], None] | None = None,
        pids: Sequence[int] = (),
        first: Callable[[], None] = lambda: None,
    ) -> HostAudit:
        """As of a running host that was watched for a second, in which something may happen, and `first` when that begins."""
        files = of_tree(FolderTree(self.root, Problems()), "running system", "this host")
        assert files.reader is not None
        found = databases(files.topology, pids, self.root / "proc")

        def begin() -> Second:
            first()
            return Second(meanwhile or self._idle)

        watched = watch_host(files.reader, files.topology, found, begin, self.root)
        return audit(Host(files.reader, files.topology, self.root, found, watched))


class Second:
    """A second that passes at once."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self._meanwhile = meanwhile
        self.watched_s = 0.0
        self.is_cut = False

    def wait(self) -> bool:
        """Once."""
        if self.watched_s:
            return False
        self._meanwhile()
        self.watched_s = 1.0
        return True


def pages(name: str = "anon", **by_node: int) -> str:
    """A line of numa_maps: `N0=5` are five pages of 4 KiB."""
    return f"7f0000000000 default {name} {' '.join(f'{node}={many}' for node, many in by_node.items())} kernelpagesize_kB=4"


def shared(many: int, page_kib: int = 4) -> str:
    """A line of shared memory on node 0."""
    huge = " huge" if page_kib > 4 else ""
    return f"7f1000000000 default file=/dev/zero\\040(deleted){huge} N0={many} kernelpagesize_kB={page_kib}"


def of_rule(found: HostAudit, name: str) -> HostRule:
    """What that rule looked at."""
    return next(one for one in found.rules if one.name == name)


def findings(found: HostAudit, name: str) -> list[HostFinding]:
    """What that rule found."""
    return [one for one in found.findings if one.rule == name]


def postgres(host: MadeHost, number: int = 40, cpus: str = "0-7", **more: str) -> None:
    """A server of one process."""
    host.process(number, "postgres", cpus, **more)


def alone(host: MadeHost, name: str) -> HostFinding:
    """The only finding of that rule."""
    (found,) = findings(host.audit(), name)
    return found

"""What a running host does while it is watched: stolen time, interrupts of disks and network cards, and CPUs of log writers.

source: proc_stat(5); the kernel's Documentation/filesystems/proc.rst (`/proc/interrupts`) and
Documentation/ABI/testing/sysfs-bus-pci (`msi_irqs`, by which the interrupts of a device are known)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.facts import Topology, TopologyDevice
from plimsoll.host.audit._databases import Database, cpus_of
from plimsoll.host.process_places import Watch, Watched, threads_of
from plimsoll.host.sampler import CpuTicks, cpu_ticks
from plimsoll.host.topology.tree import Reader
from plimsoll.ports import files

Interrupts = Mapping[int, Mapping[int, int]]
"""By number and CPU, how many there were since the start."""
_THREADS_OF_LOG = ("ib_log_writer", "ib_log_wr_notif", "ib_log_flush", "ib_log_fl_notif")
"""Of MySQL 8, as it names them; in MariaDB sessions write the log themselves."""


@dataclass
class LogWriter:
    """A process or a thread that writes a database's log, and the CPUs that it was seen on."""

    database: Database
    name: str
    thread: Path
    allowed: frozenset[int] | None
    """CPUs that it may run on itself; None: not told."""
    ran: Watched = field(default_factory=Watched)


@dataclass(frozen=True)
class WatchedHost:
    """What was counted. None: the kernel does not tell."""

    watched_s: float
    stolen_share: float | None
    """Of the time of all CPUs."""
    devices: Mapping[int, str]
    """Disk or network card by the number of its interrupt."""
    unfound: Sequence[str]
    """Disks and network cards of which no interrupt is known, so that nothing tells when they are busy."""
    interrupts: Interrupts | None
    """Those of these devices meanwhile, by number and CPU."""
    writers: Sequence[LogWriter]


def watch_host(
    reader: Reader, topology: Topology, databases: Sequence[Database], begin: Callable[[], Watch], root: Path
) -> WatchedHost:
    """Looks at log writers as long as the watch lets time pass, which begins when counters were read, and at these after it."""
    devices, unfound = device_interrupts(reader, topology)
    writers = [writer for one in databases for writer in log_writers(one, root / "proc")]
    ticks, interrupts = _ticks(root), _interrupts(root)
    watch = begin()
    while True:
        for writer in writers:
            writer.ran.look_at(writer.thread, frozenset())
        if not watch.wait():
            break
    return WatchedHost(
        watched_s=watch.watched_s,
        stolen_share=_stolen(ticks, _ticks(root)),
        devices=devices,
        unfound=unfound,
        interrupts=_passed(interrupts, _interrupts(root), devices),
        writers=writers,
    )


def _ticks(root: Path) -> CpuTicks | None:
    return cpu_ticks(files.read_text(root / "proc/stat") or "")


def _stolen(before: CpuTicks | None, after: CpuTicks | None) -> float | None:
    if before is None or after is None:
        return None
    # The kernel may set back waiting and idle time by some ticks: that is no time at all.
    passed = {name: max(0, value - getattr(before, name)) for name, value in vars(after).items()}
    total = sum(passed.values())
    return passed["steal"] / total if total else None


def _interrupts(root: Path) -> Interrupts | None:
    text = files.read_text(root / "proc/interrupts")
    return None if text is None else parse_interrupts(text)


def parse_interrupts(text: str) -> Interrupts | None:
    """The rows that have a number; None: the first line names no CPUs."""
    first, *lines = text.splitlines() or [""]
    names = first.split()
    cpus = [int(name[3:]) for name in names if name.startswith("CPU") and name[3:].isdecimal()]
    if not cpus or len(cpus) < len(names):
        return None
    found: dict[int, dict[int, int]] = {}
    for line in lines:
        number, _, rest = line.partition(":")
        counts = rest.split()[: len(cpus)]
        if number.strip().isdecimal() and len(counts) == len(cpus) and all(map(str.isdecimal, counts)):
            found[int(number)] = dict(zip(cpus, map(int, counts), strict=True))
    return found


def _passed(
    before: Interrupts | None, after: Interrupts | None, devices: Mapping[int, str]
) -> Interrupts | None:
    if before is None or after is None:
        return None
    return {
        number: {cpu: max(0, now - before[number].get(cpu, now)) for cpu, now in counts.items()}
        for number, counts in after.items()
        if number in devices and number in before
    }


def device_interrupts(reader: Reader, topology: Topology) -> tuple[dict[int, str], list[str]]:
    """Numbers of interrupts of each disk and network card that is on the PCI bus; and devices of which none is found."""
    found: dict[int, str] = {}
    unfound: list[str] = []
    for device in topology.devices:
        folder = f"sys/bus/pci/devices/{device.address}"
        named = [] if device.address is None else reader.numbered(f"{folder}/msi_irqs", "")
        numbers = named or list(_line(reader, device.address, folder))
        for number in numbers:
            found.setdefault(number, device.name)
        if not numbers and not _is_down(reader, device):
            unfound.append(device.name)
    return found, unfound


def _is_down(reader: Reader, device: TopologyDevice) -> bool:
    """A network card that nobody has switched on, or without a cable, takes no interrupts."""
    return device.kind == "network card" and reader.text(f"sys/class/net/{device.name}/operstate") == "down"


def _line(reader: Reader, address: str | None, folder: str) -> Iterator[int]:
    """The one of a device without messages; 0: it has none."""
    text = None if address is None else reader.text(f"{folder}/irq")
    if text is not None and text.isdecimal() and text != "0":
        yield int(text)


def log_writers(database: Database, proc: Path) -> Iterator[LogWriter]:
    """Of Oracle and PostgreSQL a process, of MySQL threads; of others none is known."""
    for number in database.processes:
        home = proc / str(number)
        name = _log_process(database.kind, home)
        if name is not None:
            yield _log_writer(database, name, home / "task" / str(number))
        for thread in threads_of(number, proc) if database.kind == "mysql" else ():
            program = files.read_text(home / "task" / str(thread) / "comm") or ""
            if program in _THREADS_OF_LOG:
                yield _log_writer(database, program, home / "task" / str(thread))


def _log_writer(database: Database, program: str, thread: Path) -> LogWriter:
    return LogWriter(database, f"{program} ({thread.name})", thread, cpus_of(thread))


def _log_process(kind: str, home: Path) -> str | None:
    program = files.read_text(home / "comm") or ""
    if kind == "oracle" and program.startswith(("ora_lgwr_", "ora_lg0", "ora_lg1")):
        return program
    words = (files.read_text(home / "cmdline") or "").replace("\0", " ").split()
    is_writer = kind == "postgresql" and words[:1] == ["postgres:"] and "walwriter" in words[1:]
    return "walwriter" if is_writer else None

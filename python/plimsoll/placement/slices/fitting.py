"""What a file asks for that this host cannot be asked for at all: each an error with file and line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import format_bytes
from plimsoll.facts import Topology, TopologyNode
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.items import device_of
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.slice_file import SliceFile
from plimsoll.placement.slices.wanted import DiskRates, Wanted


class Fitting:
    """Holds a file against a host. Each check raises UsageError `slices-misfit`."""

    def __init__(self, file: SliceFile, found: Topology, machine: Machine) -> None:
        self._file, self._found, self._machine = file, found, machine
        self._nodes = {node.id: node for node in found.nodes}
        self._usable = {node.id: node.memory_bytes for node in machine.nodes}

    def check(self) -> None:
        """All of it."""
        taken: dict[int, str] = {}
        for one in self._file.division.slices:
            self._check_devices(one)
            self._check_pages(one)
            if one.on_nodes is not None:
                self._check_nodes_to_lie_on(one, one.on_nodes)
            if one.cpus is not None:
                self._check_cpus(one, one.cpus, taken)
                self._check_nodes(one, "mems", one.mems or ())
                self._check_nodes_of_cpus(one, one.cpus)
        told: set[str] = set()
        for disk in self._file.division.disks:
            self._check_disk(disk, told)
        self._check_memory_by_hand([one for one in self._file.division.slices if one.is_by_hand])

    def _check_devices(self, one: Wanted) -> None:
        names = [device.name for device in self._found.devices]
        for name in one.devices:
            if device_of(self._found, name) is None:
                hint = f"{did_you_mean(name, names)}The host has {', '.join(names)}."
                raise self._off(one, "devices", f"unknown device '{name}'", hint if names else _NO_DEVICES)

    def _check_disk(self, disk: DiskRates, told: set[str]) -> None:
        """That it is there, and gives what is asked of it alone: how a slice divides its I/O among several is not told."""
        device = device_of(self._found, disk.device)
        if device is None or device.kind != "disk":
            names = [one.name for one in self._found.devices if one.kind == "disk"]
            hint = f"{did_you_mean(disk.device, names)}The host has {', '.join(names)}."
            what = f"unknown disk '{disk.device}'"
            raise self._off_disk(disk, "device", what, hint if names else _NO_DEVICES)
        if device.name in told:
            what = f"'{disk.device}' is {device.name}, which another [[disk]] tells"
            raise self._off_disk(disk, "device", what, "Tell each disk once.")
        told.add(device.name)
        slices = [one for one in self._file.division.slices if self._disks_of(one) == {device.name}]
        for key, unit, asked, gives in (
            (
                "read_iops",
                "I/Os",
                sum(one.iops or 0.0 for one in slices),
                max(disk.read_iops, disk.write_iops),
            ),
            (
                "read_mb_per_s",
                "MB",
                sum(map(_megabytes, slices)),
                max(disk.read_mb_per_s, disk.write_mb_per_s),
            ),
        ):
            what = f"{asked:,.0f} {unit} per second are asked of {device.name}, and"
            if asked > gives:
                hint = "Ask for less, or give a slice another disk."
                raise self._off_disk(disk, key, f"{what} it gives {gives:,.0f}", hint)
            if asked > (left := gives * disk.rate_share):
                what = f"{what} rate_share leaves {left:,.0f} of its {gives:,.0f}"
                hint = "Ask for less, write a higher rate_share, or give a slice another disk."
                raise self._off_disk(disk, "rate_share", what, hint)

    def _disks_of(self, one: Wanted) -> set[str]:
        devices = (device_of(self._found, name) for name in one.devices)
        return {device.name for device in devices if device is not None and device.kind == "disk"}

    def _off_disk(self, disk: DiskRates, key: str, what: str, hint: str) -> UsageError:
        where = self._file.where_of_disk(disk.device, key)
        return UsageError("slices-misfit", f"{where}: {what}", hint)

    def _check_pages(self, one: Wanted) -> None:
        sizes = {pages.page_bytes for node in self._found.nodes for pages in node.huge_pages}
        if one.huge_page_bytes is not None and sizes and one.huge_page_bytes not in sizes:
            known = " and ".join(map(format_bytes, sorted(sizes)))
            what = f"the host has no huge pages of {format_bytes(one.huge_page_bytes)}"
            raise self._off(one, "huge_page", what, f"It has those of {known}.")

    def _check_nodes(self, one: Wanted, key: str, ids: Iterable[int]) -> None:
        """That they are there, may be used, and have memory."""
        self._check_nodes_usable(one, key, ids)
        for number in ids:
            if not self._usable[number]:
                raise self._without_memory(one, key, number)

    def _without_memory(self, one: Wanted, key: str, number: int) -> UsageError:
        what = f"node {number} {_no_memory(self._nodes[number])}"
        return self._off(one, key, what, "Name a node that has memory.")

    def _check_nodes_usable(self, one: Wanted, key: str, ids: Iterable[int]) -> None:
        for number in ids:
            node = self._nodes.get(number)
            if node is None:
                hint = f"The host has nodes {in_short(tuple(self._nodes))}."
                raise self._off(one, key, f"the host has no node {number}", hint)
            if number not in self._usable:
                raise self._off(one, key, f"node {number} may not be used from here", _CPUSET_HINT)

    def _check_nodes_to_lie_on(self, one: Wanted, ids: Sequence[int]) -> None:
        """Of several, some may have CPUs alone, and others memory alone."""
        self._check_nodes_usable(one, "nodes", ids)
        with_cores = {self._machine.nodes[pool.node].id for pool in self._machine.pools if pool.cores}
        for number in ids:
            if not self._usable[number] and (number not in with_cores or not any(map(self._usable.get, ids))):
                raise self._without_memory(one, "nodes", number)
        if not with_cores & set(ids):
            what = f"nodes {in_short(tuple(ids))} have no CPUs that may be given away"
            raise self._off(one, "nodes", what, f"Name one of {in_short(tuple(with_cores))} too.")

    def _check_cpus(self, one: Wanted, cpus: Sequence[int], taken: dict[int, str]) -> None:
        known = {cpu.id: cpu for cpu in self._found.cpus}
        for number in cpus:
            cpu = known.get(number)
            if cpu is None:
                raise self._off(
                    one, "cpus", f"the host has no CPU {number}", "`plimsoll host show` lists them."
                )
            if not cpu.online:
                hint = "Bring it online, or leave it out."
                raise self._off(one, "cpus", f"CPU {number} is offline", hint)
            if cpu.allowed is False:
                raise self._off(one, "cpus", f"CPU {number} may not be used from here", _CPUSET_HINT)
            if cpu.node is None:
                raise self._off(one, "cpus", f"nothing tells which node CPU {number} is of", "Leave it out.")
            if number in taken:
                what = f"CPU {number} is in {taken[number]} too"
                raise self._off(one, "cpus", what, "Give each CPU to one slice.")
            taken[number] = one.name

    def _check_nodes_of_cpus(self, one: Wanted, cpus: Sequence[int]) -> None:
        """Nearness is counted from a node whose memory may be used."""
        for cpu in self._found.cpus:
            if cpu.id in cpus and cpu.node not in self._usable:
                what = f"CPU {cpu.id} is of node {cpu.node}, whose memory may not be used from here"
                raise self._off(one, "cpus", what, _CPUSET_HINT)

    def _check_memory_by_hand(self, slices: Sequence[Wanted]) -> None:
        """Each takes from the nodes that it names what earlier ones left."""
        left = dict(self._usable)
        for one in slices:
            taken = taken_by_hand(one, left)
            if taken is None:
                room = sum(left[number] for number in one.mems or ())
                nodes = in_short(one.mems or ())
                what = f"memory of {format_bytes(one.memory_bytes)} is beyond node {nodes}, which has {format_bytes(room)} to give"
                raise self._off(
                    one, "memory", what, "Ask for less, name more nodes, or lower memory_free_share."
                )
            left = {number: size - taken.get(number, 0) for number, size in left.items()}

    def _off(self, one: Wanted, key: str, what: str, hint: str) -> UsageError:
        where = self._file.where(one.name, key)
        return UsageError("slices-misfit", f"{where}: {one.name}: {what}", hint)


_NO_DEVICES = (
    "Nothing is told of this host's devices: leave the key out, or read the host from its sys and proc."
)
_CPUSET_HINT = "Run it outside of the control group, or leave it out."


def _no_memory(node: TopologyNode) -> str:
    if node.is_gpu:
        return "is a graphics card"
    return "has no memory" if node.memory_bytes == 0 else "has memory of unknown size"


def _megabytes(one: Wanted) -> float:
    return (one.mb_per_s or 0.0) + (one.redo_mb_per_s or 0.0)


def taken_by_hand(one: Wanted, left: dict[int, int]) -> dict[int, int] | None:
    """What a slice by hand takes of each node that it names, as evenly as there is room; None: there is not enough."""
    missing, taken = one.units, {}
    nodes = sorted(one.mems or (), key=lambda number: left[number])
    for place, number in enumerate(nodes):
        units = min(left[number] // one.unit_bytes, -(-missing // (len(nodes) - place)))
        taken[number] = units * one.unit_bytes
        missing -= units
    return None if missing else {number: size for number, size in taken.items() if size}

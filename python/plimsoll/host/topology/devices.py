"""Disks and network cards, and the nodes that they are near to (`numa_node`, Documentation/ABI/testing/sysfs-bus-pci)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from plimsoll.facts import TopologyDevice, TopologyNode
from plimsoll.facts.topology import DeviceKind
from plimsoll.host.topology.tree import Reader
from plimsoll.host.topology.values import parse_number

_DISKS, _DISKS_AND_PARTS, _CARDS = "sys/block", "sys/class/block", "sys/class/net"
_PLACES = ("numa_node", "local_cpulist", "local_cpus")
_VIRTUAL = "sys/devices/virtual/"
_ROOT = "sys/devices"
_PCI = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_NVME_SUBSYSTEM = re.compile(r"(.*/nvme-subsystem/[^/]+)/nvme\d+n\d+")
_NO_DISK = re.compile(r"nvme\d+c\d+n\d+|sr\d+")
"""A way to an NVMe disk that has several, which the kernel lists beside the disk; and drives of CDs."""
_NVME_CONTROLLER = re.compile(r"nvme\d+")


def read_devices(reader: Reader, nodes: Sequence[TopologyNode]) -> list[TopologyDevice]:
    """Those that hang on hardware: what is made of others, or of memory, has no place of its own."""
    disks = _DISKS if reader.tree.names(_DISKS) else _DISKS_AND_PARTS
    found = [*_of_folder(reader, disks, "disk", nodes), *_of_folder(reader, _CARDS, "network card", nodes)]
    _check_untold(reader, found, nodes)
    return sorted(found, key=lambda one: (one.kind, _natural(one.name)))


def _check_untold(reader: Reader, found: Sequence[TopologyDevice], nodes: Sequence[TopologyNode]) -> None:
    """Where the nodes of some devices on the PCI bus are told, those of all are, even if as none (-1)."""
    on_bus = [one for one in found if one.address is not None]
    if len(nodes) < 2 or all(one.node is None for one in on_bus):
        return
    for one in on_bus:
        at = _way(reader, one) if one.node is None else None
        if at is not None and not any(
            reader.text(f"{step}/{name}") for step in _above(at) for name in _PLACES
        ):
            message = f"nothing tells which node the {one.kind} {one.name} is near to"
            reader.problems.add("topology-device-untold", at, message)


def _way(reader: Reader, device: TopologyDevice) -> str | None:
    folders = (_DISKS, _DISKS_AND_PARTS) if device.kind == "disk" else (_CARDS,)
    places = (reader.tree.resolved(f"{folder}/{device.name.replace('/', '!')}") for folder in folders)
    real = next((place for place in places if place is not None), None)
    way = None if real is None else next(iter(_ways(reader, real)), None)
    return None if way is None else reader.tree.resolved(f"{way}/device") or way


def _above(at: str) -> Iterator[str]:
    while at.startswith(f"{_ROOT}/"):
        yield at
        at = posixpath.dirname(at)


def _of_folder(
    reader: Reader, folder: str, kind: DeviceKind, nodes: Sequence[TopologyNode]
) -> Iterator[TopologyDevice]:
    for name in reader.tree.names(folder):
        real = reader.tree.resolved(f"{folder}/{name}")
        if real is None or _NO_DISK.fullmatch(name) or reader.tree.content(f"{real}/partition") is not None:
            continue
        ways = _ways(reader, real)
        if ways:
            numbers = {_node(reader, way, nodes) for way in ways}
            yield TopologyDevice(
                name=name.replace("!", "/"),  # as in cciss/c0d0: sysfs has no slash in names
                kind=kind,
                address=_address(ways[0]),
                node=numbers.pop() if len(numbers) == 1 else None,
            )


def _ways(reader: Reader, real: str) -> list[str]:
    """Where it hangs on hardware; several where NVMe's own multipath joins controllers to one disk."""
    if match := _NVME_SUBSYSTEM.fullmatch(real):
        names = [name for name in reader.tree.names(match[1]) if _NVME_CONTROLLER.fullmatch(name)]
        ways = (reader.tree.resolved(f"{match[1]}/{name}") for name in names)
        return [way for way in ways if way is not None]
    is_hardware = real.startswith(_ROOT) and not real.startswith(_VIRTUAL)
    return [real] if is_hardware or (not real.startswith(_ROOT) and _has_device(reader, real)) else []


def _has_device(reader: Reader, real: str) -> bool:
    """Old kernels keep disks in `sys/block` itself, with a link to the hardware."""
    return reader.tree.resolved(f"{real}/device") is not None


def _address(way: str) -> str | None:
    return next((part for part in reversed(way.split("/")) if _PCI.fullmatch(part)), None)


def _node(reader: Reader, way: str, nodes: Sequence[TopologyNode]) -> int | None:
    """What the nearest device above says that says anything; on a host of one node there is no other."""
    at = reader.tree.resolved(f"{way}/device") or way
    while at.startswith(f"{_ROOT}/"):
        path = f"{at}/numa_node"
        number = reader.value(path, parse_number)
        if number is not None and number >= 0 and not any(number in (one.id, *one.also_ids) for one in nodes):
            message = f"{path} says node {number}, which this host has not"
            reader.problems.add("topology-device-node", path, message)
        if number is not None and any(number in (node.id, *node.also_ids) for node in nodes):
            return next(node.id for node in nodes if number in (node.id, *node.also_ids))
        told = _by_cpus(reader, at, nodes)
        if told is not None:
            return told
        at = posixpath.dirname(at)
    return nodes[0].id if len(nodes) == 1 else None


def _by_cpus(reader: Reader, at: str, nodes: Sequence[TopologyNode]) -> int | None:
    """Old kernels tell the CPUs that a device is near to instead."""
    near = reader.numbers((f"{at}/local_cpulist",), (f"{at}/local_cpus",))
    holding = [node.id for node in nodes if near and near & set(node.cpus)]
    return holding[0] if len(holding) == 1 else None


def _natural(name: str) -> list[tuple[int, str]]:
    """`sda2` before `sda10`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", name)]

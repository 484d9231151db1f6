"""The links between a block device or a mount and this host, from sysfs: nothing behind them answers faster than they carry.

sysfs is a tree: a disk lies below its port, its adapter, the adapter's slot and the bridges above it. Several paths to a disk, and
several disks, share what lies above them. So what they carry together is worked out from the leaves up: each device passes on what
comes from below, and no more than its own link carries. What the kernel does not tell limits nothing, and is None where nothing is
told of some path.

Read are: PCI Express (Documentation/ABI/testing/sysfs-bus-pci), SATA (ata_link class), SAS (sas_port and sas_phy), Fibre Channel
(fc_host: `speed`, `port_state`), iSCSI and NFS (the network card that the route to their server leads through: `speed`, `mtu`),
InfiniBand (`ports/N/rate`), the paths of dm-multipath and of NVMe's own, and the members of md and dm devices.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plimsoll.host import link_speeds
from plimsoll.host.devices import SYSFS
from plimsoll.host.link_speeds import Speed
from plimsoll.host.ways import Way, Ways
from plimsoll.ports import files

_SPEED = re.compile(r"([0-9.]+) GT/s")
_GBIT = re.compile(r"([0-9.]+) *G(?:bps|bit)\Z")
_RATE = re.compile(r"([0-9.]+) Gb/sec \(([0-9]+)X ?([A-Z0-9]*)\)")
_MBIT_PER_GBIT = 1000


@dataclass(frozen=True)
class Link:
    """What carries, and how much in one direction at most; MB are 10^6 bytes."""

    words: str
    mb_per_s: float
    duplex: bool = True
    """Whether as much goes the other way at the same time."""
    copies: int = 1
    """How often this host sends each byte that is written."""


def link_over(ways: Sequence[Way], sysfs: Path = SYSFS, at_most: bool = False) -> Link | None:
    """What all these ways carry together; None where that is not known.

    `at_most`: PCI Express at what slot and card could do, and not at what they agreed on, which may change under load.
    """
    if not ways:
        return None
    children: dict[Path, set[Path]] = {}
    for way in ways:
        for child, parent in zip((way.folder, *way.folder.parents), way.folder.parents, strict=False):
            children.setdefault(parent, set()).add(child)
    found = _carried(Path("/"), children, lambda folder: list(_speeds(folder, sysfs, at_most)))
    if found.mb_per_s == math.inf:
        return None
    counted = Counter(speed.words for speed in found.binding)
    words = " + ".join(name if many == 1 else f"{many} × {name}" for name, many in counted.items())
    return Link(words, found.mb_per_s, all(speed.duplex for speed in found.binding))


@dataclass(frozen=True)
class _Flow:
    """What comes out of a device towards the host, and the links that hold it to that."""

    mb_per_s: float
    binding: tuple[Speed, ...] = ()


def _carried(folder: Path, children: dict[Path, set[Path]], speeds: Callable[[Path], list[Speed]]) -> _Flow:
    """Of the part of the tree at and below that folder."""
    below = [_carried(child, children, speeds) for child in sorted(children.get(folder, ()))]
    total = sum(flow.mb_per_s for flow in below) if below else math.inf
    own = min(speeds(folder), key=lambda speed: speed.mb_per_s, default=None)
    if own is not None and own.mb_per_s < total:
        return _Flow(own.mb_per_s, (own,))
    return _Flow(total, tuple(speed for flow in below for speed in flow.binding))


def _speeds(folder: Path, sysfs: Path, at_most: bool) -> Iterator[Speed]:
    """The links that this very device is on."""
    readers: tuple[Callable[[], Speed | None], ...] = (
        lambda: _pcie(folder, at_most),
        lambda: _sata(folder),
        lambda: _sas(folder),
        lambda: _fibre_channel(folder),
        lambda: _srp(folder, sysfs),
        lambda: _network(folder),
    )
    yield from (speed for speed in (reader() for reader in readers) if speed is not None)


def _pcie(folder: Path, at_most: bool) -> Speed | None:
    found = [_pcie_at(folder, kind) for kind in (("max",) if at_most else ("current", "max"))]
    return next((speed for speed in found if speed is not None), None)


def _pcie_at(folder: Path, kind: str) -> Speed | None:
    speed = _SPEED.match(files.read_text(folder / f"{kind}_link_speed") or "")
    lanes = (files.read_text(folder / f"{kind}_link_width") or "").strip()
    if speed is None or not lanes.isdigit() or int(lanes) in (0, 255):
        return None
    return link_speeds.pcie(float(speed[1]), int(lanes))


def _sata(folder: Path) -> Speed | None:
    if not re.fullmatch(r"ata\d+", folder.name):
        return None
    rates = [_gbit(found) for found in sorted(folder.glob("link*/ata_link/link*/sata_spd"))]
    return next((link_speeds.sata(rate) for rate in rates if rate), None)


def _sas(folder: Path) -> Speed | None:
    """A port of several lanes is one link, as wide as the lanes that are up."""
    if not (folder / "sas_port").is_dir():
        return None
    rates = [_gbit(found) for found in sorted(folder.glob("phy-*/sas_phy/phy-*/negotiated_linkrate"))]
    lanes = [link_speeds.sas(rate) for rate in rates if rate]
    if not lanes:
        return None
    words = lanes[0].words if len(lanes) == 1 else f"{lanes[0].words} × {len(lanes)}"
    return Speed(words, sum(lane.mb_per_s for lane in lanes))


def _gbit(path: Path) -> float | None:
    found = _GBIT.match((files.read_text(path) or "").strip())
    return None if found is None else float(found[1])


def _fibre_channel(folder: Path) -> Speed | None:
    rate = _gbit(folder / "fc_host" / folder.name / "speed")
    return link_speeds.fibre_channel(round(rate)) if rate else None


def _srp(folder: Path, sysfs: Path) -> Speed | None:
    """SCSI over InfiniBand: the host adapter names the port that it uses."""
    about = folder / "scsi_host" / folder.name
    device, port = (files.read_text(about / f"local_ib_{what}") for what in ("device", "port"))
    if not device or not port:
        return None
    return _infiniband(sysfs / "class" / "infiniband" / device.strip() / "ports" / port.strip())


def _infiniband(port: Path) -> Speed | None:
    found = _RATE.match(files.read_text(port / "rate") or "")
    return None if found is None else link_speeds.infiniband(float(found[1]), int(found[2]), found[3])


def _network(folder: Path) -> Speed | None:
    """A network card. InfiniBand's have no speed of Ethernet; their port tells it."""
    if folder.parent.name != "net":
        return None
    mbit = (files.read_text(folder / "speed") or "").strip()
    mtu = (files.read_text(folder / "mtu") or "").strip()
    if mbit.isdigit() and int(mbit) > 0:
        size = int(mtu) if mtu.isdigit() else None
        gbit = int(mbit) / _MBIT_PER_GBIT
        return link_speeds.ethernet(gbit) if size is None else link_speeds.ethernet(gbit, size)
    ports = sorted((folder / "device" / "infiniband").glob("*/ports/*"))
    return next((speed for speed in map(_infiniband, ports) if speed is not None), None)


def link_to(ways: Ways, sysfs: Path = SYSFS) -> Link | None:
    """The most that a target's ways could carry, for the check that compares it with what was measured."""
    found = link_over(ways.found, sysfs, at_most=True)
    return None if found is None else replace(found, copies=ways.copies)

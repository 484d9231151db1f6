"""The narrowest wire between a block device and this host, from sysfs: nothing behind it answers faster than it carries.

PCI Express: transfers per second and lanes of each device on the way (Documentation/ABI/testing/sysfs-bus-pci, `max_link_*`),
less its line code. SATA: the speed negotiated (ata_link class), less 8b/10b. What the kernel does not tell is None; in a virtual
machine the wires are its host's inventions and are not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host.devices import SYSFS
from plimsoll.ports import files

_LINE_CODES = {2.5: 8 / 10, 5.0: 8 / 10, 8.0: 128 / 130, 16.0: 128 / 130, 32.0: 128 / 130}
"""Share of the transfers that carries data, by GT/s; faster ones lose less than 6 % to error correction and count in full."""
_SPEED = re.compile(r"([0-9.]+) GT/s")
_SATA = re.compile(r"([0-9.]+) Gbps\Z")


@dataclass(frozen=True)
class Link:
    """A wire, and what it carries at most; MB are 10^6 bytes."""

    words: str
    mb_per_s: float


def narrowest_link(device: str, sysfs: Path = SYSFS) -> Link | None:
    """The narrowest link above the block device of that name; None where none is known."""
    folder = sysfs / "class" / "block" / device
    if not folder.exists():
        return None
    return min(_links(folder.resolve()), key=lambda link: link.mb_per_s, default=None)


def _links(folder: Path) -> Iterator[Link]:
    for above in folder.parents:
        link = _pcie(above) or _sata(above)
        if link is not None:
            yield link


def _pcie(folder: Path) -> Link | None:
    speed = _SPEED.match(files.read_text(folder / "max_link_speed") or "")
    lanes = files.read_text(folder / "max_link_width") or ""
    if speed is None or not lanes.isdigit() or int(lanes) in (0, 255):
        return None
    rate = float(speed[1])
    return Link(f"PCIe {rate:g} GT/s × {lanes}", rate * 1000 / 8 * _LINE_CODES.get(rate, 1.0) * int(lanes))


def _sata(folder: Path) -> Link | None:
    if not re.fullmatch(r"ata\d+", folder.name):
        return None
    for found in sorted(folder.glob("link*/ata_link/link*/sata_spd")):
        speed = _SATA.match(files.read_text(found) or "")
        if speed is not None:
            return Link(f"SATA {speed[1]} Gbit/s", float(speed[1]) * 100)
    return None

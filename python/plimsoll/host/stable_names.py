"""Names of disks that stay when the kernel numbers them anew: the links that udev keeps in /dev/disk, and serial numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plimsoll.host import devices
from plimsoll.host.identities import identities
from plimsoll.ports import files

DEV = Path("/dev")
_FOLDERS = ("by-id", "by-path")
"""In this order: what a disk is stays with it also where it is plugged in elsewhere."""
_BARE = ("wwn-", "nvme-eui.", "nvme-nvme.", "nvme-uuid.")
"""Names that are numbers alone; those that tell the model too are better to read."""


def stable_name(disk: str, dev: Path = DEV) -> str | None:
    """The path of a link to the disk of that kernel's name; None: there is none."""
    number = files.device_number(dev / disk)
    if number is None:
        return None
    for folder in _FOLDERS:
        links = [link for link in _links(dev / "disk" / folder) if files.device_number(link) == number]
        if links:
            return str(min(links, key=lambda link: (link.name.startswith(_BARE), link.name)))
    return None


def kernel_name(text: str, dev: Path = DEV, sysfs: Path = devices.SYSFS) -> str:
    """The kernel's name of the disk that a path or a serial number names; else the text itself."""
    path = Path(text) if text.startswith("/") else dev / text
    if files.device_number(path) is not None:
        return devices.device_beneath(path, sysfs) or text
    if text.startswith("/"):
        return text
    return next((name for name in _of_serial(text, dev, sysfs)), text)


def _links(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return


def _of_serial(text: str, dev: Path, sysfs: Path) -> Iterator[str]:
    for node in devices.nodes(sysfs):
        name = node.name.replace("!", "/")
        if node.disk is None and any(one.is_meant_by(text) for one in identities(dev / name, sysfs=sysfs)):
            yield name

"""What tells one device from every other for good, and whether what a user typed names it.

Names such as /dev/sdb go to another disk after a restart; serial numbers, world wide names and the like stay. Only both
together confirm a device.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.host import devices
from plimsoll.ports import files

BY_ID = Path("/dev/disk/by-id")
_WWN_PREFIX = re.compile(r"^(wwn-)?(0x|naa\.|eui\.)?")


@dataclass(frozen=True)
class Confirmation:
    """What `--destroy` says: the device's name, and its identity."""

    name: str
    identity: str


def parse_confirmation(text: str) -> Confirmation:
    """From `/dev/sdb=IDENTITY`. Raises UsageError `destroy-unreadable`."""
    name, separator, identity = text.partition("=")
    if not (name and separator and identity):
        raise UsageError(
            "destroy-unreadable",
            f"'{text}' does not name a device and its identity",
            "Write --destroy /dev/sdb=IDENTITY, with its serial number, WWN, dm-uuid or name in /dev/disk/by-id; for a"
            " loop device the file behind it.",
        )
    return Confirmation(name, identity)


@dataclass(frozen=True)
class Identity:
    """One of them. `kind` is for people: serial, WWN, by-id, file."""

    kind: str
    value: str

    def is_meant_by(self, text: str) -> bool:
        """Whether a user who typed this meant it. Letters count as they are, but for the ways of writing a WWN."""
        if text == self.value:
            return True
        if self.kind == "WWN":
            return _bare_wwn(text) == _bare_wwn(self.value)
        if self.kind == "by-id":
            return text == str(BY_ID / self.value)
        if self.kind in ("dm-uuid", "md-uuid"):
            return text == f"{self.kind}-{self.value}"
        return self.kind == "file" and os.path.realpath(text) == os.path.realpath(self.value)


def identities(path: Path, by_id: Path = BY_ID, sysfs: Path = devices.SYSFS) -> tuple[Identity, ...]:
    """All of a device's, those of its disk for a partition. None of them where the kernel tells none: zram, brd."""
    device = devices.block_device(path, sysfs)
    if device is None:
        return ()
    found = []
    if device.serial is not None and device.serial.strip("0 -"):
        found.append(Identity("serial", device.serial))
    if device.wwn is not None:
        found.append(_wide_name(device.wwn))
    found += [Identity("by-id", name) for name in _names(path, by_id)]
    behind = devices.backing_file(path, sysfs)
    if behind is not None:
        found.append(Identity("file", behind))
    return tuple(found)


def _wide_name(text: str) -> Identity:
    for kind in ("dm-uuid", "md-uuid"):
        if text.startswith(f"{kind}-"):
            return Identity(kind, text.removeprefix(f"{kind}-"))
    return Identity("WWN", text)


def _names(path: Path, by_id: Path) -> list[str]:
    """The links that udev keeps for this very node."""
    if not by_id.is_dir():
        return []
    number = files.device_number(path)
    links = [link for link in by_id.iterdir() if link.is_block_device()]
    return sorted(link.name for link in links if files.device_number(link) == number)


def _bare_wwn(text: str) -> str:
    return _WWN_PREFIX.sub("", text.lower())

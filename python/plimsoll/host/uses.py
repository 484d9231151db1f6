"""Who uses a block device at this moment: mounts, swap, what stands on it, and programs that have it open.

What counts is the device with its partitions; for a partition the whole disk too; and the other paths by which the host
reaches the same unit, because a file system that is mounted by one path is written to by any of them.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host import devices, filesystems
from plimsoll.ports import files

PROC = Path("/proc")
_MAPPED_KINDS = {
    "LVM": "LVM",
    "mpath": "multipath",
    "CRYPT": "encryption",
    "DMRAID": "RAID",
    "VDO": "VDO",
    "stratis": "Stratis",
}
_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Relatives:
    """Names of the partitions that the kernel knows on a device, and of the other paths to the same unit."""

    partitions: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def relatives(number: int, sysfs: Path = devices.SYSFS) -> Relatives:
    """Of the device with this number."""
    me, known = _node(number, sysfs)
    return Relatives(
        tuple(node.name for node in known if node.disk == me.folder),
        tuple(node.name for node in known if devices.are_one_unit(me, node)),
    )


def uses(number: int, sysfs: Path = devices.SYSFS, proc: Path = PROC) -> tuple[str, ...]:
    """Sentences such as that it is mounted; any of them forbids every write.

    Programs of other users are seen by root only. A host with many programs and open files is looked at for seconds.
    """
    me, known = _node(number, sysfs)
    ways = [me, *(node for node in known if devices.are_one_unit(me, node))]
    family = [node for node in known if any(_belongs(node, way) for way in ways)]
    said = {node.number: "it" if node == me else node.name for node in family}
    now = [*_mounted(said, proc), *_swapping(said, proc)]
    now += [words for node in family for words in _held(said[node.number], node)]
    now += _opened(said, proc)
    return tuple(dict.fromkeys(now))


def _node(number: int, sysfs: Path) -> tuple[devices.Node, list[devices.Node]]:
    """The device, and all devices. Where a container hides sysfs, mounts, swap and open files are told by number all the same."""
    known = devices.nodes(sysfs)
    me = next((node for node in known if node.number == number), None)
    if me is not None:
        return me, known
    alone = devices.Node("it", number, sysfs / "hidden")
    return alone, [alone]


def _belongs(node: devices.Node, me: devices.Node) -> bool:
    """The device itself, its partitions, and the disk of a partition; not the partitions beside it."""
    return node == me or node.disk == me.folder or node.folder == me.disk


def _mounted(said: dict[int, str], proc: Path) -> Iterator[str]:
    table = files.read_text(proc / "self" / "mountinfo") or ""
    for number, point in filesystems.mounted_devices(table):
        if number in said:
            yield f"{said[number]} is mounted on {point}"


def _swapping(said: dict[int, str], proc: Path) -> Iterator[str]:
    for line in (files.read_text(proc / "swaps") or "").splitlines()[1:]:
        name = _ESCAPE.sub(lambda match: chr(int(match[1], 8)), line.split()[0])
        number = files.device_number(Path(name))
        if number in said:
            yield f"{said[number]} is swap space in use"


def _held(said: str, node: devices.Node) -> Iterator[str]:
    for holder in devices.holders(node.folder):
        yield f"{_holder_words(holder)} stands on {'it' if said == 'it' else said}"


def _holder_words(folder: Path) -> str:
    """`dm-3 (vg0-data, LVM)`, `md0 (RAID)`."""
    name = files.read_text(folder / "dm" / "name")
    kind = (files.read_text(folder / "dm" / "uuid") or "").partition("-")[0]
    what = [word for word in (name, _MAPPED_KINDS.get(kind)) if word]
    if (folder / "md").is_dir():
        what.append("RAID")
    return f"{folder.name} ({', '.join(what)})" if what else folder.name


def _opened(said: dict[int, str], proc: Path) -> Iterator[str]:
    away = filesystems.remote_points(files.read_text(proc / "self" / "mountinfo") or "")
    for process in sorted(proc.iterdir()):
        if process.name.isdigit() and int(process.name) != os.getpid():
            for number in sorted(_open_devices(process, away) & set(said)):
                program = files.read_text(process / "comm") or "unknown"
                yield f"process {process.name} ({program}) has {said[number]} open"


def _open_devices(process: Path, away: tuple[str, ...]) -> set[int]:
    """Numbers of the block devices that a process has open; none where we may not look, or it has ended."""
    try:
        links = list((process / "fd").iterdir())
    except OSError:
        return set()
    return {number for link in links if (number := _device_behind(link, away)) is not None}


def _device_behind(link: Path, away: tuple[str, ...]) -> int | None:
    """Files of other hosts are not looked at: that would wait for a server that does not answer."""
    try:
        name = os.readlink(link)
        if not name.startswith("/") or name.startswith(away):
            return None
        state = link.stat()
    except OSError:
        return None
    return state.st_rdev if stat.S_ISBLK(state.st_mode) else None

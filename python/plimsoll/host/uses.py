"""Who uses a block device at this moment: mounts, swap, what stands on it, and programs that have it open, or the file behind it.

What counts is the device with its partitions; for a partition the whole disk too; and the other paths by which the host
reaches the same unit, because a file system that is mounted by one path is written to by any of them.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
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
    now += _opened(_sought(family, said, proc), proc)
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


def _opened(sought: _Sought, proc: Path) -> Iterator[str]:
    for process in sorted(proc.iterdir()):
        if process.name.isdigit() and int(process.name) != os.getpid():
            for what, how in sorted(_reached_by(process, sought)):
                program = files.read_text(process / "comm") or "unknown"
                yield f"process {process.name} ({program}) has {what} {how}"


@dataclass(frozen=True)
class _Sought:
    """What may be open: devices by number, and files behind loop devices by the name that the kernel gives and by device and inode.

    `away` are places of other hosts, which are not looked at: that would wait for a server that does not answer.
    """

    devices: dict[int, str]
    names: dict[str, str]
    inodes: dict[tuple[int, int], str]
    away: tuple[str, ...]

    def by_name(self, name: str) -> str | None:
        """What a process has under that name."""
        return self.names.get(name)

    def by_state(self, state: os.stat_result) -> str | None:
        """What a process has, by what the kernel says of it."""
        if stat.S_ISBLK(state.st_mode):
            return self.devices.get(state.st_rdev)
        return self.inodes.get((state.st_dev, state.st_ino))

    def is_near(self, name: str) -> bool:
        """Whether it is a file of this host."""
        return name.startswith("/") and not name.startswith(self.away)


def _sought(family: Sequence[devices.Node], said: dict[int, str], proc: Path) -> _Sought:
    names, inodes = {}, {}
    for node in family:
        name = devices.behind_loop(node.disk or node.folder)
        if name is not None:
            shown = said[node.number]
            names[name] = f"the file behind {shown}, {name},"
            with suppress(OSError):
                state = os.stat(name)
                inodes[state.st_dev, state.st_ino] = names[name]
    away = filesystems.remote_points(files.read_text(proc / "self" / "mountinfo") or "")
    return _Sought(said, names, inodes, away)


def _reached_by(process: Path, sought: _Sought) -> set[tuple[str, str]]:
    """What a process has open or mapped; nothing where we may not look, or it has ended."""
    opened = {
        (what, "open") for link in _entries(process / "fd") if (what := _behind(link, sought)) is not None
    }
    mapped = {(what, "mapped") for name in _mapped(process) if (what := _called(name, sought)) is not None}
    return opened | mapped


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _behind(link: Path, sought: _Sought) -> str | None:
    try:
        name = os.readlink(link)
        if not sought.is_near(name):
            return None
        return sought.by_name(name) or sought.by_state(link.stat())
    except OSError:
        return None


_MAP = re.compile(r"^\S+ \S+ \S+ \S+ [1-9]\d* +(/.*)$", re.MULTILINE)


def _mapped(process: Path) -> set[str]:
    """Names of the files that a process has in its memory: they stay there when the descriptor is closed (proc_pid_maps(5))."""
    return set(_MAP.findall(files.read_text(process / "maps") or ""))


def _called(name: str, sought: _Sought) -> str | None:
    """A mapping is known by its name; a device that is mapped by the number of its node."""
    if not sought.is_near(name):
        return None
    number = files.device_number(Path(name)) if name.startswith("/dev/") else None
    return sought.by_name(name) or (None if number is None else sought.devices.get(number))

"""Block devices as the kernel describes them in sysfs (Documentation/ABI/stable/sysfs-block). What it does not tell is None."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.facts import BlockDevice
from plimsoll.host.filesystems import file_system
from plimsoll.ports import files

SYSFS = Path("/sys")
_SECTOR_BYTES = 512
_VPD_HEADER_BYTES = 4
_DEPTH_MAX = 16
"""Devices stacked on devices: far beyond any real host, an end for a sysfs that lies."""


@dataclass(frozen=True)
class Node:
    """One block device or partition: its kernel name, number and folder in sysfs; `disk` is the folder of a partition's disk."""

    name: str
    number: int
    folder: Path
    disk: Path | None = None


def nodes(sysfs: Path = SYSFS) -> list[Node]:
    """Every block device that can be opened, by name; none where sysfs is hidden, as in a container."""
    try:
        links = list((sysfs / "dev" / "block").iterdir())
    except OSError:
        return []
    return sorted((_node(link) for link in links), key=lambda node: node.name)


def _node(link: Path) -> Node:
    major, _, minor = link.name.partition(":")
    folder = link.resolve()
    disk = whole_disk(folder)
    return Node(folder.name, os.makedev(int(major), int(minor)), folder, None if disk == folder else disk)


def are_one_unit(one: Node, other: Node) -> bool:
    """Whether two disks are two ways to the same bytes: of one world wide name, loop devices on one file, or one on the other."""
    mine, its = one.disk or one.folder, other.disk or other.folder
    if mine == its or other.disk is not None:
        return False
    names = [(tell(mine), tell(its)) for tell in (_identity, _backing_file)]
    same = any(name is not None and name == its_name for name, its_name in names)
    return same or _is_loop_on(mine, its) or _is_loop_on(its, mine)


def _is_loop_on(folder: Path, lower: Path) -> bool:
    """Whether it is a loop device on that disk or a partition of it: the kernel does not list it among the holders."""
    behind = _backing_file(folder)
    number = None if behind is None else files.device_number(behind)
    if number is None:
        return False
    return f"{os.major(number)}:{os.minor(number)}" in (
        files.read_text(place / "dev") for place in _parts(lower)
    )


def _parts(folder: Path) -> list[Path]:
    return [folder, *(place.parent for place in folder.glob("*/partition"))]


def holders(folder: Path) -> list[Path]:
    """The folders of the devices that are built on this one: LVM, RAID, multipath, encryption, bcache."""
    return _linked(folder / "holders")


def is_read_only(number: int, sysfs: Path = SYSFS) -> bool:
    """Whether the kernel refuses writes to it."""
    folder = _folder(number, sysfs)
    return folder is not None and bool(_flag(folder / "ro"))


def backing_file(path: Path, sysfs: Path = SYSFS) -> str | None:
    """The file behind a loop device; None for other devices, and when that file has been removed."""
    number = files.device_number(path)
    folder = None if number is None else _folder(number, sysfs)
    return None if folder is None else _backing_file(whole_disk(folder))


def behind_loop(folder: Path) -> str | None:
    """The file behind a loop device as the kernel names it, `(deleted)` and all; None for other devices."""
    return _text(folder / "loop" / "backing_file")


def _backing_file(folder: Path) -> str | None:
    behind = behind_loop(folder)
    return None if behind is None or behind.endswith(" (deleted)") else behind


def block_device(path: Path, sysfs: Path = SYSFS) -> BlockDevice | None:
    """The whole disk under a device node, or under the file system of a file; None where there is none (tmpfs, NFS)."""
    number = _device_number(path)
    folder = None if number is None else _folder(number, sysfs)
    return None if folder is None else _describe(whole_disk(folder), sysfs)


def io_bytes_max(disk: str, sysfs: Path = SYSFS) -> int | None:
    """What the kernel sends the disk of that name in one piece, at most; None: it does not tell."""
    kib = _number(sysfs / "block" / disk.replace("/", "!") / "queue" / "max_sectors_kb")
    return None if not kib else kib << 10


def sysfs_folder(path: Path, sysfs: Path = SYSFS) -> Path | None:
    """Where sysfs describes the very device or partition under a file or device node; None where there is none."""
    number = _device_number(path)
    return None if number is None else _folder(number, sysfs)


def device_beneath(path: Path, sysfs: Path = SYSFS) -> str | None:
    """The whole disk under a file or device node, by the name that /proc/diskstats gives it; None where there is none."""
    number = _device_number(path)
    folder = None if number is None else _folder(number, sysfs)
    # A slash in a name, as in cciss/c0d0, is an exclamation mark in sysfs.
    return None if folder is None else whole_disk(folder).name.replace("!", "/")


def _device_number(path: Path) -> int | None:
    """Of the device itself, or of the one that holds the file. Btrfs gives its files a number of no device: its mount knows."""
    try:
        state = path.stat()
    except OSError:
        return None
    if stat.S_ISBLK(state.st_mode):
        return state.st_rdev
    if os.major(state.st_dev) != 0:
        return state.st_dev
    mounted = file_system(path)
    source = None if mounted is None else Path(mounted.source)
    return source.stat().st_rdev if source is not None and source.is_block_device() else None


def _folder(number: int, sysfs: Path) -> Path | None:
    """Of a device that sysfs knows. Container engines hide `dev/block`: emptied, or closed to all but root."""
    try:
        return (sysfs / "dev" / "block" / f"{os.major(number)}:{os.minor(number)}").resolve(strict=True)
    except OSError:
        return None


IDENTITY = "identity "
"""Begins what `everything_beneath` says of a disk's world wide name."""


def everything_beneath(number: int, sysfs: Path = SYSFS) -> frozenset[str]:
    """A device, its disk, all that they are built of, and the disk's identity, by which another path to it is known.

    Kernel names; a file behind a loop device by its path. Empty where sysfs does not know the device.
    """
    folder = _folder(number, sysfs)
    if folder is None:
        return frozenset()
    disk = whole_disk(folder)
    identity = _identity(disk)
    named = () if identity is None else (f"{IDENTITY}{identity}",)
    return frozenset({folder.name, disk.name, *_below(disk, sysfs, _DEPTH_MAX), *named})


def base_disks(path: Path, sysfs: Path = SYSFS) -> tuple[str, ...]:
    """The disks at the bottom of what a file or device stands on, by their names in /proc/diskstats; empty where there are none."""
    number = _device_number(path)
    folder = None if number is None else _folder(number, sysfs)
    if folder is None:
        return ()
    return tuple(
        dict.fromkeys(disk.name.replace("!", "/") for disk in _bottom(whole_disk(folder), sysfs, _DEPTH_MAX))
    )


def _bottom(disk: Path, sysfs: Path, depth: int) -> Iterator[Path]:
    behind = behind_loop(disk)
    number = None if behind is None else _device_number(Path(behind))
    held = None if number is None else _folder(number, sysfs)
    below = _members(disk) if held is None else [held]
    if not below or depth == 0:
        yield disk
    for member in below if depth else ():
        yield from _bottom(whole_disk(member), sysfs, depth - 1)


def whole_disk(folder: Path) -> Path:
    """The folder of the disk that a partition is on; a disk's own."""
    return folder.parent if (folder / "partition").exists() else folder


def _is_buffered(folder: Path) -> bool | None:
    """Of a loop device, whether direct I/O of its own is off: then the page cache of its file takes in and answers."""
    direct = _flag(whole_disk(folder) / "loop" / "dio")
    return None if direct is None else not direct


def _describe(folder: Path, sysfs: Path) -> BlockDevice:
    queue = folder / "queue"
    sectors = _number(folder / "size")
    return BlockDevice(
        name=folder.name,
        model=_model(folder),
        serial=_text(folder / "device" / "serial") or _text(folder / "serial") or _scsi_serial(folder),
        wwn=_identity(folder),
        size_bytes=None if sectors is None else sectors * _SECTOR_BYTES,
        rotational=_flag(queue / "rotational"),
        scheduler=_scheduler(_text(queue / "scheduler")),
        queue_depth_max=_number(queue / "nr_requests"),
        logical_block_bytes=_number(queue / "logical_block_size"),
        physical_block_bytes=_number(queue / "physical_block_size"),
        write_cache=_text(queue / "write_cache"),
        buffered=_is_buffered(folder),
        fua=_flag(queue / "fua"),
        parents=tuple(dict.fromkeys(_below(folder, sysfs, _DEPTH_MAX))),
    )


def _model(folder: Path) -> str | None:
    """SCSI names the vendor apart; NVMe and virtio do not. A mapped device is known by its name in the mapper."""
    vendor, model = _text(folder / "device" / "vendor"), _text(folder / "device" / "model")
    if model is None:
        return _text(folder / "dm" / "name")
    # A PCI number is no vendor's name, and ATA stands for every maker of disks behind libata.
    named = vendor is not None and vendor != "ATA" and not vendor.startswith("0x")
    return f"{vendor} {model}" if named else model


def _identity(folder: Path) -> str | None:
    """What names this device for good: its world wide name, or for dm and md devices their uuid as /dev/disk/by-id has it."""
    name = _text(folder / "wwid") or _text(folder / "device" / "wwid")
    mapped, array = _text(folder / "dm" / "uuid"), _text(folder / "md" / "uuid")
    return name or (mapped and f"dm-uuid-{mapped}") or (array and f"md-uuid-{array}") or None


def _scsi_serial(folder: Path) -> str | None:
    """The unit serial number page (SPC-4, 7.8.15): four bytes of header, then text."""
    page = files.read_bytes(folder / "device" / "vpd_pg80")
    return _clean(page[_VPD_HEADER_BYTES:].decode("ascii", errors="replace")) if page else None


def _below(folder: Path, sysfs: Path, depth: int) -> Iterator[str]:
    """Everything that a device is built of, nearest first: a loop device's file, a mapped device's members, their disks."""
    if depth == 0:
        return
    behind = behind_loop(folder)
    if behind is not None:
        yield behind
        number = _device_number(Path(behind))
        held = None if number is None else _folder(number, sysfs)
        members = [] if held is None else [held]
    else:
        members = _members(folder)
    for member in members:
        yield member.name
        disk = whole_disk(member)
        if disk != member:
            yield disk.name
        yield from _below(disk, sysfs, depth - 1)


def _members(folder: Path) -> list[Path]:
    return _linked(folder / "slaves")


def _linked(folder: Path) -> list[Path]:
    return sorted(link.resolve() for link in folder.iterdir()) if folder.is_dir() else []


def _scheduler(text: str | None) -> str | None:
    """The one in brackets: `none [mq-deadline] kyber`."""
    if text is None:
        return None
    _, opened, rest = text.partition("[")
    return rest.partition("]")[0] if opened else text


def _text(path: Path) -> str | None:
    return _clean(files.read_text(path) or "")


def _clean(text: str) -> str | None:
    """Without the blanks and zero bytes that firmware pads with; None when nothing is left."""
    return text.replace("\0", "").strip() or None


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text is not None and text.isdigit() else None


def _flag(path: Path) -> bool | None:
    number = _number(path)
    return None if number is None else bool(number)

"""Block devices as the kernel describes them in sysfs (Documentation/ABI/stable/sysfs-block)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plimsoll.facts import BlockDevice
from plimsoll.ports import files

_SYSFS = Path("/sys/dev/block")
_SECTOR_BYTES = 512


def block_device(path: Path) -> BlockDevice | None:
    """The whole disk under a device node, or under the file system of a file; None where there is none (tmpfs, NFS, btrfs)."""
    state = path.stat()
    number = state.st_rdev if stat.S_ISBLK(state.st_mode) else state.st_dev
    folder = _SYSFS / f"{os.major(number)}:{os.minor(number)}"
    return _describe(_whole_disk(folder.resolve())) if folder.exists() else None


def _whole_disk(folder: Path) -> Path:
    return folder.parent if (folder / "partition").exists() else folder


def _describe(folder: Path) -> BlockDevice:
    queue = folder / "queue"
    sectors = _number(folder / "size")
    return BlockDevice(
        name=folder.name,
        model=_text(folder / "device" / "model"),
        serial=_text(folder / "device" / "serial") or _text(folder / "serial"),
        wwn=_text(folder / "wwid") or _text(folder / "device" / "wwid"),
        size_bytes=None if sectors is None else sectors * _SECTOR_BYTES,
        rotational=_flag(queue / "rotational"),
        scheduler=_scheduler(_text(queue / "scheduler")),
        queue_depth_max=_number(queue / "nr_requests"),
        logical_block_bytes=_number(queue / "logical_block_size"),
        physical_block_bytes=_number(queue / "physical_block_size"),
        write_cache=_text(queue / "write_cache"),
        fua=_flag(queue / "fua"),
        parents=_parents(folder),
    )


def _parents(folder: Path) -> tuple[str, ...]:
    """Members of a dm or md device, or the file behind a loop device."""
    behind = _text(folder / "loop" / "backing_file")
    if behind is not None:
        return (behind,)
    members = folder / "slaves"
    return tuple(sorted(member.name for member in members.iterdir())) if members.is_dir() else ()


def _scheduler(text: str | None) -> str | None:
    """The one in brackets: `none [mq-deadline] kyber`."""
    if text is None:
        return None
    _, opened, rest = text.partition("[")
    return rest.partition("]")[0] if opened else text


def _text(path: Path) -> str | None:
    return files.read_text(path) or None


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text is not None and text.isdigit() else None


def _flag(path: Path) -> bool | None:
    number = _number(path)
    return None if number is None else bool(number)

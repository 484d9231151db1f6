"""What block devices and NFS mounts did while we measured, by the kernel's own counters: a witness who is not us."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from plimsoll.context import Cancel
from plimsoll.facts import AtDevices
from plimsoll.host.device_counts import SECTOR_BYTES, counts_beneath
from plimsoll.host.mountstats import counts_at
from plimsoll.native.outcome import Moved

_LOOK_S = 0.5
"""How long others are looked at after a run in which the devices did more than we asked for."""


@dataclass(frozen=True)
class _Counts:
    reads: int
    read_bytes: int
    writes: int
    write_bytes: int
    is_mount: bool = False


def _of_device(path: Path) -> tuple[str, _Counts] | None:
    found = counts_beneath(path)
    if found is None:
        return None
    name, counts = found
    read_bytes, write_bytes = counts.read_sectors * SECTOR_BYTES, counts.write_sectors * SECTOR_BYTES
    return name, _Counts(counts.reads, read_bytes, counts.writes, write_bytes)


def _of_mount(path: Path) -> tuple[str, _Counts] | None:
    """What the kernel's NFS client asked its server for."""
    found = counts_at(path)
    if found is None or found.read_bytes is None or found.write_bytes is None:
        return None
    name = f"{found.source} on {found.place}"
    return name, _Counts(found.reads, found.read_bytes, found.writes, found.write_bytes, is_mount=True)


class Watched:
    """The devices beneath some files or devices, or the mounts that they lie on, from when this is made."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = set(map(Path, paths))
        self._before = self._counts()

    def since(self, moved: Moved, cancel: Cancel) -> AtDevices | None:
        """Our own sums beside the devices'; None where one of the devices is unknown or does not count."""
        grown = self._grown(self._before)
        if grown is None:
            return None
        of_mounts = any(counts.is_mount for counts in (self._before or {}).values())
        found = AtDevices(
            devices=tuple(sorted(self._before or ())), of_mounts=of_mounts, **moved.model_dump(), **grown
        )
        before = self._counts()
        if not found.moved_more or cancel.wait(_LOOK_S):
            return found
        alone = self._grown(before)
        if alone is None:
            return found
        others = alone["device_read_bytes"] + alone["device_write_bytes"]
        return found.model_copy(update={"others_bytes_per_s": others / _LOOK_S})

    def _counts(self) -> dict[str, _Counts] | None:
        found = [_of_device(path) or _of_mount(path) for path in self._paths]
        known = [one for one in found if one is not None]
        return dict(known) if known and len(known) == len(found) else None

    def _grown(self, before: dict[str, _Counts] | None) -> dict[str, int] | None:
        after = self._counts()
        if before is None or after is None or before.keys() != after.keys():
            return None
        pairs = [(before[name], after[name]) for name in before]
        grown = {
            "device_reads": sum(b.reads - a.reads for a, b in pairs),
            "device_read_bytes": sum(b.read_bytes - a.read_bytes for a, b in pairs),
            "device_writes": sum(b.writes - a.writes for a, b in pairs),
            "device_write_bytes": sum(b.write_bytes - a.write_bytes for a, b in pairs),
        }
        # Counters that went back are another device's, which took the name.
        return grown if min(grown.values()) >= 0 else None

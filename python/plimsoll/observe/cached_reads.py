"""What of each file was read by calls, and what of it from disks: what came from no disk came from the page cache.

All of it goes by the numbers of files, whoever read them and whether a name was found: else what one process read by name would be
held against what the same or another read when nobody knew the name yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plimsoll.observe.open_files import FILES_MAX, FileNumber

if TYPE_CHECKING:
    from plimsoll.native.call_probe import CallRow
    from plimsoll.observe.block_io import BlockIo


@dataclass
class _Read:
    """Bytes that were read of one file."""

    through_cache: int = 0
    """By calls on a file that is not open for direct I/O."""
    is_direct: bool = False
    """Whether others read it past the page cache: disks do not tell these from the reads that fill it."""
    at_lowest: int = 0
    """From disks that lie on no other."""
    at_upper: int = 0
    """From disks that lie on others."""


@dataclass
class CachedReads:
    """What was read so far, of all files."""

    _files: dict[FileNumber, _Read] = field(default_factory=dict)
    _is_full: bool = False

    def add(self, calls: Iterable[CallRow], ios: Iterable[BlockIo]) -> None:
        """What one more look holds: all calls, and all I/O at disks."""
        for call in calls:
            number = FileNumber(call["file_device"], call["inode"])
            if call["operation"] == "read" and (one := self._of(number)) is not None:
                one.is_direct |= call["is_direct"]
                one.through_cache += 0 if call["is_direct"] else call["bytes"]
        for io in ios:
            if io.operation != "read" or io.number is None or (one := self._of(io.number)) is None:
                continue
            if io.above:
                one.at_upper += io.bytes
            else:
                one.at_lowest += io.bytes

    def cached_share(self, numbers: Iterable[FileNumber]) -> float | None:
        """Of these files together what came from no disk, of what was read through the page cache; None where it is not known."""
        found = [self._files[number] for number in numbers if number in self._files]
        asked = sum(one.through_cache for one in found)
        if self._is_full or not asked or any(one.is_direct for one in found):
            return None
        # A file on a loop device is read there alone, at its disk it is the device's file; one on a disk with several ways is read
        # at the disk and again at its ways.
        from_disk = sum(max(one.at_lowest, one.at_upper) for one in found)
        return max(0.0, 1.0 - from_disk / asked)

    def _of(self, number: FileNumber) -> _Read | None:
        """None where there is no room for more files."""
        if number not in self._files and len(self._files) >= FILES_MAX:
            self._is_full = True
            return None
        return self._files.setdefault(number, _Read())

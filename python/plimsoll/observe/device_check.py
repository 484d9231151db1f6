"""What the probe saw at a disk, held against what the kernel itself counts there.

Both go on counting meanwhile, so the kernel's counters are read right before and right after each of the two cuts between which
I/Os are added up: what was seen must lie between the least and the most that ended in that time. Where these are far apart, a
difference could hide between them, and nothing is said.
Source: the kernel's iostats.rst; block/blk-mq.c, blk_account_io_done: a request for a flush, which moves nothing, is a write there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from plimsoll.base.units import format_share
from plimsoll.facts import WatchedDevice
from plimsoll.facts.watch import COUNTED
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, device_counts
from plimsoll.host.layers import BLOCKS, Layers
from plimsoll.observe.block_io import BlockIo, BlockReading
from plimsoll.ports import files

SHARE_MAX = 0.01
"""What both counts may differ by."""
FEW_IOS = 16
"""A difference of so many says nothing: each processor may be between the two counts with one."""
_BYTES_OF_ONE_MAX = 1 << 20
"""What an I/O that is under way may move, and may have moved in part."""
_NOT_COUNTED = ("flush", "discard")
"""Operations that it counts apart. Some of all others are writes to it."""


TELLS_ALL = "block_io_start"
"""The kernel's event that tells of the begin of every request."""
LOST = "I/Os are missing"
UNCLEAR = "both could not be held against each other closely enough"
"""Where what was seen may be right or wrong."""
_SAME = "the rows are what the kernel counts"
NO_REQUESTS = "its driver makes no requests of the block layer, so that I/O there is not seen"
_NEAR = "they are within 1 %, or within what was under way at the begin and a few more"
_UNTOLD = "the kernel counts {more:,} more, which may be requests for a flush: before Linux 6.5 it does not tell of all of them"


@dataclass(frozen=True)
class Counters:
    """Where the kernel's counters are; tests have files of their own."""

    diskstats: str = "/proc/diskstats"
    sysfs: Path = BLOCKS

    def read(self) -> dict[str, DeviceCounts]:
        """Of whole disks, by name."""
        return device_counts(files.read_text(self.diskstats) or "")

    def in_flight(self) -> dict[str, int]:
        """I/Os under way, by the name of disks and of partitions."""
        lines = (line.split() for line in (files.read_text(self.diskstats) or "").splitlines())
        return {parts[2]: int(parts[11]) for parts in lines if len(parts) > 11 and parts[11].isdigit()}


@dataclass(frozen=True)
class Moment:
    """The kernel's counters just before and just after a cut of the probe's rows."""

    before: Mapping[str, DeviceCounts]
    after: Mapping[str, DeviceCounts]
    in_flight: Mapping[str, int] = field(default_factory=dict)
    """I/Os that were under way: those that were before the probe came end without a begin."""


@dataclass
class SeenAtDisk:
    """What the probe saw at one disk, of all owners."""

    ios: int = 0
    bytes: int = 0
    flushes: int = 0
    others: int = 0
    other_bytes: int = 0
    largest_bytes: int = 0
    """Of one of these I/Os, at most."""
    untold: int = 0
    """Ends without a begin that may be requests for a flush, where the kernel does not tell of these."""

    def add(self, row: BlockIo) -> None:
        """One more row."""
        if row.operation == "flush":
            self.flushes += row.ios
        elif row.operation in COUNTED:
            self.ios += row.ios
            self.bytes += row.bytes
            sizes = (_BYTES_OF_ONE_MAX if size is None else size for size, _ in row.sizes)
            self.largest_bytes = max(self.largest_bytes, *sizes, 0)
        elif row.operation not in _NOT_COUNTED:
            self.others += row.ios
            self.other_bytes += row.bytes


@dataclass
class Disks:
    """All that was seen so far, by disk."""

    seen: dict[str, SeenAtDisk] = field(default_factory=dict)

    def add(self, reading: BlockReading) -> None:
        """What one more reading holds."""
        for row in reading.rows:
            self._at(row.device).add(row)
        if reading.begin != TELLS_ALL:
            for device, ios in reading.unbegun_at.items():
                self._at(device).untold += ios

    def held_against(self, begin: Moment, end: Moment, sysfs: Path) -> tuple[WatchedDevice, ...]:
        """Every disk with any I/O, by name."""
        names = sorted({*self.seen, *end.after})
        found = (_device(name, self.seen.get(name, SeenAtDisk()), begin, end, sysfs) for name in names)
        return tuple(one for one in found if one.ios or one.flushes or one.ios_counted or one.flushes_counted)

    def _at(self, device: str) -> SeenAtDisk:
        return self.seen.setdefault(device, SeenAtDisk())


@dataclass(frozen=True)
class _Both:
    """What was seen of one thing, and what the kernel's counter grew by, which is known from `least` to `most`."""

    what: str
    seen: int
    others: int
    """What the kernel may or may not count there."""
    least: int
    most: int
    allowed: int
    """What both may differ by, also where that is much of them."""

    @property
    def counted(self) -> int:
        """The growth that is nearest to what was seen."""
        return min(max(self.least, self.seen), self.most)

    @property
    def is_same(self) -> bool:
        """Whether nothing is missing, and nothing too much."""
        return self.seen <= self.counted <= self.seen + self.others

    def is_little(self, difference: int) -> bool:
        """Whether that says nothing."""
        return difference <= max(self.allowed, SHARE_MAX * self.counted)

    @property
    def doubt(self) -> str | None:
        """How far apart both are, where that is too far."""
        gap = max(self.counted - self.seen - self.others, self.seen - self.counted)
        if self.is_little(gap):
            return None
        share = f", {format_share(gap / self.counted)} apart" if self.counted else ""
        return f"{self.seen:,} {self.what} were seen and the kernel counts {self.counted:,}{share}"

    @property
    def haze(self) -> str | None:
        """How far apart the least and the most are, where a difference could hide between them."""
        if self.is_little(self.most - self.least):
            return None
        return f"between {self.least:,} and {self.most:,} {self.what} by the kernel's count"


def _device(name: str, seen: SeenAtDisk, begin: Moment, end: Moment, sysfs: Path) -> WatchedDevice:
    told = WatchedDevice(
        device=name,
        ios=seen.ios,
        bytes=seen.bytes,
        flushes=seen.flushes,
        ios_counted=None,
        bytes_counted=None,
        flushes_counted=None,
        held=None,
        reason=_why_not(name, begin, end, sysfs) or "",
    )
    if told.reason == NO_REQUESTS:
        return told.but(ios_counted=_growth(name, begin, end, _ios)[1])
    if told.reason:
        return told
    growth = partial(_growth, name, begin, end)
    under_way = begin.in_flight.get(name, 0)
    allowed = FEW_IOS + under_way
    ios = _Both("I/Os", seen.ios, seen.others + seen.untold, *growth(_ios), allowed)
    moved = _Both("bytes", seen.bytes, seen.other_bytes, *growth(_bytes), under_way * _BYTES_OF_ONE_MAX)
    of_few = FEW_IOS * max(seen.largest_bytes, moved.counted // max(1, ios.counted))
    moved = replace(moved, allowed=moved.allowed + of_few)
    flushes = (
        None
        if end.after[name].flushes is None
        else _Both("flushes", seen.flushes, 0, *growth(_flushes), allowed)
    )
    held, reason = _judged([ios, moved, *([flushes] if flushes else [])])
    if held and seen.untold and ios.counted > ios.seen:
        reason = _UNTOLD.format(more=ios.counted - ios.seen)
    return told.but(
        ios_counted=ios.counted,
        bytes_counted=moved.counted,
        flushes_counted=flushes and flushes.counted,
        held=held,
        reason=reason,
    )


def but_for_lost(found: WatchedDevice, lost_ios: int) -> WatchedDevice:
    """What is known to be missing is no difference: where no more than that is, nothing can be said of the disk."""
    missing = (found.ios_counted or 0) - found.ios
    if found.held is not False or not 0 < missing <= lost_ios:
        return found
    reason = f"{LOST}, of {lost_ios:,} for which the kernel had no room"
    return found.but(held=None, reason=f"{missing:,} {reason}")


def _judged(both: Sequence[_Both]) -> tuple[bool | None, str]:
    """Whether all of them are the same, and what was found."""
    if doubts := [one.doubt for one in both if one.doubt]:
        return False, "; ".join(doubts)
    if hazes := [one.haze for one in both if one.haze]:
        return None, f"{UNCLEAR}: {'; '.join(hazes)}"
    return True, _SAME if all(one.is_same for one in both) else _NEAR


def _growth(name: str, begin: Moment, end: Moment, of: Callable[[DeviceCounts], int]) -> tuple[int, int]:
    """The least and the most that ended between the two cuts."""
    least = of(end.before[name]) - of(begin.after[name])
    most = of(end.after[name]) - of(begin.before[name])
    return max(0, least), max(0, most)


def _ios(counts: DeviceCounts) -> int:
    return counts.reads + counts.writes


def _bytes(counts: DeviceCounts) -> int:
    return (counts.read_sectors + counts.write_sectors) * SECTOR_BYTES


def _flushes(counts: DeviceCounts) -> int:
    return counts.flushes or 0


def _why_not(name: str, begin: Moment, end: Moment, sysfs: Path) -> str | None:
    """Why nothing can be held against the kernel's counters."""
    if name not in end.before or name not in end.after:
        return "it was gone at the end"
    if name not in begin.before or name not in begin.after:
        return "it was not there at the begin"
    if _ios(end.after[name]) < _ios(begin.before[name]):
        return "another disk took its name meanwhile"
    folder = sysfs / name.replace("/", "!")
    if (files.read_text(str(folder / "queue" / "iostats")) or "1").strip() == "0":
        return "the kernel is told not to count there (queue/iostats is 0)"
    layers = Layers(sysfs)
    if layers.makes_requests(name):
        return None
    beneath = layers.seen_beneath(name)
    return f"it lies on {', '.join(beneath)}, where its I/Os are seen" if beneath else NO_REQUESTS

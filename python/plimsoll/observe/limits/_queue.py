"""The queues of a disk: how many requests each has room for, how many its driver takes, and how many there are now.

Requests that a scheduler holds are since Linux 6.16 in the kernel's count of those under way (/proc/diskstats), and not in
`inflight`, which counts what the driver has. That somebody waits for room is told by debugfs alone (`tags` and `sched_tags`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.facts.watch import LimitName
from plimsoll.observe.limits._use import NEAR, Fixed, Look, folders, number, numbers
from plimsoll.ports import files

LESS = "ask less of it at once or spread it over more disks."
HELD_COUNTED_SINCE = (6, 16)
"""Version of Linux whose count of a disk has what its scheduler holds."""
_MOUNT = "mount -t debugfs none /sys/kernel/debug, and look as root"
_CHOSEN = re.compile(r"\[([\w-]+)\]")
_TAGS = re.compile(r"^(depth|busy|ws_active)=(\d+)$", re.MULTILINE)
_RESERVED = "breserved_tags:"
"""Behind this stands what is kept for the driver's own commands."""


@dataclass(frozen=True)
class Tags:
    """The room of one queue for requests."""

    depth: int
    busy: int
    is_waited_for: bool
    """Whether anybody waits for a place."""

    @property
    def is_full(self) -> bool:
        """Whether who comes next has to wait, or somebody does."""
        return self.is_waited_for or self.busy >= self.depth


@dataclass(frozen=True)
class Disk:
    """A disk with queues of its own."""

    path: Path
    fixed: Fixed
    each: int
    """Requests for which each queue has room: `nr_requests`."""
    driver: int
    """What the driver has now."""
    held: int
    """That, and what waits for it in a scheduler."""
    scheduler: str | None

    @property
    def name(self) -> str:
        """The kernel's."""
        return self.path.name

    @property
    def queues(self) -> tuple[Path, ...]:
        """Their folders."""
        return self.fixed.queues

    @property
    def numbered(self) -> int | None:
        """As many as its driver numbers in all queues; None where that is not told."""
        return self.fixed.numbered

    @property
    def depth(self) -> int | None:
        """As many as may be set for it, as for those of SCSI."""
        return number(self.path / "device/queue_depth")

    @property
    def takes(self) -> int | None:
        """The fewer of both; None where neither is told."""
        return min((told for told in (self.numbered, self.depth) if told is not None), default=None)

    @property
    def is_numbered_by_driver(self) -> bool:
        """Whether the room for requests is the driver's own: without a scheduler, and where nobody made it smaller."""
        return (
            self.scheduler is None
            and self.numbered is not None
            and self.numbered <= self.each * len(self.queues)
        )

    def tags(self, which: str) -> list[Tags] | None:
        """The room of each queue, `tags` of the driver or `sched_tags`; None where debugfs does not tell all of them."""
        found = [_tags(self.fixed.debugfs / f"hctx{queue.name}" / which) for queue in self.queues]
        told = [one for one in found if one is not None]
        return told if len(told) == len(found) else None


def _tags(path: Path) -> Tags | None:
    text = (files.read_text(path) or "").partition(_RESERVED)[0]
    found = {name: int(value) for name, value in _TAGS.findall(text)}
    if not {"depth", "busy"} <= found.keys():
        return None
    return Tags(found["depth"], found["busy"], found.get("ws_active", 0) > 0)


def disks(look: Look) -> Iterator[Disk]:
    """Those with anything under way, or of which debugfs alone tells that; of the many others of a host nothing is read again."""
    for path in folders(look.root / "sys/block"):
        fixed = look.fixed.setdefault(path.name, Fixed(look.root, path))
        held = look.held.get(path.name.replace("!", "/"))
        if held == 0 and not fixed.is_told_by_debugfs_alone:
            continue
        each, driver = number(path / "queue/nr_requests"), sum(numbers(path / "inflight"))
        if each is not None and fixed.queues:
            yield Disk(path, fixed, each, driver, max(driver, held or 0), _scheduler(path))


def tell_unseen(look: Look, name: LimitName, disk: Disk, each: int) -> None:
    """Where one queue may be full for all that is counted, and debugfs does not say."""
    if disk.held >= NEAR * each:
        look.unseen[name, disk.name] = (
            f"{disk.held:,} requests were at {disk.name} at a moment, and each of its queues has room for {each:,}: whether any"
            f" waited for room ({name}) debugfs alone tells, which cannot be read: {_MOUNT}"
        )


def tell_unseen_in_scheduler(look: Look, disk: Disk) -> None:
    """Before Linux 6.16 the kernel counts what the driver has alone, and a full scheduler looks as an empty one."""
    if disk.scheduler is not None and look.release is not None and look.release < HELD_COUNTED_SINCE:
        look.unseen["nr_requests", disk.name] = (
            f"{disk.name} has a scheduler ({disk.scheduler}) with room for {disk.each:,} requests: before Linux 6.16 debugfs alone"
            f" tells how many it holds (nr_requests), which cannot be read: {_MOUNT}"
        )


def _scheduler(path: Path) -> str | None:
    chosen = _CHOSEN.search(files.read_text(path / "queue/scheduler") or "")
    return None if chosen is None or chosen[1] == "none" else chosen[1]

"""The queues of a disk: how many requests each has room for, how many its driver takes, and how many there are now.

Requests that a scheduler holds are in the kernel's count of those under way (/proc/diskstats), and not in `inflight`,
which counts what the driver has. That somebody waits for room is told by debugfs alone (`tags` and `sched_tags`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.facts.watch import LimitName
from plimsoll.observe.limits._use import NEAR, Look, folders, number, numbers
from plimsoll.ports import files

LESS = "ask less of it at once or spread it over more disks."
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

    root: Path
    path: Path
    queues: tuple[Path, ...]
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
    def numbered(self) -> int | None:
        """As many as its driver numbers in all queues; None where that is not told."""
        found = [tags for queue in self.queues if (tags := number(queue / "nr_tags")) is not None]
        return sum(found) if len(found) == len(self.queues) else None

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
        place = self.root / "sys/kernel/debug/block" / self.name
        found = [_tags(place / f"hctx{queue.name}" / which) for queue in self.queues]
        told = [one for one in found if one is not None]
        return told if len(told) == len(found) else None


def _tags(path: Path) -> Tags | None:
    text = (files.read_text(path) or "").partition(_RESERVED)[0]
    found = {name: int(value) for name, value in _TAGS.findall(text)}
    if not {"depth", "busy"} <= found.keys():
        return None
    return Tags(found["depth"], found["busy"], found.get("ws_active", 0) > 0)


def disks(look: Look) -> Iterator[Disk]:
    """Those with anything under way; of the many others of a host nothing is read."""
    for path in folders(look.root / "sys/block"):
        held = look.held.get(path.name.replace("!", "/"))
        if held == 0:
            continue
        each, queues, driver = (
            number(path / "queue/nr_requests"),
            folders(path / "mq"),
            sum(numbers(path / "inflight")),
        )
        if each is not None and queues:
            yield Disk(look.root, path, tuple(queues), each, driver, max(driver, held or 0), _scheduler(path))


def tell_unseen(look: Look, name: LimitName, disk: Disk, each: int) -> None:
    """Where one queue may be full for all that is counted, and debugfs does not say."""
    if disk.held >= NEAR * each:
        look.unseen[name, disk.name] = (
            f"{disk.held:,} requests were at {disk.name} at a moment, and each of its queues has room for {each:,}: whether any"
            f" waited for room ({name}) debugfs alone tells, which cannot be read: mount -t debugfs none /sys/kernel/debug, and"
            " look as root"
        )


def _scheduler(path: Path) -> str | None:
    chosen = _CHOSEN.search(files.read_text(path / "queue/scheduler") or "")
    return None if chosen is None or chosen[1] == "none" else chosen[1]

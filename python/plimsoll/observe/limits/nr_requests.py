"""Requests for which the kernel has room at a disk: `queue/nr_requests` for each of its queues, or for its scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.observe.limits._queue import LESS, Disk, Tags, disks, tell_unseen, tell_unseen_in_scheduler
from plimsoll.observe.limits._use import Look, Use


class LIMIT:
    """Who asks for more waits until there is room, before anything that is counted as waiting."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of each disk whose room is not that of its driver."""
        for disk in disks(look):
            if disk.is_numbered_by_driver or _is_depth_reached_first(disk):
                continue
            tags = disk.tags("sched_tags" if disk.scheduler else "tags")
            yield from _counted(look, disk) if tags is None else _told(disk, tags)


def _is_depth_reached_first(disk: Disk) -> bool:
    """Without a scheduler nothing waits behind a disk that takes less."""
    return disk.scheduler is None and disk.takes is not None and disk.takes <= disk.each * len(disk.queues)


def _told(disk: Disk, tags: list[Tags]) -> Iterator[Use]:
    """As the kernel says who waits, of each queue; a scheduler may let some wait before all places are taken."""
    full = [one for one in tags if one.is_full]
    if full:
        most = max(full, key=lambda one: one.busy)
        used = max(most.busy, min(disk.held, most.depth)) if len(tags) == 1 else most.busy
        yield Use("nr_requests", disk.name, "ios", most.depth, used, 0, _advice(disk))


def _counted(look: Look, disk: Disk) -> Iterator[Use]:
    """By what is held, which tells a queue that is full where there is one, and a scheduler that lets nobody wait before."""
    room = disk.each * len(disk.queues)
    yield Use("nr_requests", disk.name, "ios", room, disk.held, room, _advice(disk))
    tell_unseen_in_scheduler(look, disk)
    is_open = disk.scheduler is not None or len(disk.queues) > 1
    if is_open and disk.held < room:
        tell_unseen(look, "nr_requests", disk, disk.each)


def _advice(disk: Disk) -> str:
    deeper = (
        f"echo {2 * disk.each} > /sys/block/{disk.name}/queue/nr_requests where its driver allows more, else "
    )
    if disk.scheduler is None:
        return f"There is room for no more at once, and the rest waits: {deeper}{LESS}"
    return (
        f"There is room for no more in its scheduler ({disk.scheduler}), and who asks for more waits before it, unsorted:"
        f" {deeper}{LESS}"
    )

"""What a disk takes at once: `device/queue_depth`, or as many as its driver numbers."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.observe.limits._queue import LESS, Disk, disks, tell_unseen
from plimsoll.observe.limits._use import Look, Use

_HOLDS_BACK = "bfq"
"""A scheduler that holds requests back also from a disk that would take them."""


class LIMIT:
    """More waits before it, in the scheduler or for its number."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of each disk, and of one queue of several that is full by itself."""
        for disk in disks(look):
            yield from _whole(disk)
            yield from _one_queue(look, disk)


def _whole(disk: Disk) -> Iterator[Use]:
    takes = disk.takes
    if takes is None or not (disk.scheduler or takes <= disk.each * len(disk.queues)):
        return
    # The driver has all that it takes for moments alone; what is held beyond that waits for it.
    sees_all = disk.scheduler is None or (disk.held > takes and disk.scheduler != _HOLDS_BACK)
    used = disk.held if sees_all else disk.driver
    advice = f"More than these it is not given at once, and the rest waits: {_deeper(disk, takes)}{LESS}"
    yield Use(
        "queue_depth", disk.name, "ios", takes, min(used, takes) if disk.scheduler else used, takes, advice
    )


def _one_queue(look: Look, disk: Disk) -> Iterator[Use]:
    """Each processor has its queue: one may be full beside others that are empty."""
    if len(disk.queues) == 1 or not disk.is_numbered_by_driver:
        return
    tags = disk.tags("tags")
    if tags is None:
        tell_unseen(look, "queue_depth", disk, (disk.numbered or 0) // len(disk.queues))
    full = [one for one in tags or () if one.is_full]
    if full:
        most = max(full, key=lambda one: one.busy)
        advice = (
            f"One of its {len(disk.queues)} queues has no room, which serves some processors alone (mq/…/cpu_list): spread the work"
            f" over more of them, or {LESS}"
        )
        yield Use("queue_depth", disk.name, "ios", most.depth, most.busy, 0, advice)


def _deeper(disk: Disk, takes: int) -> str:
    if disk.depth != takes:
        return "its driver was loaded so; "
    return f"echo {2 * takes} > /sys/block/{disk.name}/device/queue_depth where its driver allows more, else "

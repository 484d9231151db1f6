"""The probe of the block layer, which counts in the kernel; it is there until it is stopped, dropped, or its process ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll import _core
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.native.errors import engine_errors

if TYPE_CHECKING:
    # Types of the stub alone: the compiled module has no such names.
    from plimsoll._core import _BlockCounts, _BlockRow

    BlockCounts = _BlockCounts
    BlockRow = _BlockRow

BlockProbe = _core.BlockProbe


@engine_errors()
def start(requests_max: int | None = None, rows_max: int | None = None) -> BlockProbe:
    """Puts it into the kernel, with room for so many requests at one moment and so many rows between two readings; what is beyond
    counts as lost.

    Raises `probe-no-rights`, `probe-container`, `probe-locked-down`, `probe-no-types`, `probe-event-missing`, `probe-refused`.
    """
    return _core.start_block_probe(requests_max, rows_max)


@engine_errors()
def book_on_askers(probe: BlockProbe, worker: int, server: int) -> str | None:
    """From here on I/O that this worker of a server does for others is theirs; servers have numbers from 1 on.

    Gives the reason where it cannot be told whose it is, and None else. Raises `probe-unread`.
    """
    return probe.book_on_askers(worker, server)


@engine_errors()
def cut(probe: BlockProbe) -> None:
    """From here on rows belong to the reading after the next; it takes no time to speak of. Raises `probe-unread`."""
    probe.cut()


@engine_errors()
def read(probe: BlockProbe) -> tuple[list[BlockRow], BlockCounts]:
    """What was added until the last cut, and what is in no row since the start. Raises `probe-unread`."""
    return probe.read()


def obstacles() -> list[PlimsollError]:
    """All that keeps a probe out of the kernel, each as the error that a start would raise; empty where one can be tried."""
    return [WorldError(one["id"], one["message"], one["hint"]) for one in _core.block_probe_obstacles()]

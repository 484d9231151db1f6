"""A worker that ends in order while files are read says so, where Dask does not.

`dask worker --no-nanny` that a signal ends closes nothing: its loop ends, and what is still at work in it is cancelled. A task of
ours among that tells the scheduler, as a worker of Dask's does that closes. A worker that is killed runs nothing any more.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Any

from plimsoll.cluster.limits import CLUSTER_FAREWELL_S

REASON = "ended-in-order"
"""Stands where a worker of Dask's gives the reason why it closes."""
_ENDED = ("closed", "failed")
"""States of a worker that has closed by itself before its loop ends."""
_promised: dict[str, asyncio.Task[None]] = {}
"""Of each worker in this process, by its address, once."""


def promise() -> None:
    """Called in the loop of a worker: it will say that it ends. Elsewhere nothing."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    for worker in _workers_of(loop):
        if worker.address not in _promised:
            telling = loop.create_task(_until_the_end(worker), name="plimsoll-farewell")
            _promised[worker.address] = telling


def _workers_of(loop: asyncio.AbstractEventLoop) -> list[Any]:
    """Dask's own that run in this loop: one, but where somebody has several in one process."""
    if "distributed.worker" not in sys.modules:
        return []
    from distributed import Worker

    running = [one for one in list(Worker._instances) if one.status.name == "running"]
    return [one for one in running if getattr(one.loop, "asyncio_loop", None) is loop]


async def _until_the_end(worker: Any) -> None:
    """Of the loop. A worker that closed by itself before has told why; one whose loop ends around it begins to close at best."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if worker.status.name not in _ENDED:
            with suppress(Exception):
                await asyncio.wait_for(_tell(worker), CLUSTER_FAREWELL_S)
        raise


async def _tell(worker: Any) -> None:
    """By a connection of its own, as the worker's are closed at the same time."""
    from distributed.core import rpc

    told = {"action": "closing-worker", "reason": REASON}
    async with rpc(worker.scheduler.address, connection_args=worker.connection_args) as scheduler:
        await scheduler.log_event(topic=worker.address, msg=told)

"""A watch of made readings, beside a disk whose counters are made too."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from plimsoll.context import Context
from plimsoll.facts import Watch
from plimsoll.flows import watch as flow
from plimsoll.host.device_counts import DeviceCounts
from plimsoll.observe.block_io import BlockReading
from plimsoll.observe.device_check import Counters
from plimsoll.observe.tally import Wanted
from plimsoll.observe.watching import Watching
from plimsoll.requests.watch import WatchRequest
from seen_io import Readings


class Counted(Counters):
    """Counters of one disk that jump to `ios` once the begin is over, and right behind each cut to `later`."""

    def __init__(self, ios: int, later: int | None = None) -> None:
        super().__init__("/nowhere", Path("/nowhere"))
        object.__setattr__(self, "looks", itertools.chain([0, 0], itertools.cycle([ios, later or ios])))

    def read(self) -> dict[str, DeviceCounts]:
        ios = next(self.__dict__["looks"])
        return {"sda": DeviceCounts(ios, 16 * ios, 0, 0, 0, 0, 0, 0, 0)}


def seen(ctx: Context, *readings: BlockReading, ios: int = 30, **asked: Any) -> Watch:
    """What was seen in readings a second apart, the first of which is from before."""
    request = WatchRequest(**{"watched_s": 3.0, **asked})
    wanted = Wanted(request.devices, request.roles, request.files)
    watching = Watching(Readings(*readings), ctx.clock, wanted, Counted(ios))
    return flow.watched(ctx, request, watching)


def codes(found: Watch) -> set[str]:
    return {note.code for note in found.notes}

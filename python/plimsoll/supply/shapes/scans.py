"""Full scans: several sequential streams of large reads, each on a part of the target of its own and with a thread of its own.

A stream has two reads under way, so that storage works while the last block is looked at.
"""

from __future__ import annotations

from plimsoll.facts import IoClass, PlanGroup
from plimsoll.supply.shapes._shape import LARGE_BYTES, Ground, Shape, Sizes


def _client(sizes: Sizes, ground: Ground) -> PlanGroup:
    read = IoClass(name="scan_read", op="read", pattern="sequential", block_bytes=LARGE_BYTES, weight=1.0)
    return PlanGroup(
        name="scans",
        classes=(read,),
        engine=ground.asynchronous_engine,
        jobs=sizes.streams,
        depth=2,
        targets=ground.data,
    )


shape: Shape = Shape(
    name="scans",
    title="full scans, each a sequential stream of 1 MiB reads",
    writes=False,
    waiting_max=16,
    make=_client,
)

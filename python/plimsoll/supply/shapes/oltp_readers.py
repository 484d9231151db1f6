"""Sessions that read one block at random and wait for it: an index lookup, Oracle's `db file sequential read`.

Each session is a thread with one read under way (psync).
"""

from __future__ import annotations

from plimsoll.facts import IoClass, PlanGroup
from plimsoll.supply.shapes._shape import Ground, Shape, Sizes


def _client(sizes: Sizes, ground: Ground) -> PlanGroup:
    read = IoClass(name="oltp_read", op="read", block_bytes=sizes.block_bytes, weight=1.0)
    return PlanGroup(
        name="oltp_readers",
        classes=(read,),
        engine=ground.blocking_engine,
        depth=sizes.readers,
        targets=ground.data,
    )


shape: Shape = Shape(
    name="oltp_readers",
    title="sessions that wait for each single block",
    writes=False,
    waiting_max=64,
    make=_client,
)

"""Random single-block reads of which many are under way: prefetch along an index, batched lookups, `io_method=io_uring`."""

from __future__ import annotations

from plimsoll.facts import IoClass, PlanGroup
from plimsoll.supply.shapes._shape import Ground, Shape, Sizes


def _client(sizes: Sizes, ground: Ground) -> PlanGroup:
    read = IoClass(name="async_read", op="read", block_bytes=sizes.block_bytes, weight=1.0)
    return PlanGroup(
        name="async_readers",
        classes=(read,),
        engine=ground.asynchronous_engine,
        depth=sizes.depth,
        targets=ground.data,
    )


shape: Shape = Shape(
    name="async_readers",
    title="random single-block reads, many outstanding",
    writes=False,
    waiting_max=512,
    make=_client,
)

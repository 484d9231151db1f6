"""A sort or hash join that spills: large sequential writes to temporary space, and as many large reads of it."""

from __future__ import annotations

from plimsoll.facts import IoClass, PlanGroup
from plimsoll.supply.shapes._shape import LARGE_BYTES, Ground, Shape, Sizes


def _client(sizes: Sizes, ground: Ground) -> PlanGroup:
    classes = (
        IoClass(name="temp_write", op="write", pattern="sequential", block_bytes=LARGE_BYTES, weight=1.0),
        IoClass(name="temp_read", op="read", pattern="sequential", block_bytes=LARGE_BYTES, weight=1.0),
    )
    return PlanGroup(
        name="temp",
        classes=classes,
        engine=ground.asynchronous_engine,
        depth=4,
        targets=ground.data,
    )


shape: Shape = Shape(
    name="temp",
    title="a sort that spills: large sequential writes and reads",
    writes=True,
    waiting_max=64,
    make=_client,
)

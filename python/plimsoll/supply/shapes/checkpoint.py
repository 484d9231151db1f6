"""The database writer in a checkpoint: batches of random block writes, many under way, each batch made durable at its end."""

from __future__ import annotations

from plimsoll.facts import Flush, IoClass, PlanGroup
from plimsoll.supply.shapes._shape import Ground, Shape, Sizes

_BATCH_WRITES = 256
"""2 MiB of 8 KiB blocks, then fdatasync."""


def _client(sizes: Sizes, ground: Ground) -> PlanGroup:
    write = IoClass(
        name="checkpoint_write",
        op="write",
        block_bytes=sizes.block_bytes,
        flush=Flush(every=_BATCH_WRITES, call="fdatasync"),
        weight=1.0,
    )
    return PlanGroup(
        name="checkpoint",
        classes=(write,),
        engine=ground.asynchronous_engine,
        depth=sizes.depth,
        targets=ground.data,
    )


shape: Shape = Shape(
    name="checkpoint",
    title="a database writer: random block writes in batches",
    writes=True,
    waiting_max=512,
    make=_client,
)

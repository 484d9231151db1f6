"""The log writer with group commit: one write after the other, each on stable storage before the next one begins.

The latency is that of a commit's write. Commits that come while one is under way go into the next one, so they never queue:
at a rate the writer pauses between writes. Sizes are what a group of commits amounts to, 512 B to 1 MiB. Each doubling of
the size is 0.7 times as frequent as the one before: half of the writes are at most 1 KiB, and the mean is 21 KiB.
"""

from __future__ import annotations

from plimsoll.facts import IoClass, PlanGroup, SizeShare
from plimsoll.native import engine
from plimsoll.supply.shapes._shape import Ground, Shape, Sizes

_SIZES_BYTES = tuple(512 << doubling for doubling in range(12))
_FREQUENCY = 0.7


def write_sizes(bytes_min: int) -> tuple[SizeShare, ...]:
    """The distribution for a target that takes writes of at least `bytes_min`: smaller ones are filled up to it."""
    weights: dict[int, float] = {}
    for doubling, size in enumerate(_SIZES_BYTES):
        filled = max(size, bytes_min)
        weights[filled] = weights.get(filled, 0.0) + _FREQUENCY**doubling
    return tuple(SizeShare(bytes=size, weight=round(weight, 6)) for size, weight in weights.items())


def _pattern() -> str:
    """Log writes where the engine has them."""
    return "log_write" if "log_write" in engine.patterns() else "sequential"


def _client(sizes: Sizes, ground: Ground) -> PlanGroup:
    shares = write_sizes(ground.log_bytes_min)
    write = IoClass(
        name="log_write",
        op="write",
        pattern=_pattern(),
        block_bytes=shares[-1].bytes,
        sizes=shares,
        weight=1.0,
        sync=True,
    )
    return PlanGroup(
        name="log_writer",
        classes=(write,),
        engine=ground.blocking_engine,
        targets=ground.log,
    )


shape: Shape = Shape(
    name="log_writer",
    title="a log writer with group commit: each write durable before the next",
    writes=True,
    waiting_max=1,
    make=_client,
    place="log",
    gathers=True,
)

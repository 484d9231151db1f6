"""What a shape is: a way of asking for I/O, made into a group of a plan for given sizes and targets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from plimsoll.base import registry
from plimsoll.facts import Arrivals, PlanGroup
from plimsoll.native.engine import blocks

_THREADS_MAX = 64
"""Under psync each I/O under way is a thread."""
LARGE_BYTES = 1 << 20
"""Of reads of several blocks, and of temporary space."""


@dataclass(frozen=True)
class Sizes:
    """How large the clients are."""

    block_bytes: int = 8192
    """Of single-block readers and of the database writer."""
    readers: int = 8
    """Sessions that wait for each block, one thread each."""
    depth: int = 32
    """I/Os under way of the clients that do not wait for each one."""
    streams: int = 4
    """Scans at the same time, each on a part of the target of its own."""


@dataclass(frozen=True)
class Ground:
    """Where the clients work, and what carries their I/Os. Targets are indexes into those of the run."""

    blocking_engine: str
    asynchronous_engine: str
    log_bytes_min: int
    """The smallest write that the log's target takes."""
    data: tuple[int, ...] = (0,)
    log: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Shape:
    """One kind of client. `name` is the file's name; `writes` says whether it needs leave to write."""

    name: str
    title: str
    writes: bool
    waiting_max: int
    """I/Os that each of its jobs may have under way when it asks for a rate and storage is slow."""
    make: Callable[[Sizes, Ground], PlanGroup]
    """The client as fast as it can."""
    place: Literal["data", "log"] = "data"
    gathers: bool = False
    """What has to wait goes into the next I/O, so no queue builds up: at a rate, each job pauses after each I/O."""

    @property
    def words(self) -> str:
        """The name as people say it."""
        return self.name.replace("_", " ")


def paced(shape: Shape, client: PlanGroup, rate_per_s: float, iops_alone: float) -> PlanGroup:
    """The same client at a rate. I/Os are due at random moments, whatever became of the earlier ones.

    A shape that gathers pauses instead, for so long that it has that rate alone; `iops_alone` is its rate without pauses.
    """
    if shape.gathers:
        return client.but(think_us=max(0.0, 1e6 / rate_per_s - 1e6 / iops_alone))
    waiting_max = min(shape.waiting_max, _THREADS_MAX) if blocks(client.engine) else shape.waiting_max
    depth = max(client.depth, waiting_max)
    return client.but(depth=depth, arrivals=Arrivals(kind="poisson", rate_per_s=rate_per_s))


def all_shapes() -> list[Shape]:
    """Every shape, by name."""
    return named(registry.names(_package()))


def named(names: Sequence[str]) -> list[Shape]:
    """The shapes of these names, `-` or `_` between words. Raises UsageError `shape-unknown`."""
    return [registry.load(_package(), name.replace("_", "-"), "shape") for name in names]


def _package() -> ModuleType:
    return sys.modules["plimsoll.supply.shapes"]

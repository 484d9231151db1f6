"""What is asked of the target: classes of I/O in given shares, and how they arrive."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from plimsoll.facts._fact import Fact

Op = Literal["read", "write"]


class IoClass(Fact):
    """One class of I/O within a workload."""

    name: str
    op: Op
    pattern: str = "random"
    block_bytes: int = Field(gt=0)
    weight: float = Field(gt=0)
    """Its share of the I/Os, relative to the other classes' weights."""
    sync: bool = False
    """Each write is on stable storage before it counts as done (RWF_DSYNC)."""


class Workload(Fact):
    """A mix of classes, and the queue that may stand before the target."""

    name: str
    classes: tuple[IoClass, ...] = Field(min_length=1)

    @property
    def writes(self) -> bool:
        """Whether any class writes."""
        return any(io.op == "write" for io in self.classes)

    @property
    def mean_bytes(self) -> float:
        """Bytes of the average I/O."""
        total = sum(io.weight for io in self.classes)
        return sum(io.weight * io.block_bytes for io in self.classes) / total

    @property
    def read_share(self) -> float:
        """Reads as a share of I/Os, 0 to 1."""
        reads = sum(io.weight for io in self.classes if io.op == "read")
        return reads / sum(io.weight for io in self.classes)


class Arrivals(Fact):
    """Closed: a new I/O starts when one ends. Poisson and uniform: I/Os are due at a rate, whatever became of the earlier ones."""

    kind: Literal["closed", "poisson", "uniform"] = "closed"
    rate_per_s: float | None = Field(default=None, gt=0)

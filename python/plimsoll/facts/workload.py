"""What is asked of the target: classes of I/O in given shares, and how they arrive."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from plimsoll.facts._fact import Fact

Op = Literal["read", "write"]


class SizeShare(Fact):
    """One of several sizes of a class; `weight` is relative to the other sizes."""

    bytes: int = Field(gt=0)
    weight: float = Field(gt=0)


class Flush(Fact):
    """After every so many writes of a class one call makes them durable; the last of them lasts until it has ended."""

    every: int = Field(gt=0)
    call: Literal["fsync", "fdatasync"]


class IoClass(Fact):
    """One class of I/O within a workload. With several `sizes`, `block_bytes` is the largest."""

    name: str
    op: Op
    pattern: str = "random"
    skew: float | None = None
    """The pattern's parameter, where it has one."""
    block_bytes: int = Field(gt=0)
    sizes: tuple[SizeShare, ...] = ()
    flush: Flush | None = None
    weight: float = Field(gt=0)
    """Its share of the I/Os, relative to the other classes' weights."""
    sync: bool = False
    """Each write is on stable storage before it counts as done (RWF_DSYNC)."""

    @property
    def mean_bytes(self) -> float:
        """Bytes of the average I/O of the class."""
        total = sum(size.weight for size in self.sizes)
        return sum(size.weight * size.bytes for size in self.sizes) / total if total else self.block_bytes


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
        return sum(io.weight * io.mean_bytes for io in self.classes) / total

    @property
    def read_share(self) -> float:
        """Reads as a share of I/Os, 0 to 1."""
        reads = sum(io.weight for io in self.classes if io.op == "read")
        return reads / sum(io.weight for io in self.classes)


class RateStep(Fact):
    """A stretch of a series of arrivals: its length, and a rate for each class of the workload, in their order."""

    duration_s: float = Field(gt=0)
    rates_per_s: tuple[Annotated[float, Field(ge=0)], ...]

    @property
    def rate_per_s(self) -> float:
        """I/Os per second of all classes."""
        return sum(self.rates_per_s)


class Arrivals(Fact):
    """Closed: a new I/O starts when one ends. Poisson and uniform: I/Os are due at a rate, whatever became of the earlier ones.

    Series: as Poisson, at rates by class that change from step to step; `burst` of them come at one moment.
    """

    kind: Literal["closed", "poisson", "uniform", "series"] = "closed"
    rate_per_s: float | None = Field(default=None, gt=0)
    steps: tuple[RateStep, ...] | None = None
    burst: int | None = None


class Clients(Fact):
    """Clients of one kind, at work at the same time as those of other groups: what is asked of them, and what is said of a result.

    A group of a plan and a group of a cell are of it, so that a field that both have is here alone.
    """

    name: str
    engine: str
    jobs: int = 1
    depth: int = 1
    """Per job."""
    arrivals: Arrivals = Field(default_factory=Arrivals)
    think_us: float = 0.0
    """Closed loop: a job starts nothing for so long after an I/O has ended."""
    classes: tuple[Any, ...]
    delay_s: float = 0.0
    """So long after the others they begin."""
    runtime_s: float | None = None

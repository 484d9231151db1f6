"""What is asked of the target: classes of I/O in given shares, and how they arrive."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from plimsoll.facts._fact import Fact

Op = Literal["read", "write"]


class SizeShare(Fact):
    """One of several sizes of a class; `weight` is relative to the other sizes."""

    bytes: int = Field(gt=0)
    """Size of such an I/O."""
    weight: float = Field(gt=0)
    """How many of the I/Os, relative to the other weights."""


class Flush(Fact):
    """After every so many writes of a class one call makes them durable; the last of them lasts until it has ended."""

    every: int = Field(gt=0)
    """So many writes."""
    call: Literal["fsync", "fdatasync"]
    """The system call."""


class IoClass(Fact):
    """One class of I/O within a workload. With several `sizes`, `block_bytes` is the largest."""

    name: str
    """Unique in its workload."""
    op: Op
    """Whether it reads or writes."""
    pattern: str = "random"
    """Which I/O comes next: the name of a pattern."""
    skew: float | None = None
    """The pattern's parameter, where it has one."""
    block_bytes: int = Field(gt=0)
    """Bytes of each of its I/Os; with several sizes the largest."""
    sizes: tuple[SizeShare, ...] = ()
    """Its sizes where it has several; empty: all are of `block_bytes`."""
    flush: Flush | None = None
    """None: no call makes its writes durable."""
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
    """What it is called."""
    classes: tuple[IoClass, ...] = Field(min_length=1)
    """The kinds of I/O that it mixes."""

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
    """Its length in seconds."""
    rates_per_s: tuple[Annotated[float, Field(ge=0)], ...]
    """I/Os per second of each class."""

    @property
    def rate_per_s(self) -> float:
        """I/Os per second of all classes."""
        return sum(self.rates_per_s)


class Arrivals(Fact):
    """Closed: a new I/O starts when one ends. Poisson and uniform: I/Os are due at a rate, whatever became of the earlier ones.

    Series: as Poisson, at rates by class that change from step to step; `burst` of them come at one moment.
    """

    kind: Literal["closed", "poisson", "uniform", "series"] = "closed"
    """When the next I/O starts."""
    rate_per_s: float | None = Field(default=None, gt=0)
    """I/Os per second of all classes that are due; None in a closed loop and a series."""
    steps: tuple[RateStep, ...] | None = None
    """The steps of a series, one after the other; None elsewhere."""
    burst: int | None = None
    """I/Os that come at one moment; None: each by itself."""


class Clients(Fact):
    """Clients of one kind, at work at the same time as those of other groups: what is asked of them, and what is said of a result.

    A group of a plan and a group of a cell are of it, so that a field that both have is here alone.
    """

    name: str
    """What the group is called."""
    engine: str
    """The name of an engine."""
    jobs: int = 1
    depth: int = 1
    """Per job."""
    arrivals: Arrivals = Field(default_factory=Arrivals)
    think_us: float = 0.0
    """Closed loop: a job starts nothing for so long after an I/O has ended."""
    classes: tuple[Any, ...]
    """What they do."""
    delay_s: float = 0.0
    """So long after the others they begin."""
    runtime_s: float | None = None

"""What the engine is asked to do. Its JSON is what Rust reads (`crates/engine/src/spec.rs`): the same names, nothing translated.

Bounds are the engine's, which refuses what cannot be run with the reason and the value. Permits to write are no part of a plan:
they are passed beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from plimsoll.facts._fact import Fact
from plimsoll.facts.target import Stretch, Target
from plimsoll.facts.workload import Clients, IoClass, Workload


class _Part(Fact):
    """A number without an end is refused, as JSON has none: it would be read as unknown."""

    model_config: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)


class Faults(_Part):
    """What goes wrong on a simulated device: probabilities per I/O, 0 to 1, and what happens at a given moment."""

    error: float = 0.0
    """Ends with an I/O error."""
    short: float = 0.0
    """Ends after a part of its bytes."""
    delay: float = 0.0
    """Takes `delay_us` longer."""
    delay_us: float = 0.0
    """How much longer a delayed I/O takes, in microseconds."""
    gone_after_ios: int | None = None
    """From so many I/Os on all fail, as of a device that was pulled."""
    stall_after_ios: int | None = None
    """After so many I/Os the device stands still once, for `stall_us`."""
    stall_us: float | None = None
    """How long it stands still, in microseconds."""


class Simulation(_Part):
    """A simulated device: how long it takes for an I/O, and for how many at once."""

    law: Literal["exponential", "constant", "lognormal"]
    """How service times are distributed."""
    mean_us: float
    """Mean service time of an I/O, in microseconds."""
    sigma: float = 0.5
    """Of the logarithm; of the log-normal law alone."""
    servers: int = 1
    """I/Os in service at once; the others wait in the order of arrival."""
    burst_ios: int | None = None
    """So many I/Os at first are served with `burst_mean_us`, as a device with burst credit does."""
    burst_mean_us: float | None = None
    """Mean service time of the first I/Os, in microseconds."""
    us_per_mib: float = 0.0
    """What each MiB of an I/O adds."""
    write_mean_us: float | None = None
    """Of writes; None: as reads."""
    cliff_ios: int | None = None
    """Writes after so many take `cliff_mean_us`, as on a device that has run out of erased blocks."""
    cliff_mean_us: float | None = None
    """Mean service time of writes after the cliff, in microseconds."""
    cache_bytes: int | None = None
    """Reads within so many first bytes of a target are answered by a cache, in `cache_us`."""
    cache_us: float | None = None
    """How long an answer from the cache takes, in microseconds."""
    faults: Faults = Field(default_factory=Faults)
    """What goes wrong."""


class PlanGroup(_Part, Clients):
    """One group of a plan: who does which I/O, beside the others. Class names are unique in the plan."""

    classes: tuple[IoClass, ...]
    """Its classes of I/O."""
    runtime_s: float | None = None
    """It ends so long after its own beginning, at the latest with the plan's time."""
    ios_max: int | None = None
    """It ends after so many I/Os, while others go on; in place of the plan's."""
    targets: tuple[int, ...] | None = None
    """Indexes into the plan's; None: all of them."""
    pin: bool = True
    """Each job's thread is bound to one CPU."""

    @staticmethod
    def of(workload: Workload, engine: str, **more: Any) -> PlanGroup:
        """The group that does this workload."""
        return PlanGroup(name=workload.name, classes=workload.classes, engine=engine, **more)

    @property
    def workload(self) -> Workload:
        """What it does."""
        return Workload(name=self.name, classes=self.classes)

    @property
    def is_bounded(self) -> bool:
        """Whether it has a time of its own within that of the plan."""
        return bool(self.delay_s) or self.runtime_s is not None or self.ios_max is not None


class Plan(_Part):
    """A whole run: groups that are at work at the same time, in one measured window, which begins for all of them at once.

    Flows begin one without targets or without groups and tell them later; the engine refuses a plan that lacks either.
    """

    targets: tuple[Stretch, ...] = ()
    """Where I/Os may go."""
    stripe_bytes: int | None = None
    """Several targets: striped with this depth, or None for one behind the other."""
    direct: bool = True
    """Past the page cache."""
    merge: bool = False
    """Let the kernel make one I/O of neighbouring ones."""
    groups: tuple[PlanGroup, ...] = ()
    """Who does what at the same time."""
    runtime_s: float | None = None
    """Length of the measured window; None: `ios_max` ends it, or each group itself."""
    ios_max: int | None = None
    """It ends after so many I/Os of all groups."""
    warm_up_s: float = 0.0
    """Before the measured window, and in no result."""
    begin_unix_ns: int | None = None
    """The moment of the wall clock before which no I/O starts, for runs that begin together on several hosts."""
    window_s: float = 1.0
    """Length of a slice of the measured window."""
    give_up_latency_us: float | None = None
    """At a rate: it ends when the oldest I/O that is due has waited longer."""
    seed: int = 1
    """Of every random choice."""
    stable: Literal["file", "data", "none"] = "file"
    """How durable an NFS server answers a write; after none of it, a write ends with its COMMIT."""
    path_timeout_s: float = 5.0
    """How long a path to an NFS server may be silent while something is asked over it."""
    simulation: Simulation | None = None
    """The device that the targets stand for, where they are simulated."""

    @property
    def group(self) -> PlanGroup:
        """The only group of a plan that has one."""
        (only,) = self.groups
        return only

    def on(self, *targets: Target) -> Plan:
        """The same plan on these targets."""
        return self.but(targets=tuple(target.stretch for target in targets))

    def doing(self, groups: Iterable[PlanGroup]) -> Plan:
        """The same plan with these groups."""
        return self.but(groups=tuple(groups))

    def with_group(self, **changes: Any) -> Plan:
        """The same plan with these fields of its only group changed."""
        return self.doing((self.group.but(**changes),))

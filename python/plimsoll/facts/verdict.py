"""The verdict: does this storage carry that database?"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.shared import Shared
from plimsoll.facts.workload import Workload


class ClassVerdict(Fact):
    """One class of the mix that decides: what was asked, and what the storage gave at the trial nearest the line."""

    name: str
    """The class of I/O."""
    demand_iops: float
    """I/Os per second as counted, without the burst factor."""
    share: float
    """Its part of the mix's I/Os, 0 to 1."""
    latency_us_p99: float | None
    """99th percentile at the trial nearest the line, in microseconds; None where there is no trial."""
    limit_us: float | None
    """The class's own limit; None where the objective is over all I/Os together."""


class MixVerdict(Fact):
    """One of the mixes that stand for the demand together, and what the storage made of it."""

    begin_time: datetime | None
    """When the interval began that the mix goes beyond by the least; None when no time is known."""
    intervals: int
    """How many intervals it stands for: it asks for at least what each of them did."""
    slack: float
    """By how much it asks for more than that one interval, as a share of what it costs: 0.1 is 10 %."""
    demand_iops: float
    """I/Os per second of the mix, without the burst factor."""
    demand_mb_per_s: float
    """Megabytes (10^6 bytes) per second of the mix, without the burst factor."""
    asked_iops: float
    """With the burst factor: what the line is held against."""
    outcome: Literal[
        "found", "never_held", "not_limited", "unsteady", "failed", "interrupted", "held", "not_measured"
    ]
    """That of the line's search. `held`: no line was searched, for the objective held above what decides."""
    line_iops: float | None
    """The line at this mix; with `at_least` the highest rate that is known to hold."""
    ci95: tuple[float, float] | None = None
    """95 % interval of the line."""
    headroom: float | None
    at_least: bool = False
    """Line and headroom are lower bounds."""
    limiting_class: str | None = None
    """The class whose objective is missed first at this mix."""
    workload: Workload | None = None
    """The mix itself, each class weighted by its I/Os per second."""


class Verdict(Fact):
    """`carries` None means that it cannot be told, and `reason` says why. `headroom` is line / what is asked; above 1 is room.

    It is that of the mix with the smallest headroom, of all `mixes` that stand for the demand; where the demand was driven and
    missed at no more than that, it is `replay_headroom`.
    """

    carries: bool | None
    """None: it cannot be told."""
    headroom: float | None
    """Line / what is asked: above 1 is room. None where it cannot be told, or where I/Os failed: what held until one did is no
    capacity."""
    driven_s: float | None = None
    """How long, in seconds, the longest run was that held at what is asked or more; a demand that lasts longer was not seen to be
    carried to its end. None where no run held so much."""
    limiting_class: str | None
    """The class whose objective is missed first."""
    line_iops: float | None
    """The line at the deciding mix."""
    demand_iops: float | None
    """I/Os per second of the deciding mix as it was measured, without the burst factor."""
    burst_factor: float | None = None
    """What the user gave for bursts within an interval; None: none."""
    asked_iops: float | None = None
    """What the line is held against: `demand_iops` times the burst factor, where there is one."""
    moment: datetime | None = None
    """When the interval began that decides."""
    reason: Text
    """A few sentences that a manager understands."""
    headroom_ci95: tuple[float, float] | None = None
    """Of the smallest headroom of all mixes, as wide as that of several lines must be; or from the highest factor that was driven
    and held to the lowest that missed. None also where it is a lower bound."""
    replay_headroom: float | None = None
    """The highest factor at which the demand's worst stretches, driven as they were, held; None where none was driven or held."""
    work: Text | None = None
    """What came of a backup or a migration beside it, in a few words; None where none was asked about."""
    resolution_s: float | None = None
    """Length of the demand's intervals in seconds: shorter bursts are not seen."""
    slo: str
    classes: tuple[ClassVerdict, ...] = ()
    """The classes of the deciding mix."""
    mixes: tuple[MixVerdict, ...] = ()
    """The one that decides first, then the others by their headroom."""
    shared: Shared | None = None
    """Others who used the storage while its lines were measured; None where nobody was seen."""
    notes: tuple[Note, ...] = ()

    @property
    def load_iops(self) -> float | None:
        """What the line is held against; verdicts of earlier versions have it as their demand."""
        return self.demand_iops if self.asked_iops is None else self.asked_iops

    @property
    def is_at_least(self) -> bool:
        """Whether the headroom is a lower bound: nothing was missed, neither by the lines nor by what was driven."""
        if self.is_by_replay:
            return self.headroom_ci95 is None
        return self.headroom is not None and bool(self.mixes) and self.mixes[0].at_least

    @property
    def is_by_replay(self) -> bool:
        """Whether headroom and interval are of what was driven, and not of the lines."""
        return self.headroom is not None and self.headroom == self.replay_headroom

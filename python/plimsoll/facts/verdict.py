"""The verdict: does this storage carry that database?"""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Note, Text


class ClassVerdict(Fact):
    """One class at the demand's peak: what was asked, and what the storage gave at the trial nearest the line."""

    name: str
    demand_iops: float
    share: float
    latency_us_p99: float | None
    limit_us: float | None
    """The class's own limit; None where the objective is over all I/Os together."""


class Verdict(Fact):
    """`carries` None means that it cannot be told, and `reason` says why. `headroom` is line / highest demand; above 1 is room."""

    carries: bool | None
    headroom: float | None
    limiting_class: str | None
    line_iops: float | None
    demand_iops: float | None
    reason: Text
    """One or two sentences that a manager understands."""
    headroom_ci95: tuple[float, float] | None = None
    resolution_s: float | None = None
    slo: str
    classes: tuple[ClassVerdict, ...] = ()
    notes: tuple[Note, ...] = ()

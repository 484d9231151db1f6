"""The line: the rate of arrivals at which the long-run latency crosses its objective."""

from __future__ import annotations

from typing import Literal

from plimsoll.base.units import format_us
from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell
from plimsoll.facts.check import Check
from plimsoll.facts.latency import LatencyUs
from plimsoll.facts.shared import Shared
from plimsoll.facts.target import Target
from plimsoll.facts.workload import Workload


def _share_words(quantile: float) -> str:
    if quantile == 0.5:
        return "half of the"
    for whole in (10, 100, 1_000, 10_000, 100_000):
        part = quantile * whole
        if abs(part - round(part)) < 1e-6:
            return f"{round(part):,} of {whole:,}"
    return f"{100 * quantile:g} % of"


class Objective(Fact):
    """At most `1 - quantile` of a class's I/Os may take longer than `limit_us`; `io_class` None means all I/Os together."""

    io_class: str | None = None
    """The class of I/O; None: all together."""
    host: str | None = None
    """Whose I/Os, where several hosts measured; None: those of all."""
    quantile: float
    """Between 0 and 1: 0.99 is p99."""
    limit_us: float
    """What that quantile may be at most, in microseconds."""

    @property
    def words(self) -> str:
        """`99 of 100 I/Os within 1 ms`, for people who do not think in percentiles."""
        who = f"{self.io_class.replace('_', ' ')} " if self.io_class else ""
        where = f" of {self.host}" if self.host else ""
        return f"{_share_words(self.quantile)} {who}I/Os{where} within {format_us(self.limit_us)}"


class Slo(Fact):
    """The latency objective, as typed and as meant: every one of `objectives` must hold."""

    text: str
    """As it was typed."""
    objectives: tuple[Objective, ...]
    """Each as it was meant."""

    @property
    def words(self) -> str:
        """All objectives in words."""
        return " and ".join(objective.words for objective in self.objectives)

    @property
    def quantile_max(self) -> float:
        """The most demanding quantile: it decides how many I/Os a trial needs."""
        return max(objective.quantile for objective in self.objectives)

    @property
    def hosts(self) -> int:
        """Over how many hosts its objectives are spread, each of which has an equal part of the I/Os."""
        return len({objective.host for objective in self.objectives})

    @property
    def limit_us_max(self) -> float:
        """The loosest limit."""
        return max(objective.limit_us for objective in self.objectives)


class Trial(Fact):
    """One measurement at one rate. `rate` and `achieved` are I/Os per second; `held` is None when the trial is void."""

    rate: float
    """I/Os per second that were due."""
    achieved: float
    """I/Os per second that ended."""
    latency_us: LatencyUs
    """Of several hosts that of the one on which the objective was worst."""
    held: bool | None
    """Whether every objective held; None: the trial does not count."""
    worst_ratio: float
    """The worst objective's measured quantile divided by its limit: above 1 is a miss, 3 a latency that never stopped rising."""
    limiting_class: str | None
    """The class whose objective was worst."""
    limiting_host: str | None = None
    """The host on which it was worst, where there were several."""
    phase: Literal["bracket", "narrow", "gather", "confirm", "control"]
    """What it was made for: to bracket the line, to narrow it down, to gather points near it, to confirm, or to watch the
    host."""
    void_reason: str | None = None
    """Why the trial does not count; of one that missed: why it counts as missed although its quantile was within the limit."""
    cell: Cell
    """Everything that was measured."""


class LineHost(Fact):
    """One of several hosts whose I/Os together are the line."""

    name: str
    """As it was named."""
    clock_offset_us: float
    """How far its clock was ahead of the client's, in microseconds; below zero: behind."""
    clock_error_us: float
    """The offset is true to so much, in microseconds: half of the shortest round trip."""
    target: Target | None = None
    """What it measured."""
    iops: float | None = None
    """I/Os per second that it did in the trials at the line; None where there are none."""
    latency_us: LatencyUs | None = None
    """Of its I/Os in these trials."""
    late_ratio: float | None = None
    """Its I/Os beyond the limit in these trials, over as many as may be; above 1 it misses the objective there."""
    lost_because: Text | None = None
    """Why nothing more came of it; None where it was there to the end."""


class Line(Fact):
    """The answer of a line search, and every trial it rests on.

    `line_iops` is where the long-run quantile crosses its limit, and `ci95` holds that with 95 %; the lower end is the safe rate.
    It is None when the objective never held (`outcome` never_held) or it cannot be told (unsteady, failed: the storage stopped
    answering; host_lost: one of several hosts was lost); with `outcome` not_limited it is a lower bound, the highest rate that was
    tried and held.
    """

    line_iops: float | None
    ci95: tuple[float, float] | None
    """95 % interval of the line; None where there is none."""
    outcome: Literal["found", "never_held", "not_limited", "unsteady", "failed", "host_lost", "interrupted"]
    """How the search ended."""
    reason: Text
    confirmed: bool | None = None
    """Whether fresh trials at the safe rate held together; None where there is none, or none were to be made."""
    slo: Slo
    workload: Workload
    limiting_class: str | None = None
    """The class whose objective is missed first."""
    limiting_host: str | None = None
    """The host on which it is missed first, where there were several."""
    beside: str | None = None
    """What ran beside every trial, as it was asked for; it does not count to the line."""
    beside_mb_per_s: float | None = None
    """What that moved, in the mean of the trials at the answer, or of all where there is none."""
    trials: tuple[Trial, ...]
    controls: tuple[Trial, ...] = ()
    """Trials at a small rate in between: one that missed too says that the host was busy. The line does not rest on them."""
    checks: tuple[Check, ...] = ()
    """Those that failed over the trials that it rests on: the line is not valid then."""
    hosts: tuple[LineHost, ...] = ()
    """The hosts that offered the load together, each an equal part of the rate; empty: this one alone."""
    start_spread_us: float | None = None
    """From the first host's first I/O to the last host's first in the first look, in which all begin at once, in microseconds."""
    one_storage: bool | None = None
    """Whether all hosts see the same file or folder; None where that cannot be told, or there is one host."""
    shared: Shared | None = None
    """Others who used the device meanwhile; None where nobody was seen."""
    notes: tuple[Note, ...] = ()

    @property
    def safe_iops(self) -> float | None:
        """The rate that may be relied on: the lower 95 % limit, or the rate that held where the limit was never reached."""
        if self.outcome == "not_limited":
            return self.line_iops
        return None if self.ci95 is None else self.ci95[0]

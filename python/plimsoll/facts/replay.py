"""A demand's worst stretches driven as they were: whether the objective held, and up to which factor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Window
from plimsoll.facts.line import Slo

WINDOW_S = 10.0
"""What an objective is held against at a time in a replay."""
REPLAY_LEFT_OUT = "replay-left-out"
"""Code of the note on a stretch that there was no time for."""


class ReplayWindow(Fact):
    """Ten seconds of a replay, or all of a shorter one: what the objective is held against."""

    start_s: float
    """When it began, in seconds from the start of the trial."""
    duration_s: float
    ios: int
    """I/Os in it."""
    worst_ratio: float
    """Measured quantile / limit of the objective that was furthest beyond, or closest to, its limit."""
    limiting_class: str | None
    """The class that this objective names; None where it is over all I/Os together."""
    held: bool
    """Whether every objective held in it: no more late I/Os than there may be, whatever the quantile of so few."""
    late_ios: int | None = None
    """I/Os beyond the limit of that objective; None in replays of earlier versions."""
    late_ios_max: int | None = None
    """So many may be: those that the quantile leaves, and what chance adds to them in all but one of twenty windows."""

    @property
    def is_held_by_chance(self) -> bool:
        """Whether the quantile was beyond its limit, by no more I/Os than chance explains."""
        return self.held and self.worst_ratio > 1


class ReplayClass(Fact):
    """One class of I/O in a stretch that was driven: what its latency was at that load."""

    name: str
    """The class of I/O."""
    iops: float
    latency_us_mean: float | None
    latency_us_p99: float | None


class ReplayTrial(Fact):
    """One stretch, driven at `factor` times its rates: what came late in one second waited into the next."""

    begin_time: datetime
    """Of the stretch, in the demand."""
    duration_s: float
    """Length of the stretch, in seconds."""
    factor: float
    """How many times the demand's own rates."""
    burst: int = 1
    """So many I/Os arrived at one moment; 1: each by itself, at random moments."""
    asked_iops: float
    """I/Os per second that were due, on average."""
    iops: float
    """I/Os per second that ended."""
    asked_mb_per_s: float
    """What the demand asks for with the factor, by its own bytes."""
    mb_per_s: float
    """Megabytes (10^6 bytes) per second that were moved."""
    held: bool | None
    """None: this host was busy, or the run was ended early, so that a miss says nothing about the storage."""
    reason: Text
    backlog_ios: int
    """I/Os that were due and not submitted at the end."""
    errors: int = 0
    """I/Os that failed."""
    latency_us_p99: float | None
    """99th percentile of all I/Os, in microseconds."""
    windows: tuple[ReplayWindow, ...]
    """What the objective was held against."""
    seconds: tuple[Window, ...]
    """Rate and latency, second by second; an I/O counts when it has ended."""
    classes: tuple[ReplayClass, ...] = ()
    """What is predicted of each class at this load."""

    @property
    def worst_window(self) -> ReplayWindow | None:
        """The one that was furthest beyond, or closest to, its limit; of those that missed, where one did."""
        return worst_window(self.windows)


def worst_window(windows: Sequence[ReplayWindow]) -> ReplayWindow | None:
    """A window that missed goes before all that held."""
    return max(windows, key=lambda one: (not one.held, one.worst_ratio), default=None)


class Replay(Fact):
    """The trials, and between which factors the objective stops holding."""

    slo: Slo
    trials: tuple[ReplayTrial, ...]
    """Each stretch that was driven."""
    headroom: float | None
    """The highest factor that was driven and held, and no lower one missed; None where none held, or where the one that missed did
    so because I/Os failed."""
    missed: float | None
    """The lowest factor that was driven and missed; None where none did."""
    budget_s: float
    """Time that there was for it, in seconds."""
    reason: Text
    notes: tuple[Note, ...] = ()

    @property
    def as_it_was(self) -> tuple[ReplayTrial, ...]:
        """The trials at the demand's own rates, of each stretch the last: it is made again where this host spoilt it."""
        return last_of_each(trial for trial in self.trials if trial.factor == 1.0 and trial.burst == 1)


def last_of_each(trials: Iterable[ReplayTrial]) -> tuple[ReplayTrial, ...]:
    """Of trials of one stretch at one factor the last."""
    return tuple({(one.begin_time, one.duration_s, one.factor): one for one in trials}.values())

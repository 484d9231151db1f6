"""A prediction held against what happened after the move."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.demand import HeldBack


class ClassSettlement(Fact):
    """One class of I/O in the minute that takes most of the storage's time: what was judged, and what it is now."""

    name: str
    """The class of I/O."""
    judged_per_s: float | None
    """I/Os per second of the demand that was judged."""
    later_per_s: float | None
    """I/Os per second of the later demand."""
    latency_us_predicted: float | None
    """Mean at the judged load, as it was driven there, or between the trials of the line next to it; None where none was made."""
    latency_us_observed: float | None
    """Mean by the server's counters."""
    error_share: float | None
    """(predicted - observed) / observed."""
    limit_us: float | None
    """Of the objective that is about this class, or else about all I/Os."""
    objective: Literal["held", "missed", "unknown"] | None
    """What means say of it, over all that was watched; None where no objective is about the class alone."""


class Settlement(Fact):
    """Whether a verdict came true. What is not known is None, and `reason` says why."""

    predicted_run: str
    """Id of the run whose verdict is the prediction."""
    predicted_at: datetime
    """When the verdict was given."""
    predicted_carries: bool | None
    """Its answer; None: it could not tell."""
    predicted_headroom: float | None
    """Its headroom."""
    predicted_limiting_class: str | None
    """The class that it said to be missed first."""
    predicted_target: Text | None
    """The storage that it was about."""
    slo: str
    later_begin_time: datetime | None
    """Of the later demand."""
    later_end_time: datetime | None
    """When the later demand ended."""
    load_ratio: float | None
    """I/Os per second of the later demand / of the judged one, in the minute that takes most of the storage's time."""
    bytes_ratio: float | None
    """The same of what they move."""
    load_stayed: bool | None
    """Whether both lie near 1: otherwise the prediction was for another load."""
    held_back: HeldBack
    """Whether the new storage holds the database back."""
    objective: Literal["held", "missed", "unknown"]
    """What the later demand's mean latencies say of the objective: that they do not say is no failure of it."""
    observed_headroom: float | None
    """The load that the new storage is known to give / the judged one."""
    observed_at_least: bool = True
    """Nothing held the database back, so that it may give more."""
    error_share: float | None
    """(predicted - observed) / observed, of `error_of`; None where one of them is no number."""
    error_of: Text | None
    """What the error is of, in words."""
    as_predicted: bool | None
    """None: it cannot be settled."""
    reason: Text
    """Sentences that a manager understands."""
    classes: tuple[ClassSettlement, ...] = ()
    """Each class of I/O."""
    notes: tuple[Note, ...] = ()


class PredictionSummary(Fact):
    """A line of `plimsoll store predictions`: a verdict, and one run that settles it or could not."""

    run: str
    """Id of the run that holds the verdict."""
    predicted_at: datetime
    """When it was given."""
    title: Text
    """What was judged, in a line."""
    target: Text | None
    """The storage."""
    database: Text | None
    """The database's name."""
    predicted: Text
    """`carries`, `does not carry` or `cannot tell`."""
    headroom: float | None
    state: Literal["open", "as predicted", "not as predicted", "cannot be settled"]
    """What became of it."""
    settled_by: str | None
    """Id of that run."""
    settled_at: datetime | None
    """When that was."""
    observed: Text | None
    """What that found, in a few words."""
    error_share: float | None
    """(predicted - observed) / observed."""

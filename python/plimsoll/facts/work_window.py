"""A window of work: a backup or a migration beside a demand, how long it takes, and whether it fits."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.links import LinkBound


class WorkTrial(Fact):
    """The work at one rate, alone or beside one part of the demand at the demand's own rates."""

    beside: Literal["nothing", "mix", "replay"]
    """A mix of the demand, or its worst ten seconds as they were."""
    begin_time: datetime | None
    """Of that part, in the demand; None where nothing ran beside."""
    duration_s: float
    """How long it was measured, in seconds."""
    asked_mb_per_s: float | None
    """What the work asked for; None: as fast as it can. 0: nothing of it ran, and the demand was alone."""
    mb_per_s: float
    """What the work moved."""
    kept_up: bool
    """Whether the work got the rate that it asked for."""
    work_errors: int
    """I/Os of the work that failed."""
    demand_iops: float | None
    """I/Os per second of the demand that were due."""
    held: bool | None
    """Whether the demand held its objective. None: none was there to hold, or a miss says nothing about the storage."""
    latency_us_p99: float | None
    """Of the demand's I/Os."""
    limiting_class: str | None
    """The demand's class that went beyond the limit most."""
    reason: Text


class WorkWindow(Fact):
    """What is to be moved, the rates that were tried, and the time that it takes by what was moved at the highest that held.

    No rate is given that was not tried.
    """

    work: Literal["backup", "migrate"]
    """What the work is."""
    work_bytes: int
    """What is to be moved."""
    window_s: float | None
    """The time that there is for it; None: none was given."""
    carries: bool | None
    """Whether the demand holds its objective beside it, at the rate that the window needs, or at any that was tried."""
    fits: bool | None
    """Whether it ends within the window while the demand holds; None without a window, and where it cannot be told."""
    factor: float | None
    """The window / the time that it takes beside the demand: above 1 is time to spare. A lower bound where nothing missed."""
    needed_mb_per_s: float | None
    """What the window needs."""
    alone_mb_per_s: float | None
    """As fast as it can, with nothing beside it."""
    alone_s: float | None
    """The time that it takes at that rate."""
    held_mb_per_s: float | None
    """What was moved at the highest rate that was tried beside all parts of the demand and held, with no lower one that missed."""
    beside_s: float | None
    """The time that it takes at that rate."""
    missed_mb_per_s: float | None
    """The lowest rate that was tried and not carried: the demand missed its objective, or the work did not get its rate."""
    missed_s: float | None
    """The time that it would take at that rate: less than it takes beside the demand."""
    limited_by: Literal["objective", "storage", "links"] | None
    """What ends it first: the demand's objective, the storage's own throughput, or what the links carry."""
    limiting_class: str | None
    """Of the demand, where its objective ends it."""
    watched_s: float
    """For how long the work was watched, in all trials."""
    watched_bytes: int
    """What it moved in that time."""
    links: LinkBound | None = None
    """What the links to the storage carry; None where it is not known."""
    reason: Text
    """Sentences that a manager understands."""
    assumptions: tuple[str, ...] = ()
    """What was not measured, and would make the answer false if it were otherwise."""
    trials: tuple[WorkTrial, ...] = ()
    """Each rate that was tried."""
    notes: tuple[Note, ...] = ()

    @property
    def answer(self) -> bool | None:
        """To what was asked: whether it fits, and without a window whether the demand holds beside it."""
        return self.carries if self.window_s is None else self.fits

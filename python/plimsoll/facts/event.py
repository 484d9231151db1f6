"""Progress and live figures are facts too: command line, web and tests subscribe to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from plimsoll.facts._fact import Fact, Said, Several
from plimsoll.facts.watch import WatchedGroup, WatchedIo, WatchWord


class Progress(Fact):
    """How far a stage is. `share` runs from 0 to 1, None when it cannot be known; `left_s` is time left."""

    kind: Literal["progress"] = "progress"
    """Tells the kinds of events apart."""
    stage: str
    message: Said
    share: float | None = None
    """How much of the stage is done, 0 to 1; None where it cannot be known."""
    left_s: float | None = None
    """Time left, in seconds; None where it cannot be known."""
    finished: bool = False
    """Whether the stage is over."""


class Live(Fact):
    """Figures of the moment from a running measurement."""

    kind: Literal["live"] = "live"
    """Tells the kinds of events apart."""
    stage: str
    elapsed_s: float
    """Time since the measurement began, in seconds."""
    left_s: float | None = None
    """Time left, in seconds; None where it cannot be known."""
    iops: float
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    rate_per_s: float | None = None
    """The rate that was asked for, in an open loop."""


class Remark(Fact):
    """A sentence worth reading while it happens: a trial's result, a fallback."""

    kind: Literal["remark"] = "remark"
    """Tells the kinds of events apart."""
    stage: str
    message: Said
    warning: bool = False
    """Whether something is not as it should be."""


class Tick(Fact):
    """Who did which I/O since the tick before."""

    kind: Literal["tick"] = "tick"
    """Tells the kinds of events apart."""
    stage: str
    elapsed_s: float
    """Time since the watch began, in seconds."""
    duration_s: float
    """Time since the tick before, in seconds."""
    left_s: float | None = None
    """Time left, in seconds; None where it is watched until it is ended."""
    iops: float
    """I/Os per second of all rows, each I/O once, as the kernel counts I/Os of a disk: those at disks that lie on others of the
    rows are left out, and so is the flush that follows a request for one."""
    mb_per_s: float
    """MB per second of the same rows."""
    rows: Several[WatchedIo] = ()
    """Those with most I/Os first, without their whole distributions."""
    more_rows: int = 0
    """How many more there were."""
    by: tuple[WatchWord, ...] = ()
    """What rows are put together by; empty: nobody asked."""
    groups: Several[WatchedGroup] = ()
    """All rows put together by that, those with most I/Os first, without their whole distributions."""
    more_groups: int = 0
    """How many more there were."""
    lost_ios: int = 0
    """I/Os since the tick before that are in no row for want of room in the kernel."""


Event = Annotated[Progress | Live | Remark | Tick, Field(discriminator="kind")]

"""Progress and live figures are facts too: command line, web and tests subscribe to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from plimsoll.facts._fact import Fact, Said


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


Event = Annotated[Progress | Live | Remark, Field(discriminator="kind")]

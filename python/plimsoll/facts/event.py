"""Progress and live figures are facts too: command line, web and tests subscribe to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from plimsoll.facts._fact import Fact, Said


class Progress(Fact):
    """How far a stage is. `share` runs from 0 to 1, None when it cannot be known; `left_s` is time left."""

    kind: Literal["progress"] = "progress"
    stage: str
    message: Said
    share: float | None = None
    left_s: float | None = None
    finished: bool = False


class Live(Fact):
    """Figures of the moment from a running measurement."""

    kind: Literal["live"] = "live"
    stage: str
    elapsed_s: float
    left_s: float | None = None
    iops: float
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    rate_per_s: float | None = None
    """The rate that was asked for, in an open loop."""


class Remark(Fact):
    """A sentence worth reading while it happens: a trial's result, a fallback."""

    kind: Literal["remark"] = "remark"
    stage: str
    message: Said
    warning: bool = False


Event = Annotated[Progress | Live | Remark, Field(discriminator="kind")]

"""What can be asked of `plimsoll assess`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Request, idle

if TYPE_CHECKING:
    from plimsoll.requests.line import LineRequest

_TARGET = Asked(
    "target", "Storage to judge: a folder on it, a file, or a device.", metavar="TARGET", shown=""
)
_BURST_FACTOR = Asked(
    "burst_factor", "True peak over the busiest interval, where intervals are long.", low=1.0, shown=""
)
_REPLAY = Asked("replay", "Drive the demand's worst 1, 10 and 60 s as they were, too.", off=True)
_BUDGET = Asked(
    "budget",
    "Time for the replay; what does not fit is left out and named.",
    unit=SECONDS,
    low=1.0,
    high=86400.0,
)
BUDGET_S = 80.0
"""A minute as it was, and ten seconds each at two factors."""


@dataclass(frozen=True)
class AssessRequest(Request):
    """Whether storage carries a demand: one that was kept, or that of a live database, which is watched first."""

    verb = "assess"

    target: str = _TARGET.field()
    demand: str | None = shared.DEMAND.field(None)
    database: str | None = shared.DATABASE.field(None)
    watched_s: float = shared.SECONDS_WATCHED.field(shared.WATCHED_S)
    slo: str = shared.SLO.field(DEFAULT_SLO)
    burst_factor: float | None = _BURST_FACTOR.field(None)
    jobs: int = shared.JOBS.field(1)
    engine: str = shared.ENGINE.field("auto")
    bytes_wanted: int | None = shared.SIZE.field(None)
    trial_s: float | None = shared.TRIAL.field(None)
    trials_confirm: int = shared.TRIALS_CONFIRM.field(5)
    replay: bool = _REPLAY.field(True)
    budget_s: float = _BUDGET.field(BUDGET_S)
    direct: bool = shared.DIRECT.field(True)
    prefill: bool = shared.PREFILL.field(False)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    while_in_use: bool = shared.WHILE_IN_USE.field(False)
    seed: int | None = shared.SEED.field(None)

    @property
    def line(self) -> LineRequest:
        """The line to search, whose mix the demand brings."""
        from plimsoll.requests.line import LineRequest

        ours = {one.name for one in fields(self)} - {"demand"}
        return LineRequest(
            **{one.name: getattr(self, one.name) for one in fields(LineRequest) if one.name in ours}
        )

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.demand is not None:
            idle(given, AssessRequest, "with --demand", "watched_s")
        if not self.replay:
            idle(given, AssessRequest, "with --no-replay", "budget_s")
        if self.while_in_use:
            idle(given, AssessRequest, "with --while-in-use, which drives no replay", "budget_s")

"""Runs single points of the matrix on opened targets: the measurement that a calibration is handed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from plimsoll.base.limits import WINDOW_S_MIN
from plimsoll.context import Context
from plimsoll.facts import Cell, Live, Plan, PlanGroup, Target
from plimsoll.host.safety import WritePermit
from plimsoll.supply.checks import joined, with_checks
from plimsoll.supply.engine import measure
from plimsoll.supply.point_load import PointLoad, divided
from plimsoll.supply.seeds import nth_seed

STAGE = "calibrate"

WINDOWS = 10
WARMING_POINTS = 2
"""Random I/O before a sequential point lasts so many times the point: ORION's 2 minutes before each of its minutes."""


class PointRunner:
    """Measures one point when it is called. Each point draws other offsets than the one before, from one seed."""

    def __init__(
        self,
        ctx: Context,
        targets: Sequence[Target],
        load: PointLoad,
        plan: Plan,
        permits: Sequence[WritePermit] = (),
        cache_bytes: int | None = None,
    ) -> None:
        self._ctx, self._targets, self._load = ctx, targets, load
        self._plan, self._permits = plan, permits
        self._cache_bytes = cache_bytes
        self._runs = 0

    def __call__(self, small_depth: int, large_depth: int, seconds: float) -> Cell:
        """The cell of one point with the checks that cost nothing, warmed up before if its large I/Os are sequential."""
        if self._load.sequential and large_depth:
            self._push_out_cache(large_depth, seconds)
        groups = self._load.groups(small_depth, large_depth, len(self._targets))
        cell = self._measured(groups, self._targets_for(large_depth), self._plan_for(seconds))
        return with_checks(cell, joined(self._targets))

    def _measured(self, groups: Sequence[PlanGroup], targets: Sequence[Target], plan: Plan) -> Cell:
        self._runs += 1
        seed = nth_seed(self._plan.seed, self._runs)
        plan = plan.on(*targets).but(groups=tuple(groups), seed=seed)
        return measure(plan, self._permits, self._ctx.cancel, self._live, STAGE)

    def _plan_for(self, seconds: float) -> Plan:
        return self._plan.but(runtime_s=seconds, window_s=max(WINDOW_S_MIN, seconds / WINDOWS))

    def _targets_for(self, large_depth: int) -> Sequence[Target]:
        share = self._load.parts(large_depth)
        if share is None:
            return self._targets
        return divided(self._targets, share, self._plan.stripe_bytes or self._load.large_bytes)

    def _push_out_cache(self, large_depth: int, seconds: float) -> None:
        """Random I/O that nobody counts, until the bytes or the time for it are used up."""
        if self._cache_bytes == 0 or self._ctx.cancel.is_set:
            return
        plan = self._plan.but(runtime_s=WARMING_POINTS * seconds, warm_up_s=0.0)
        if self._cache_bytes is not None:
            ios = ceil(self._cache_bytes / self._load.large_bytes)
            plan = plan.but(runtime_s=None, ios_max=ios)
        warming = self._load.warming(large_depth, len(self._targets))
        self._measured([warming], self._targets, plan)

    def _live(self, live: Live) -> None:
        """Live figures without the point's own time left: the whole calibration's is shown by its progress."""
        self._ctx.live(live.model_copy(update={"left_s": None}))

"""Measures working sets on opened targets: each is read once in full, then at random."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.limits import WINDOW_S_MIN
from plimsoll.context import Context
from plimsoll.facts import Cell, IoClass, Live, Plan, PlanGroup, Target
from plimsoll.host.safety import WritePermit
from plimsoll.supply.checks import joined, with_checks
from plimsoll.supply.engine import measure
from plimsoll.supply.point_load import PointLoad
from plimsoll.supply.seeds import nth_seed

STAGE = "calibrate"
_WINDOWS = 10
_CHECKS = ("errors", "host_noise", "others", "punted", "tool_bound")
"""The others ask whether a cache answered, or whether few blocks were visited: here that is what is measured."""


class SetRunner:
    """Measures one working set when it is called; several targets share it in equal parts."""

    def __init__(
        self,
        ctx: Context,
        targets: Sequence[Target],
        load: PointLoad,
        plan: Plan,
        permits: Sequence[WritePermit],
        depth: int,
    ) -> None:
        self._ctx, self._targets, self._load, self._depth = ctx, targets, load, depth
        self._plan, self._permits = plan, permits
        self._runs = 0
        self.read_once_s: float = 0.0
        self.read_once_share: dict[int, float] = {}
        """Of each size, how much of it had been read, in the repeat with the least."""

    def __call__(self, set_bytes: int) -> Cell:
        """The cell of random reads within the set, with those checks that mean something here."""
        targets = self._parts(set_bytes)
        before = self._read_once(targets, set_bytes)
        if before.errors or before.ended_early not in ("", "ios_max"):
            return before
        (group,) = self._load.groups(self._depth, 0, len(targets))
        cell = with_checks(self._measured(group, targets, self._plan), joined(targets))
        return cell.model_copy(update={"checks": tuple(c for c in cell.checks if c.name in _CHECKS)})

    def _parts(self, set_bytes: int) -> list[Target]:
        each = set_bytes // len(self._targets)
        return [target.model_copy(update={"span_bytes": each}) for target in self._targets]

    def _read_once(self, targets: Sequence[Target], set_bytes: int) -> Cell:
        """Each large block once, in random order: a cache may pass over what is read in sequence."""
        unit = min(self._load.large_bytes, targets[0].span_bytes)
        blocks = targets[0].span_bytes // unit * len(targets)
        io = IoClass(name="read_once", op="read", pattern="shuffled", block_bytes=unit, weight=1.0)
        group = PlanGroup(
            name="read once",
            classes=(io,),
            engine=self._load.engine,
            depth=self._depth,
            targets=tuple(range(len(targets))),
        )
        plan = self._plan.but(runtime_s=None, ios_max=blocks, warm_up_s=0.0)
        cell = self._measured(group, targets, plan)
        self.read_once_s += cell.runtime_s
        share = min(1.0, (cell.classes[0].distinct_blocks or 0) / blocks) if cell.classes else 0.0
        self.read_once_share[set_bytes] = min(share, self.read_once_share.get(set_bytes, 1.0))
        return cell

    def _measured(self, group: PlanGroup, targets: Sequence[Target], plan: Plan) -> Cell:
        self._runs += 1
        window_s = max(WINDOW_S_MIN, (plan.runtime_s or 10.0) / _WINDOWS)
        seed = nth_seed(self._plan.seed, self._runs)
        plan = plan.on(*targets).but(groups=(group,), seed=seed, window_s=window_s)
        return measure(plan, self._permits, self._ctx.cancel, self._live, STAGE)

    def _live(self, live: Live) -> None:
        """Live figures without the measurement's own time left: the whole sweep's is shown by its progress."""
        self._ctx.live(live.model_copy(update={"left_s": None}))

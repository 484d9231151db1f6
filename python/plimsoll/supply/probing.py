"""What active checks measure with: short cells of one job on the target of the cell that they judge."""

from __future__ import annotations

from dataclasses import dataclass, replace

from plimsoll.context import Cancel
from plimsoll.facts import Arrivals, Cell, Target
from plimsoll.supply.checks import Look
from plimsoll.supply.engine import Plan, measure

_WINDOW_S = 0.1


@dataclass(frozen=True)
class EngineProbe:
    """Measures through the engine; `plan` is the plan of `cell`."""

    target: Target
    cell: Cell
    plan: Plan
    cancel: Cancel

    def measure(self, look: Look) -> Cell:
        """Without warm-up, so that equal seeds visit the same blocks in the same order from the first I/O on."""
        plan = replace(
            self.plan,
            engine=look.engine or self.plan.engine,
            direct=self.plan.direct if look.direct is None else look.direct,
            jobs=1,
            depth=look.depth,
            arrivals=Arrivals(),
            runtime_s=look.runtime_s,
            ios_max=look.ios_max,
            warm_up_s=0.0,
            window_s=_WINDOW_S,
            give_up_latency_us=None,
            seed=look.seed,
        )
        target = self.target.model_copy(update={"span_bytes": look.span_bytes or self.target.span_bytes})
        return measure(target, look.workload, plan, self.cancel, lambda live: None, "check")

"""What active checks measure with: short cells of one job on the target of the cell that they judge."""

from __future__ import annotations

from dataclasses import dataclass, replace

from plimsoll.context import Cancel
from plimsoll.facts import Arrivals, Cell, Target, Workload
from plimsoll.supply.engine import Plan, measure

_WINDOW_S = 0.1


@dataclass(frozen=True)
class EngineProbe:
    """Measures through the engine; `plan` is the plan of `cell`."""

    target: Target
    cell: Cell
    plan: Plan
    cancel: Cancel

    def measure(
        self,
        workload: Workload,
        *,
        runtime_s: float,
        depth: int = 1,
        seed: int = 1,
        span_bytes: int | None = None,
        ios_max: int | None = None,
        direct: bool | None = None,
        engine: str | None = None,
    ) -> Cell:
        """Without warm-up, so that equal seeds visit the same blocks in the same order from the first I/O on."""
        plan = replace(
            self.plan,
            engine=engine or self.plan.engine,
            direct=self.plan.direct if direct is None else direct,
            jobs=1,
            depth=depth,
            arrivals=Arrivals(),
            runtime_s=runtime_s,
            ios_max=ios_max,
            warm_up_s=0.0,
            window_s=_WINDOW_S,
            give_up_latency_us=None,
            seed=seed,
        )
        target = self.target.model_copy(update={"span_bytes": span_bytes or self.target.span_bytes})
        return measure(target, workload, plan, self.cancel, lambda live: None, "check")

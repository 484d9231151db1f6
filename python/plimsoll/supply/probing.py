"""What active checks measure with: short cells of one job on the target of the cell that they judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from plimsoll.context import Cancel
from plimsoll.facts import Cell, Plan, PlanGroup, Target
from plimsoll.host.safety import WritePermit
from plimsoll.supply.checks import Look
from plimsoll.supply.engine import measure

_WINDOW_S = 0.1


@dataclass(frozen=True)
class EngineProbe:
    """Measures through the engine; `plan` is the plan of `cell`."""

    target: Target
    cell: Cell
    plan: Plan
    permits: tuple[WritePermit, ...]
    cancel: Cancel
    made: list[Cell] = field(default_factory=list[Cell])
    """What was measured so far."""

    def measure(self, look: Look) -> Cell:
        """Without warm-up, so that equal seeds visit the same blocks in the same order from the first I/O on."""
        target = self.target.model_copy(update={"span_bytes": look.span_bytes or self.target.span_bytes})
        group = PlanGroup.of(look.workload, look.engine or self.cell.engine, depth=look.depth)
        plan = self.plan.on(target).but(
            groups=(group,),
            direct=self.plan.direct if look.direct is None else look.direct,
            runtime_s=look.runtime_s,
            ios_max=look.ios_max,
            warm_up_s=0.0,
            window_s=_WINDOW_S,
            give_up_latency_us=None,
            seed=look.seed,
        )
        self.made.append(measure(plan, self.permits, self.cancel, lambda live: None, "check"))
        return self.made[-1]

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Opens a device, whose page cache the kernel drops when its last user closes it. A failure is for the looks to tell."""
        with ExitStack() as held:
            if self.target.kind == "device":
                with suppress(OSError):
                    held.enter_context(open(self.target.path, "rb", buffering=0))
            yield

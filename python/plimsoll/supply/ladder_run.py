"""Measures some of the opened targets at once, each with clients of its own, so that a slow one does not hold up the others."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.limits import WINDOW_S_MIN
from plimsoll.context import Context
from plimsoll.facts import Cell, Live, Plan, PlanGroup, Target
from plimsoll.host.safety import WritePermit
from plimsoll.supply.checks import joined, with_checks
from plimsoll.supply.engine import measure
from plimsoll.supply.ladder import Group, Size
from plimsoll.supply.point_load import PointLoad
from plimsoll.supply.seeds import nth_seed

STAGE = "calibrate"
_WINDOWS = 10


class GroupRunner:
    """Measures one group of targets when it is called, with so many I/Os outstanding on each."""

    def __init__(
        self,
        ctx: Context,
        targets: Sequence[Target],
        load: PointLoad,
        plan: Plan,
        permits: Sequence[WritePermit],
        depths: dict[Size, int],
    ) -> None:
        self._ctx, self._targets, self._load, self._depths = ctx, targets, load, depths
        self._plan, self._permits = plan, permits
        self._runs = 0

    def __call__(self, what: tuple[Size, Group]) -> Cell:
        """The cell of that group, with the checks that cost nothing."""
        size, group = what
        targets = [self._targets[at] for at in group]
        clients = [client for place in range(len(group)) for client in self._clients(size, place)]
        self._runs += 1
        plan = self._plan.on(*targets).but(
            groups=tuple(clients),
            seed=nth_seed(self._plan.seed, self._runs),
            window_s=max(WINDOW_S_MIN, (self._plan.runtime_s or 1.0) / _WINDOWS),
        )
        cell = measure(plan, self._permits, self._ctx.cancel, self._live, STAGE)
        return with_checks(cell, joined(targets))

    def _clients(self, size: Size, place: int) -> list[PlanGroup]:
        """Those of one target; the names of its classes say which it is."""
        small, large = ((self._depths[size], 0), (0, self._depths[size]))[size == "large"]
        return [self._named(client, place) for client in self._load.groups(small, large)]

    def _named(self, client: PlanGroup, place: int) -> PlanGroup:
        number = place + 1
        classes = tuple(io.model_copy(update={"name": f"{io.name}_{number}"}) for io in client.classes)
        return client.but(name=f"{client.name} {number}", classes=classes, targets=(place,))

    def _live(self, live: Live) -> None:
        """Live figures without the measurement's own time left: the whole ladder's is shown by its progress."""
        self._ctx.live(live.model_copy(update={"left_s": None}))

"""Whether a cache answered a calibration: tried once on each of its targets, and told with its busiest point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.context import Cancel
from plimsoll.facts import Cell, Check, Point, Target
from plimsoll.supply.checks import active_checks, joined, with_checks
from plimsoll.supply.engine import Plan
from plimsoll.supply.probing import EngineProbe


def with_cache_check(
    points: Sequence[Point], targets: Sequence[Target], plan: Plan, cancel: Cancel
) -> tuple[Point, ...]:
    """The same points; the one with the most I/Os per second bears a verdict `cached` for each target, unless it was cancelled."""
    cells = {place: point.cell for place, point in enumerate(points) if point.cell is not None}
    if not cells or cancel.is_set:
        return tuple(points)
    busiest = max(cells, key=lambda place: cells[place].iops)
    judged = with_checks(
        cells[busiest], joined(targets), tuple(_verdicts(cells[busiest], targets, plan, cancel))
    )
    found = list(points)
    found[busiest] = points[busiest].model_copy(update={"cell": judged})
    return tuple(found)


def _verdicts(cell: Cell, targets: Sequence[Target], plan: Plan, cancel: Cancel) -> Iterable[Check]:
    for target in targets:
        for check in active_checks(("cached",), EngineProbe(target, cell, plan, cancel)):
            named = check.reason if len(targets) == 1 else f"{target.name}: {check.reason}"
            yield check.model_copy(update={"reason": named})

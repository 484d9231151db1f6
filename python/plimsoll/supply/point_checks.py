"""Whether a cache answered a calibration: tried once on each of its targets, and told with its busiest point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.context import Cancel
from plimsoll.facts import Check, Plan, Point, Target
from plimsoll.host.safety import WritePermit
from plimsoll.supply.checks import active_checks, joined, with_checks
from plimsoll.supply.probing import EngineProbe


def with_cache_check(
    points: Sequence[Point],
    targets: Sequence[Target],
    plan: Plan,
    permits: tuple[WritePermit, ...],
    cancel: Cancel,
) -> tuple[Point, ...]:
    """The same points; the one with the most I/Os per second bears a verdict `cached` for each target, unless it was cancelled."""
    cells = {place: point.cell for place, point in enumerate(points) if point.cell is not None}
    if not cells or cancel.is_set:
        return tuple(points)
    busiest = max(cells, key=lambda place: cells[place].iops)
    probes = [EngineProbe(target, cells[busiest], plan, permits, cancel) for target in targets]
    judged = with_checks(cells[busiest], joined(targets), tuple(_verdicts(probes)))
    found = list(points)
    found[busiest] = points[busiest].model_copy(update={"cell": judged})
    return tuple(found)


def _verdicts(probes: Sequence[EngineProbe]) -> Iterable[Check]:
    for probe in probes:
        for check in active_checks(("cached",), probe):
            named = check.reason if len(probes) == 1 else f"{probe.target.name}: {check.reason}"
            yield check.model_copy(update={"reason": named})

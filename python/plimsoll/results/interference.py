"""What clients of a database do to each other on one storage."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, Effect, Encounter, Interference, Run
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind


def _answer(found: Interference) -> str:
    from plimsoll.supply.failed_checks import with_failed

    pairs = [one for one in found.effects if one.p99_ratio is not None and len(one.neighbours) == 1]
    if not pairs:
        return with_failed("no pair was measured", (one.cell for one in found.encounters))
    worst = max(pairs, key=lambda one: one.p99_ratio or 0.0)
    names = f"{worst.io_class} beside {worst.neighbours[0]}".replace("_", " ")
    least = "at least " if worst.lower_bound else ""
    ratio = f"{least}× {format_rate(worst.p99_ratio)}"
    return with_failed(f"at worst p99 {ratio}: {names}", (one.cell for one in found.encounters))


def _cells(run: Run) -> list[Cell]:
    return [one.cell for one in run.results["interference"].encounters]


def _figures(run: Run) -> list[Quantity]:
    """Latency beside each neighbour, as a multiple of that alone and in itself. A client that fell behind has a lower bound."""
    found: Interference = run.results["interference"]
    return [figure for effect in found.effects for figure in _of_effect(effect)]


def _of_effect(effect: Effect) -> list[Quantity]:
    beside = " and ".join(effect.neighbours).replace("_", " ")
    name = f"effects.{effect.io_class}.{'+'.join(effect.neighbours)}"
    who, bound = f"{effect.io_class.replace('_', ' ')} beside {beside}", effect.lower_bound
    times, tail = effect.p99_ratio, effect.latency_us_p99
    return [
        Quantity(f"{name}.p99_ratio", f"p99 ÷ alone, {who}", "times", times, "less", is_bound=bound),
        Quantity(f"{name}.latency_us_p99", f"p99, {who}", "us", tail, "less", is_bound=bound),
    ]


def _work(run: Run) -> dict[str, str]:
    found: Interference = run.results["interference"]
    asked = {
        one.paced: f"{format_rate(one.rate_per_s)} per s"
        for one in found.encounters
        if one.paced is not None and one.rate_per_s is not None
    }
    rates = {f"rate of {shape.replace('_', ' ')}": rate for shape, rate in asked.items()}
    return {"shapes": ", ".join(found.shapes), "share of its rate alone": f"{found.rate_share:g}", **rates}


_COMPARED = Compared(figures=_figures, work=_work, cells=_cells)

RESULT = ResultKind(
    fact=Interference,
    rows=(Effect, Encounter),
    rank=90,
    answer=_answer,
    cells=_cells,
    envelope="shapes",
    compared=_COMPARED,
)

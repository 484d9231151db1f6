"""What clients of a database do to each other on one storage."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, Effect, Encounter, Interference, Run
from plimsoll.results._kind import ResultKind


def _answer(found: Interference) -> str:
    from plimsoll.supply.failed_checks import with_failed

    pairs = [one for one in found.effects if one.p99_ratio is not None and len(one.neighbours) == 1]
    if not pairs:
        return "no pair was measured"
    worst = max(pairs, key=lambda one: one.p99_ratio or 0.0)
    names = f"{worst.io_class} beside {worst.neighbours[0]}".replace("_", " ")
    return with_failed(
        f"at worst p99 × {format_rate(worst.p99_ratio)}: {names}", (one.cell for one in found.encounters)
    )


def _cells(run: Run) -> list[Cell]:
    return [one.cell for one in run.results["interference"].encounters]


RESULT = ResultKind(
    fact=Interference, rows=(Effect, Encounter), rank=90, answer=_answer, cells=_cells, envelope="shapes"
)

"""Several measured points that are neither trials nor points of a matrix: the jobs of a job file."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, ClassResult
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import of_cell


def _answer(cells: Sequence[Cell]) -> str:
    if len(cells) == 1:
        return of_cell(cells[0])
    return f"{len(cells)} measurements, at most {format_rate(max(cell.iops for cell in cells))} IOPS"


RESULT = ResultKind(
    fact=tuple[Cell, ...], rows=(ClassResult,), rank=110, answer=_answer, cells=lambda run: run.cells
)

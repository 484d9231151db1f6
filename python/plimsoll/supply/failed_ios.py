"""I/Os that failed in what a cell's answer rests on: in other runs of it, and in the rounds before it.

The run that stands for all is the median, and a failure is hardly ever in that one; rounds decide that storage is steady, and
are kept nowhere else. So their failed I/Os are the cell's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plimsoll.facts import Cell, Check, ClassResult

_NAME = "errors"
_ELSEWHERE = "errors_elsewhere"


@dataclass(frozen=True)
class Stage:
    """Measurements of one kind, in their order: `run`, `round`, `check`."""

    name: str
    cells: Sequence[Cell]


def with_failed_ios(cell: Cell, own: Cell, stages: Iterable[Stage]) -> Cell:
    """The cell with the failed I/Os of all these measurements, and its check `errors` failed if there are any in another one than
    its `own`."""
    told = [stage for stage in stages if any(one.errors for one in stage.cells)]
    elsewhere = [one for stage in told for one in stage.cells if one is not own and one.errors]
    if not elsewhere:
        return cell
    ios = sum(one.errors for one in elsewhere)
    figures = {_NAME: float(cell.errors + ios), _ELSEWHERE: float(ios)}
    failed = Check(name=_NAME, passed=False, reason="; ".join(map(_words, told)), figures=figures)
    return cell.model_copy(
        update={
            "errors": cell.errors + ios,
            "classes": tuple(_with_errors(io, elsewhere) for io in cell.classes),
            "checks": (*(check for check in cell.checks if check.name != _NAME), failed),
        }
    )


def own_errors(cell: Cell) -> int:
    """I/Os of the cell's own measured time that failed."""
    elsewhere = (check.figures.get(_ELSEWHERE, 0.0) for check in cell.checks if check.name == _NAME)
    return cell.errors - round(sum(elsewhere))


def _with_errors(io: ClassResult, elsewhere: Sequence[Cell]) -> ClassResult:
    more = sum(other.errors for one in elsewhere for other in one.classes if other.name == io.name)
    return io.model_copy(update={"errors": io.errors + more}) if more else io


def _words(stage: Stage) -> str:
    """`88 I/Os failed in run 1 of 3`; of a single one without a number."""
    ios = sum(one.errors for one in stage.cells)
    failed = f"{ios:,} {'I/O' if ios == 1 else 'I/Os'} failed in"
    if len(stage.cells) == 1:
        return f"{failed} the {stage.name}"
    hit = [str(number) for number, one in enumerate(stage.cells, 1) if one.errors]
    return f"{failed} {stage.name} {', '.join(hit)} of {len(stage.cells)}"

"""Whether the numbers may be believed: every truth check with its verdict and its reason."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.facts import Cell, Check, Run
from plimsoll.pages._say import name, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Points, Words

_VERDICTS = {True: "passed", False: "failed", None: "cannot tell"}


def applies(subject: Subject) -> bool:
    """Whether any cell of the run was checked."""
    return bool(_checks(subject.run))


def blocks(subject: Subject) -> list[Block]:
    """Failed checks first; a check that came out alike on several cells is told once."""
    checks = _checks(subject.run)
    failed = sum(check.passed is False for check in checks)
    words = (
        "Every check passed or found nothing to object to."
        if not failed
        else "Some checks failed: read them first."
    )
    rows = tuple(
        (f"{name(check.name)}: {_VERDICTS[check.passed]}", sentence(check.reason)) for check in checks
    )
    return [Words(words), Points(rows)]


def _checks(run: Run) -> list[Check]:
    """The checks of all cells of the run, the failed ones first."""
    found: dict[tuple[str, bool | None], Check] = {}
    of_line = () if run.line is None else run.line.checks
    for check in (*of_line, *(check for cell in _cells(run) for check in cell.checks)):
        found.setdefault((check.name, check.passed), check)
    return sorted(found.values(), key=lambda check: (check.passed is not False, check.passed is None))


def _cells(run: Run) -> list[Cell]:
    points = () if run.calibration is None else run.calibration.points
    alone = () if run.cell is None else (run.cell,)
    sets = () if run.working_sets is None else run.working_sets.sets
    steps = () if run.ladder is None else (step for curve in run.ladder.curves for step in curve.steps)
    levels = () if run.fill is None else run.fill.levels
    return [
        *alone,
        *run.cells,
        *(point.cell for point in points if point.cell is not None),
        *(one.cell for one in (*sets, *steps, *levels)),
    ]


SECTION = Section("Can this be believed?", "The truth checks and what they found.", 12, applies, blocks)

"""What speaks against an answer, said in the headline: checks that failed, I/Os that failed, an end before its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from plimsoll.facts import Cell, Run
from plimsoll.pages._say import counted
from plimsoll.results import Answer, doubt_of, doubts_of_trials
from plimsoll.supply.failed_checks import failed_words


def in_doubt(run: Run, plain: Answer) -> Answer:
    """The answer with what speaks against the points that it rests on; it is a no then, and no yes where the run was cut short."""
    failed = "; ".join(_failed(run))
    if failed:
        plain = replace(plain, tone="no", headline=f"{plain.headline}; {failed}")
    if _is_shared(run):
        plain = replace(plain, headline=f"{plain.headline}; measured beside others")
    if not run.interrupted:
        return plain
    told = "interrupted" in plain.headline.lower()
    return replace(
        plain,
        tone="no" if plain.tone == "no" else "unknown",
        headline=plain.headline if told else f"{plain.headline}; interrupted",
    )


def _is_shared(run: Run) -> bool:
    """Whether others used the storage meanwhile; a verdict and a line know."""
    found = run.verdict if run.verdict is not None else run.line
    return found is not None and found.shared is not None


def cells(run: Run) -> list[Cell]:
    """Every measured point of the run that bears checks of its own; the trials of a line do not, the line does."""
    points = () if run.calibration is None else run.calibration.points
    alone = () if run.cell is None else (run.cell,)
    sets = () if run.working_sets is None else run.working_sets.sets
    steps = () if run.ladder is None else (step for curve in run.ladder.curves for step in curve.steps)
    levels = () if run.fill is None else run.fill.levels
    together = () if run.interference is None else run.interference.encounters
    return [
        *alone,
        *run.cells,
        *(point.cell for point in points if point.cell is not None),
        *(one.cell for one in (*sets, *steps, *levels, *together)),
    ]


def _failed(run: Run) -> Iterator[str]:
    # The cell speaks for the runs that it stands for.
    measured = cells(run) if run.cell is None else [run.cell]
    if len(measured) == 1:
        yield from _of_one(measured[0])
    elif words := failed_words(measured):
        yield words
    yield from doubts_of_trials(run)


def _of_one(cell: Cell) -> Iterator[str]:
    if cell.errors:
        yield f"{counted(cell.errors, 'I/O')} failed"
    if doubt := doubt_of(cell):
        yield doubt

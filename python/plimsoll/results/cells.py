"""Several measured points that are neither trials nor points of a matrix: the jobs of a job file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plimsoll.base.units import format_rate
from plimsoll.facts import Cell, ClassResult, LatencyUs, Run
from plimsoll.results._compared import (
    Compared,
    Quantity,
    cell_quantities,
    cell_work,
    is_paced,
    latency_quantities,
    without_judgement,
)
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import of_cell


def _answer(cells: Sequence[Cell]) -> str:
    if len(cells) == 1:
        return of_cell(cells[0])
    from plimsoll.supply.failed_checks import with_failed

    most = format_rate(max(cell.held_iops for cell in cells))
    return with_failed(f"{len(cells)} measurements, at most {most} IOPS", cells)


def _named(run: Run) -> dict[str, Cell]:
    """Each cell by the name of its workload; of several of one name with its number."""
    found: dict[str, Cell] = {}
    for number, cell in enumerate(run.cells, 1):
        name = cell.workload.name
        found[f"{name} {number}" if name in found else name] = cell
    return found


def _figures(run: Run) -> list[Quantity]:
    found: list[Quantity] = []
    for name, cell in _named(run).items():
        # A single measurement has the names of our own cell, so that the two can be held against each other.
        alone = len(run.cells) == 1
        found += cell_quantities(cell, "cell" if alone else f"cells.{name}", "" if alone else f", {name}")
    found += _of_jobs(run)
    # fio's own rates are not in what we know of its arrivals: they are in a note.
    at_a_rate = any(note.code == "fio-rate" for note in run.notes)
    return without_judgement(found) if at_a_rate else found


def _of_jobs(run: Run) -> Iterator[Quantity]:
    """Of jobs that ran beside each other, and share a cell."""
    # Imported when used, here and below: a store that saves a run needs neither.
    from plimsoll.dialects.fio.results import job_results

    for job in job_results(run.cells):
        if not job.alone:
            at, who = f"jobs.{job.group.name}", f", {job.group.name}"
            better = None if is_paced(job.cell) else "more"
            rate = sum(io.iops for io in job.classes)
            yield Quantity(f"{at}.iops", f"I/Os per s{who}", "per_s", rate, better)
            yield from latency_quantities(job.latency_us, f"{at}.latency_us", who, few=True)


def _work(run: Run) -> dict[str, str]:
    if len(run.cells) == 1:
        return cell_work(run.cells[0])
    return {
        f"{word} of {name}": value
        for name, cell in _named(run).items()
        for word, value in cell_work(cell).items()
    }


def _doubts(run: Run) -> list[str]:
    from plimsoll.dialects.foreign import FIGURES_DIFFER, IOS_FAILED

    return [note.message for note in run.notes if note.code in (IOS_FAILED, FIGURES_DIFFER)]


def _latencies(run: Run) -> Mapping[str, LatencyUs]:
    if len(run.cells) == 1:
        return {"all I/Os": run.cells[0].latency_us}
    return {name: cell.latency_us for name, cell in _named(run).items()}


_COMPARED = Compared(
    figures=_figures,
    work=_work,
    cells=lambda run: run.cells,
    doubts=_doubts,
    latencies=_latencies,
    family="measurement",
)

RESULT = ResultKind(
    fact=tuple[Cell, ...],
    rows=(ClassResult,),
    rank=110,
    answer=_answer,
    cells=lambda run: run.cells,
    compared=_COMPARED,
)

"""One measured point: a workload on a target for a while."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Cell, ClassResult, LatencyUs, Run
from plimsoll.results._compared import Compared, cell_quantities, cell_work
from plimsoll.results._kind import ResultKind, RunColumn, cells_status
from plimsoll.results._words import of_cell


def _status(run: Run) -> ExitStatus:
    """Clients beside the measured ones have no checks; their errors count."""
    return cells_status(run, [run.results["cell"]], any(one.errors for one in run.cells))


def _data(run: Run, kind: str) -> dict[str, Any]:
    return {
        "run": run.id,
        **run.results[kind].model_dump(mode="json"),
        "held_iops": run.results[kind].held_iops,
        "target": run.target and run.target.model_dump(mode="json"),
    }


def _column(name: str) -> RunColumn:
    return RunColumn(name, "real", lambda run: run.cell and getattr(run.cell, name))


def _told_p99(cell: Cell) -> float | None:
    """Of the part of the time whose rate is told; of a rate that was not held through, the whole is no more than its mean."""
    return cell.told_latency_us and cell.told_latency_us.p99


def latencies(cell: Cell) -> dict[str, LatencyUs]:
    """All I/Os, then each class where there are several."""
    several = cell.classes if len(cell.classes) > 1 else ()
    return {"all I/Os": cell.latency_us, **{io.name.replace("_", " "): io.latency_us for io in several}}


_COMPARED = Compared(
    figures=lambda run: cell_quantities(run.results["cell"], "cell"),
    work=lambda run: cell_work(run.results["cell"]),
    cells=lambda run: [run.results["cell"], *(() if run.results["cell"].errors else run.cells)],
    latencies=lambda run: latencies(run.results["cell"]),
    family="measurement",
)

RESULT = ResultKind(
    fact=Cell,
    rows=(ClassResult,),
    rank=100,
    answer=of_cell,
    status=_status,
    data=_data,
    envelope="io",
    columns=(
        RunColumn("engine", "text", lambda run: run.cell and run.cell.engine),
        _column("iops"),
        _column("mb_per_s"),
        RunColumn("latency_us_p99", "real", lambda run: run.cell and _told_p99(run.cell)),
    ),
    compared=_COMPARED,
)

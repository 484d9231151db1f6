"""Targets added one by one: what they give together, beside what each gives alone."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes, format_mb, format_rate, format_seconds, format_share
from plimsoll.charts import Table
from plimsoll.facts import Cell, LadderCurve, LadderStep, Run, TargetLadder
from plimsoll.results._blocks import Block, Figure, Grid, Words
from plimsoll.results._compared import Compared, Quantity, Unit
from plimsoll.results._kind import ResultKind
from plimsoll.results._links import calibrated_status, links_doubts, targets_data

_UNITS = {"small": "I/Os per s", "large": "MB/s"}


def _answer(found: TargetLadder) -> str:
    ends = [
        f"{one.size} {format_share(one.steps[-1].linearity)} of the sum of {one.steps[-1].targets}"
        for one in found.curves
        if one.steps
    ]
    return ", ".join(ends) or "no repeat came to its end"


def _cells(run: Run) -> list[Cell]:
    return [step.cell for curve in run.results["ladder"].curves for step in curve.steps]


def _status(run: Run) -> ExitStatus:
    return calibrated_status(run, _cells(run))


def _data(run: Run, kind: str) -> dict[str, Any]:
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **run.results[kind].model_dump(mode="json"),
        "links": run.links and run.links.model_dump(mode="json"),
        "targets": targets_data(run),
    }


def _blocks(run: Run) -> list[Block]:
    """The answer for each kind of I/O, the links, and the steps."""
    found: TargetLadder = run.results["ladder"]
    shown: list[Block] = [Words(f"{curve.size.capitalize()} I/Os: {curve.reason}") for curve in found.curves]
    if not found.curves:
        shown.append(Words("No repeat came to its end, so that nothing can be compared."))
    if run.links is not None:
        shown.append(Words(run.links.reason))
    for curve in found.curves:
        caption = f"{curve.size} I/Os of {format_bytes(curve.block_bytes)}, {curve.depth} outstanding on each target"
        shown.append(Grid(caption, _table(curve)))
    asked = f"{found.repeats} repeats of {format_seconds(found.duration_s)} each, {format_share(found.write_share)} writes"
    return [*shown, Words(f"{asked}, {format_seconds(found.measured_s)} measured")]


def _table(curve: LadderCurve) -> Table:
    unit = _UNITS[curve.size]
    columns = (
        "targets",
        "the last of them",
        f"alone, {unit}",
        f"together, {unit}",
        "of the sum",
        "95 % interval",
    )
    rows = tuple(
        (
            str(step.targets), alone.name, _rate(curve, alone.rate), _rate(curve, step.rate),
            format_share(step.linearity) if step.targets > 1 else "", _interval(step.linearity_ci95),
        )
        for step, alone in zip(curve.steps, curve.alone, strict=True)
    )  # fmt: skip
    return Table(columns, rows, (True, False, True, True, True, True), columns[5:0:-4] + columns[2:3])


def _rate(curve: LadderCurve, rate: float) -> str:
    return format_rate(rate) if curve.size == "small" else format_mb(rate)


def _interval(of: tuple[float, float] | None) -> str:
    return "" if of is None else f"{format_share(of[0])} to {format_share(of[1])}"


def _figures(run: Run) -> list[Quantity]:
    """Of each number of targets, by curve."""
    found: TargetLadder = run.results["ladder"]
    return [figure for curve in found.curves for figure in _of_curve(curve)]


def _of_curve(curve: LadderCurve) -> list[Quantity]:
    unit: Unit = "per_s" if curve.size == "small" else "mb_per_s"
    what = "small I/Os per s" if curve.size == "small" else "large MB/s"
    return [
        Quantity(f"ladder.{curve.size}.{one.targets}.rate", f"{what}, {one.targets} targets", unit, one.rate, "more", one.rate_ci95)
        for one in curve.steps
    ]  # fmt: skip


def _work(run: Run) -> dict[str, str]:
    found: TargetLadder = run.results["ladder"]
    sizes = {f"{curve.size} I/O": f"{curve.block_bytes} B, depth {curve.depth}" for curve in found.curves}
    return {"writes": f"{100 * found.write_share:g} %", **sizes}


RESULT = ResultKind(
    fact=TargetLadder,
    rows=(LadderStep,),
    rank=70,
    answer=_answer,
    cells=_cells,
    status=_status,
    data=_data,
    envelope="calibrate-ladder",
    title="More targets",
    help="What targets give together, and alone.",
    page_rank=24,
    blocks=_blocks,
    on_page=lambda run: [Figure("target-ladder")],
    compared=Compared(figures=_figures, work=_work, cells=_cells, doubts=links_doubts),
)

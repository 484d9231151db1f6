"""One workload at several levels of fill of a device."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_bytes, format_mb, format_rate, format_share, format_us
from plimsoll.charts import Table
from plimsoll.facts import Cell, FillLevel, FillSweep, Run
from plimsoll.results._blocks import Block, Grid, Words
from plimsoll.results._compared import Compared, Quantity, cell_quantities, cell_work
from plimsoll.results._kind import ResultKind

_METHOD = (
    "The device was empty. At each level so much of it was written, and the workload ran within that part until it was steady; "
    "what was measured after that counts."
)
_COLUMNS = ("full", "filled", "I/Os per s", "MB/s", "p50", "p99", "p99.9", "steady", "own count", "worn")
_SPARE = ("worn", "own count", "p50", "p99.9", "MB/s", "filled")
_STEADY = {True: "yes", False: "no", None: "unknown"}


def _answer(found: FillSweep) -> str:
    rates = [f"{format_share(one.level_share)}: {format_rate(one.cell.iops)} IOPS" for one in found.levels]
    return ", ".join(rates) or "no level was measured"


def _cells(run: Run) -> list[Cell]:
    return [level.cell for level in run.results["fill"].levels]


def _data(run: Run, kind: str) -> dict[str, Any]:
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **run.results[kind].model_dump(mode="json"),
        "target": run.target and run.target.model_dump(mode="json"),
    }


def _blocks(run: Run) -> list[Block]:
    """The answer, a row for each level, and where the device's own words are from."""
    found: FillSweep = run.results["fill"]
    rows = tuple(map(_row, found.levels))
    reasons = dict.fromkeys(level.wear.reason for level in found.levels if level.wear is not None)
    return [
        Words(found.reason),
        Grid("Each level of fill", Table(_COLUMNS, rows, (True,) * len(_COLUMNS), _SPARE)),
        Words(f"the device's own fill and wear: {'; '.join(reasons) or 'unknown'}"),
    ]


def _row(level: FillLevel) -> tuple[str, ...]:
    cell, wear = level.cell, level.wear
    steady = next((check.passed for check in cell.checks if check.name == "steady"), None)
    return (
        format_share(level.level_share), format_bytes(level.filled_bytes), format_rate(cell.iops), format_mb(cell.mb_per_s),
        *map(format_us, (cell.latency_us.p50, cell.latency_us.p99, cell.latency_us.p999)), _STEADY[steady],
        format_share(wear and wear.fill_share), format_share(wear and wear.used_share),
    )  # fmt: skip


def _figures(run: Run) -> list[Quantity]:
    """Of each level of fill."""
    found: FillSweep = run.results["fill"]
    quantities: list[Quantity] = []
    for level in found.levels:
        share = f"{format_share(level.level_share)}"
        quantities += cell_quantities(level.cell, f"fill.levels.{share}", f", {share} full")
    return quantities


def _work(run: Run) -> dict[str, str]:
    levels: tuple[FillLevel, ...] = run.results["fill"].levels
    shown = ", ".join(f"{format_share(level.level_share)}" for level in levels)
    return {"levels": shown} | (cell_work(levels[0].cell) if levels else {})


RESULT = ResultKind(
    fact=FillSweep,
    rows=(FillLevel,),
    rank=80,
    answer=_answer,
    cells=_cells,
    data=_data,
    envelope="io-fill",
    title="Levels of fill",
    help="The workload when the device is so full.",
    page_rank=26,
    blocks=_blocks,
    on_page=lambda run: [Words(_METHOD)],
    compared=Compared(figures=_figures, work=_work, cells=_cells),
)

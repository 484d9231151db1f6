"""Working sets of rising size: their rates, and where a cache ends."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_us
from plimsoll.charts import Table
from plimsoll.facts import Cell, Run, WorkingSet, WorkingSetSweep
from plimsoll.results._blocks import Block, Figure, Grid, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._links import calibrated_status, links_doubts, targets_data

_METHOD = (
    "Each set is read once in full and then at random. A cache that holds all of it answers all reads; of a larger set it answers "
    "only its share, so the rate falls. A fall counts where every repeat shows it, by half as much again at least."
)
_COLUMNS = ("within", "I/Os per s", "95 % interval", "mean", "p50", "p99", "")
_BAR = 30


def _answer(found: WorkingSetSweep) -> str:
    if found.caches:
        step = found.caches[0]
        return f"a cache ends {_where(step.low_bytes, step.high_bytes)}"
    if found.is_open:
        return "cannot tell whether a cache ends within these sizes"
    return f"no cache seen within {len(found.sets)} sizes" if found.repeats > 1 else "too little measured"


def _where(low_bytes: int | None, high_bytes: int) -> str:
    high = format_bytes(high_bytes)
    return f"below {high}" if low_bytes is None else f"between {format_bytes(low_bytes)} and {high}"


def _cells(run: Run) -> list[Cell]:
    return [one.cell for one in run.results["working_sets"].sets]


def _status(run: Run) -> ExitStatus:
    return calibrated_status(run, _cells(run))


def _data(run: Run, kind: str) -> dict[str, Any]:
    own = {"run": run.id, "interrupted": run.interrupted}
    return {**own, **run.results[kind].model_dump(mode="json"), "targets": targets_data(run)}


def _blocks(run: Run) -> list[Block]:
    """The answer, a bar for each size, and how it was measured."""
    found: WorkingSetSweep = run.results["working_sets"]
    method = (
        f"{format_bytes(found.block_bytes)} reads, {found.depth} outstanding; {found.repeats} repeats of"
        f" {format_seconds(found.duration_s)} each, {format_seconds(found.measured_s)} measured and"
        f" {format_seconds(found.read_once_s)} to read each set once before"
    )
    return [Words(found.reason), Grid("Each size", _table(found)), Words(method)]


def _table(found: WorkingSetSweep) -> Table:
    most = max((one.iops for one in found.sets), default=0.0) or 1.0
    rows = []
    for one in found.sets:
        low, high = map(format_rate, one.iops_ci95) if one.iops_ci95 else ("", "")
        figures = map(format_us, (one.latency_us_mean, one.latency_us_p50, one.latency_us_p99))
        interval = f"{low} to {high}" if one.iops_ci95 else "unknown"
        bar = "█" * max(1, round(_BAR * one.iops / most))
        rows.append((format_bytes(one.set_bytes), format_rate(one.iops), interval, *figures, bar))
    return Table(_COLUMNS, tuple(rows), (True,) * (len(_COLUMNS) - 1) + (False,))


def _figures(run: Run) -> list[Quantity]:
    """Of each working set, with its repeats."""
    found: WorkingSetSweep = run.results["working_sets"]
    quantities: list[Quantity] = []
    for one in found.sets:
        at, who = f"working_sets.sets.{one.set_bytes}", f" within {format_bytes(one.set_bytes)}"
        quantities += [
            Quantity(f"{at}.iops", f"I/Os per s{who}", "per_s", one.iops, "more", one.iops_ci95, one.iops_repeats),
            Quantity(f"{at}.latency_us_p99", f"p99{who}", "us", one.latency_us_p99, "less"),
        ]  # fmt: skip
    return quantities


def _work(run: Run) -> dict[str, str]:
    found: WorkingSetSweep = run.results["working_sets"]
    sets = ", ".join(format_bytes(one.set_bytes) for one in found.sets)
    return {"block": format_bytes(found.block_bytes), "depth": str(found.depth), "working sets": sets}


RESULT = ResultKind(
    fact=WorkingSetSweep,
    rows=(WorkingSet,),
    rank=60,
    answer=_answer,
    cells=_cells,
    status=_status,
    data=_data,
    envelope="calibrate-working-sets",
    title="Working sets",
    help="Rates over bytes visited, and where a cache ends.",
    page_rank=23,
    blocks=_blocks,
    on_page=lambda run: [Words(_METHOD), Figure("working-sets")],
    compared=Compared(figures=_figures, work=_work, cells=_cells, doubts=links_doubts),
)

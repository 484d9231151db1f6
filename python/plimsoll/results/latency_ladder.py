"""How long one read takes from each rung of a host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_bytes, format_ns, format_ratio, format_share, format_us
from plimsoll.charts import Table
from plimsoll.facts import Cell, LatencyLadder, LatencyRung, Run
from plimsoll.results._blocks import Block, Figure, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind, cells_status
from plimsoll.results._words import doubt_of, sentence

_METHOD = (
    "Each read waits for the one before. From caches and memory one CPU reads a word, each in another line, of a working set in an"
    " order by chance, in huge pages where the kernel gives some; storage is read at random places, one read at a time, past the"
    " page cache. Latencies are means. Of prices: what a GB (10^9 bytes) costs, and that times how many times the first rung's"
    " latency it is; of two rungs the one with less gives more for the money, for bytes that are read alike."
)


def _answer(found: LatencyLadder) -> str:
    told = [
        f"{one.name} {format_ns(one.latency_ns)}{_doubt(one)}"
        for one in found.rungs
        if one.latency_ns is not None
    ]
    missed = _names(found, "not measured")
    parts = [", ".join(told) or "no rung was measured", *([f"not measured: {missed}"] if missed else [])]
    return "; ".join(parts)


def _doubt(one: LatencyRung) -> str:
    """` (3 errors, not valid: steady)` where the status says so as well; else nothing."""
    if one.cell is None:
        return ""
    errors = f"{one.cell.errors:,} errors" if one.cell.errors else ""
    said = ", ".join(part for part in (errors, doubt_of(one.cell)) if part)
    return f" ({said})" if said else ""


def _names(found: LatencyLadder, state: str) -> str:
    return ", ".join(one.name for one in found.rungs if one.state == state)


def _cells(run: Run) -> list[Cell]:
    return [one.cell for one in run.results["latency_ladder"].rungs if one.cell is not None]


def _status(run: Run) -> ExitStatus:
    """As of cells; 5 where a rung could not be measured, 4 where none could."""
    found: LatencyLadder = run.results["latency_ladder"]
    status = cells_status(run, _cells(run))
    if status is not ExitStatus.DONE:
        return status
    if not any(one.state == "measured" for one in found.rungs):
        return ExitStatus.WORLD_FAILED
    return ExitStatus.DONE_IN_PART if _names(found, "not measured") else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    found: LatencyLadder = run.results["latency_ladder"]
    measured = [one for one in found.rungs if one.latency_ns is not None]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if measured:
        storage = f"storage in reads of {format_bytes(found.block_bytes)}"
        blocks.append(Grid(f"Mean time of one read; {storage}", _table(found, measured)))
    points = tuple(_points(found))
    return [*blocks, Points(points)] if points else blocks


def _points(found: LatencyLadder) -> Iterator[tuple[str, str]]:
    """Why a rung was not measured, and which check of it failed, those that only warn among them."""
    for one in found.rungs:
        if one.reason is not None:
            yield one.name, sentence(one.reason)
        for check in () if one.cell is None else one.cell.checks:
            if check.passed is False:
                yield f"{one.name}, {check.name.replace('_', ' ')}", sentence(check.reason.removesuffix("."))


def _table(found: LatencyLadder, rungs: Sequence[LatencyRung]) -> Table:
    columns = (
        "rung",
        "a read",
        "times the one above",
        "times the first",
        "within",
        "p50",
        "p99",
        "huge pages",
    )
    numeric = (False, *(True,) * 7)
    is_priced = found.currency is not None
    if is_priced:
        columns = (*columns, f"{found.currency} a GB", "price × times the first")
        numeric = (*numeric, True, True)
    rows = tuple((*_row(one), *(_prices(one) if is_priced else ())) for one in rungs)
    return Table(columns, rows, numeric, ("huge pages", "p99", "p50", "within"))


def _row(one: LatencyRung) -> tuple[str, ...]:
    spread = None if one.cell is None else one.cell.latency_us
    return (
        one.name,
        "unknown" if one.latency_ns is None else format_ns(one.latency_ns),
        "" if one.ratio_above is None else format_ratio(one.ratio_above),
        "" if one.ratio_first is None else format_ratio(one.ratio_first),
        "" if one.working_set_bytes is None else format_bytes(one.working_set_bytes),
        "" if spread is None else format_us(spread.p50),
        "" if spread is None else format_us(spread.p99),
        "" if one.huge_share is None else format_share(one.huge_share),
    )


def _prices(one: LatencyRung) -> tuple[str, str]:
    told = one.price_per_gb, one.price_times_ratio
    price, times = ("unknown" if value is None else f"{value:,.2f}" for value in told)
    return price, times


def _figures(run: Run) -> list[Quantity]:
    found: LatencyLadder = run.results["latency_ladder"]
    return [
        Quantity(f"latency_ladder.{one.name}.latency_us", f"a read from {one.name}", "us", one.latency_ns / 1e3, "less")
        for one in found.rungs
        if one.latency_ns is not None
    ]  # fmt: skip


def _work(run: Run) -> dict[str, str]:
    found: LatencyLadder = run.results["latency_ladder"]
    sets = {one.name: format_bytes(one.working_set_bytes) for one in found.rungs if one.working_set_bytes}
    return {"rungs": counted(len(sets), "rung"), **sets}


RESULT = ResultKind(
    fact=LatencyLadder,
    rows=(LatencyRung,),
    rank=14,
    answer=_answer,
    cells=_cells,
    status=_status,
    envelope="host-bench-ladder",
    title="The latency ladder",
    help="How long one read takes from each cache, memory and storage of a host, and what a GB of it costs.",
    page_rank=52,
    blocks=_blocks,
    on_page=lambda run: [Figure("latency-ladder"), Words(_METHOD)],
    compared=Compared(figures=_figures, work=_work, cells=_cells),
)

"""Operations that another tool timed."""

from __future__ import annotations

from plimsoll.base.units import format_count, format_rate, format_us
from plimsoll.charts import Table
from plimsoll.facts import OperationLog, OperationResult, Run
from plimsoll.results._blocks import Block, Grid, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind

_COLUMNS = ("operation", "count", "per s", "failed", "skipped", "mean", "p50", "p99", "p99.9", "max")
_SPARE = ("mean", "p99.9", "max", "skipped", "failed")


def _answer(found: OperationLog) -> str:
    shown = [
        f"{one.name}: {format_rate(one.operations_per_s)} per s, p99 {format_us(one.latency_us.p99)}{_not_done(one)}"
        for one in found.operations
    ]
    return ", ".join(shown) or "no operation in it"


def _not_done(one: OperationResult) -> str:
    counts = ((one.failed, "failed"), (one.skipped, "were skipped"))
    return "".join(f", {count:,} {what}" for count, what in counts if count)


def _blocks(run: Run) -> list[Block]:
    """What the log says of each kind of operation."""
    found: OperationLog = run.results["operation_log"]
    numbers = (False, *(True for _ in _COLUMNS[1:]))
    blocks: list[Block] = [
        Words(f"{found.tool}: {sum(one.operations for one in found.operations):,} operations in {found.duration_s:,.1f} s"),
        Grid("Each kind of operation", Table(_COLUMNS, tuple(map(_row, found.operations)), numbers, _SPARE)),
    ]  # fmt: skip
    return blocks + ([Words(f"{found.lines_failed:,} lines could not be read")] if found.lines_failed else [])


def _row(one: OperationResult) -> tuple[str, ...]:
    latency = one.latency_us
    return (
        one.name, f"{one.operations:,}", format_rate(one.operations_per_s), format_count(one.failed), format_count(one.skipped),
        *map(format_us, (latency.mean, latency.p50, latency.p99, latency.p999, latency.max)),
    )  # fmt: skip


def _figures(run: Run) -> list[Quantity]:
    """Of each kind of operation."""
    quantities: list[Quantity] = []
    for one in run.results["operation_log"].operations:
        at = f"operation_log.operations.{one.name}"
        quantities += [
            Quantity(f"{at}.operations_per_s", f"{one.name} per s", "per_s", one.operations_per_s, "more"),
            Quantity(f"{at}.latency_us.p99", f"{one.name} p99", "us", one.latency_us.p99, "less"),
        ]
    return quantities


def _work(run: Run) -> dict[str, str]:
    return {"tool": run.results["operation_log"].tool}


RESULT = ResultKind(
    fact=OperationLog,
    rows=(OperationResult,),
    rank=140,
    answer=_answer,
    envelope="import",
    title="Operations",
    help="What another tool timed.",
    page_rank=33,
    blocks=_blocks,
    compared=Compared(figures=_figures, work=_work),
)

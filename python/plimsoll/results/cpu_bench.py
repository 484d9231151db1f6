"""How fast CPUs compute while they get warm."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_count, format_rate, format_seconds
from plimsoll.charts import Table
from plimsoll.facts import CpuBench, CpuRound, CpuSecond, Run
from plimsoll.results._blocks import Block, Grid, Pairs, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_ROWS_MAX = 60


def _answer(found: CpuBench) -> str:
    """Whether they clock down, and HPL's first and last run."""
    rates = [one.hpl_gflops for one in found.rounds]
    if not rates:
        return f"{found.answer}: {found.reason}; HPL was interrupted before its first run ended"
    failed = "" if found.failed is None else f"; a later run failed: {found.failed}"
    last = f", {format_rate(rates[-1])} in the last of {counted(len(rates), 'run')}" if len(rates) > 1 else ""
    threads = counted(found.threads, "thread")
    return (
        f"{found.answer}: {found.reason}; HPL {format_rate(rates[0])} Gflop/s{last}, with {threads}{failed}"
    )


def _status(run: Run) -> ExitStatus:
    """130: interrupted; 1: they clock down; 5: nobody can tell, or a later run failed."""
    found: CpuBench = run.results["cpu_bench"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if found.failed is not None and found.answer != "clocks down":
        return ExitStatus.DONE_IN_PART
    return {
        "clocks down": ExitStatus.ANSWER_IS_NO,
        "holds its clock": ExitStatus.DONE,
        "cannot tell": ExitStatus.DONE_IN_PART,
    }[found.answer]


def _blocks(run: Run) -> list[Block]:
    found: CpuBench = run.results["cpu_bench"]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if found.rounds:
        blocks.append(Grid(f"Runs of HPL, {found.matrix_rows:,} rows", _rounds(found.rounds)))
    if found.seconds:
        blocks.append(Grid("Second by second", _seconds(found.seconds), folded=True))
    return [*blocks, Pairs("By what", tuple(_sources(found)))]


def _sources(found: CpuBench) -> list[tuple[str, str]]:
    return [
        ("program", found.tool),
        ("BLAS", found.blas),
        ("clock", found.clock_source or "this machine tells none"),
        ("temperature", found.temperature_source or "this machine tells none"),
        ("throttles", found.throttle_source or "this machine counts none"),
    ]


def _rounds(rounds: Sequence[CpuRound]) -> Table:
    rows = tuple(
        (
            format_seconds(one.start_s),
            format_seconds(one.duration_s),
            format_rate(one.hpl_gflops),
            format_seconds(one.hpl_s),
            format_rate(one.dgemm_gflops),
        )
        for one in rounds
    )
    columns = ("began after", "all of hpcc", "HPL, Gflop/s", "HPL took", "DGEMM, Gflop/s")
    return Table(columns, rows, (True,) * len(columns))


def _seconds(seconds: Sequence[CpuSecond]) -> Table:
    """At even distances where there are many."""
    step = 1 + (len(seconds) - 1) // _ROWS_MAX
    rows = tuple(
        (
            format_seconds(one.at_s),
            format_rate(one.busy_cpus),
            format_rate(one.mhz_mean),
            format_rate(one.mhz_min),
            format_rate(one.temperature_c),
            format_count(one.throttles),
        )
        for one in seconds[::step]
    )
    columns = ("after", "CPUs at work", "clock, MHz", "slowest CPU, MHz", "hottest, °C", "throttles")
    return Table(columns, rows, (True,) * len(columns))


def _figures(run: Run) -> list[Quantity]:
    found: CpuBench = run.results["cpu_bench"]
    rates = tuple(one.hpl_gflops for one in found.rounds)
    last = rates[-1] if rates else None
    return [
        Quantity("cpu_bench.hpl_gflops", "HPL, last run, Gflop/s", "count", last, "more"),
        Quantity("cpu_bench.down_after_s", "clocks down after", "s", found.down_after_s, "more"),
    ]


def _work(run: Run) -> dict[str, str]:
    found: CpuBench = run.results["cpu_bench"]
    return {
        "threads": str(found.threads),
        "rows": str(found.matrix_rows),
        "BLAS": found.blas,
        "program": found.tool,
    }


RESULT = ResultKind(
    fact=CpuBench,
    rows=(CpuRound, CpuSecond),
    rank=12,
    answer=_answer,
    status=_status,
    envelope="host-bench-cpu",
    title="How fast CPUs compute",
    help="What HPL reaches run by run, and clock, temperature and throttles meanwhile.",
    page_rank=57,
    blocks=_blocks,
    compared=Compared(figures=_figures, work=_work),
)

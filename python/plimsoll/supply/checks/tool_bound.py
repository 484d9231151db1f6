"""Whether our own threads were the limit: a number that a busy CPU caps is not the storage's."""

from __future__ import annotations

from plimsoll.base.limits import THREAD_CPU_SHARE_MAX
from plimsoll.base.units import format_share
from plimsoll.facts import Cell, Check, Target
from plimsoll.native.engine import blocks
from plimsoll.supply.checks._cells import engines, is_real, jobs
from plimsoll.supply.checks._kind import Passive

_NAME = "tool_bound"


def _judge(cell: Cell, target: Target) -> Check | None:
    """Threads that block for each I/O sleep through it, so their share says nothing; asynchronous ones must have time to spare."""
    if (
        not is_real(cell)
        or any(map(blocks, engines(cell)))
        or cell.cpu_threads_s is None
        or cell.runtime_s <= 0
    ):
        return None
    share = cell.cpu_threads_s / (cell.runtime_s * jobs(cell))
    figures = {"thread_cpu_share": share}
    if cell.cpu_us_per_io is not None:
        figures["cpu_us_per_io"] = cell.cpu_us_per_io
    if share > THREAD_CPU_SHARE_MAX:
        reason = (
            f"the measuring threads were busy {format_share(share)} of the time: the CPU, not the storage, may be the limit;"
            " try more --jobs"
        )
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    return _late(cell, figures) or Check(
        name=_NAME,
        passed=True,
        reason=f"the measuring threads were busy {format_share(share)} of the time",
        figures=figures,
    )


def _late(cell: Cell, figures: dict[str, float]) -> Check | None:
    """One late start in a hundred thousand I/Os may be chance, so it is a doubt about the tail and no verdict."""
    late, tail = cell.lateness_us_max, cell.latency_us.p99
    if late is None or tail is None or late <= tail:
        return None
    reason = f"we were up to {late:.0f} µs late with an I/O, more than the p99 of {tail:.0f} µs: the tail may be our own"
    return Check(name=_NAME, passed=None, reason=reason, figures={**figures, "lateness_us_max": late})


CHECK = Passive(
    title="the measuring threads had time to spare",
    help="Compares the CPU time of the submitting threads with the measured time. Near one, the CPU caps the rate,"
    " and more jobs would show more. In an open loop it also compares our own lateness with the latency.",
    judge=_judge,
    decides=True,
)

"""What we cost ourselves: the same workload on the engine that does no I/O at all."""

from __future__ import annotations

from plimsoll.base.units import format_share
from plimsoll.facts import Check
from plimsoll.native.engine import that_does_nothing
from plimsoll.supply.checks._cells import is_real, jobs
from plimsoll.supply.checks._kind import Active, Look, Probe

_NAME = "tool_cost"
_RUN_S = 0.2
_SHARE_MAX = 0.5
"""A tool that spends half of a thread on itself leaves too little for the kernel's own part of each I/O."""


def _judge(probe: Probe) -> Check | None:
    cell = probe.cell
    if not is_real(cell):
        return None
    own = probe.measure(Look(cell.workload, runtime_s=_RUN_S, depth=cell.depth, engine=that_does_nothing()))
    if own.cpu_threads_s is None or not own.ios:
        return Check(name=_NAME, passed=None, reason="the null engine made no I/O")
    each_us = own.cpu_threads_s / own.ios * 1e6
    share = each_us * cell.iops / 1e6 / jobs(cell)
    own_share = format_share(share)
    reason = f"we ourselves take {each_us * 1000:.0f} ns per I/O (null engine), {own_share} of a measuring thread at this rate"
    figures = {"tool_us_per_io": each_us, "thread_share": share}
    return Check(name=_NAME, passed=share <= _SHARE_MAX, reason=reason, figures=figures)


CHECK = Active(
    title="we cost little ourselves",
    help="Runs the same workload on the null engine, which does no I/O, and says what the tool itself takes per I/O and as a share"
    " of a measuring thread at the measured rate.",
    judge=_judge,
    decides=True,
)

"""Whether the page cache stood in between: what it answers, or takes in, says nothing about the storage."""

from __future__ import annotations

from plimsoll.base.units import format_bytes
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._cells import is_real
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks._machine import memory_bytes

_NAME = "direct"


def _judge(cell: Cell, target: Target) -> Check | None:
    if not is_real(cell):
        return None
    if cell.direct and target.device is not None and target.device.buffered:
        reason = (
            f"{target.device.name} is a loop device that works through the page cache, which may have answered or taken in;"
            " losetup --direct-io=on ends that"
        )
        return Check(name=_NAME, passed=None, reason=reason)
    if cell.direct:
        return Check(name=_NAME, passed=True, reason="the I/Os bypassed the page cache")
    memory = memory_bytes()
    figures = {"span_bytes": float(target.span_bytes)}
    if memory is not None:
        figures["memory_bytes"] = float(memory)
    unsafe = [
        io.name for io in cell.workload.classes if io.op == "write" and not io.sync and io.flush is None
    ]
    if unsafe:
        words = f"writes of class {', '.join(unsafe)} ended in the page cache, not on the storage"
        return Check(name=_NAME, passed=False, reason=words, figures=figures)
    fits = (
        ""
        if memory is None or target.span_bytes > memory
        else f", which has room for all {format_bytes(target.span_bytes)}"
    )
    reason = f"the I/Os went through the page cache{fits}; --check cache tries whether it answered"
    return Check(name=_NAME, passed=None, reason=reason, figures=figures)


CHECK = Passive(
    title="no page cache in between",
    help="Direct I/O passes, but on a loop device without direct I/O of its own, where the question stays open. Through the page"
    " cache, writes that are not made durable fail, because memory took them; for reads the question stays open until"
    " --check cache.",
    judge=_judge,
    decides=True,
    settled_by="cached",
)

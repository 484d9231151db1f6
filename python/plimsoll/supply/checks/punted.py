"""Whether the kernel handed io_uring's I/Os to worker threads, which costs CPU time and latency of its own."""

from __future__ import annotations

from plimsoll.facts import Cell, Check, Target
from plimsoll.native.engine import uses_kernel_workers
from plimsoll.supply.checks._cells import engines
from plimsoll.supply.checks._kind import Passive

_NOTE = "io-wq-punted"


def _judge(cell: Cell, target: Target) -> Check | None:
    if not any(map(uses_kernel_workers, engines(cell))):
        return None
    note = next((note for note in cell.notes if note.code == _NOTE), None)
    if note is None:
        return Check(name="punted", passed=True, reason="the kernel took the I/Os without worker threads")
    figures = {} if cell.cpu_workers_s is None else {"workers_cpu_s": cell.cpu_workers_s}
    return Check(name="punted", passed=False, reason=note.message, figures=figures)


CHECK = Passive(
    title="the kernel took the I/Os itself",
    help="Where a file system cannot take an I/O without blocking, the kernel hands it to a worker thread (io-wq). On tmpfs that is"
    " twenty times slower than a plain read. It warns; --engine psync shows whether it matters.",
    judge=_judge,
)

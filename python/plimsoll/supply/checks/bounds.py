"""Whether the number is physically possible: faster than the wire or than any medium is not a disk, it is memory."""

from __future__ import annotations

from plimsoll.base.limits import MEDIUM_LATENCY_US_MIN, MEMORY_IOPS_MIN, MEMORY_MB_PER_S_MIN
from plimsoll.facts import Cell, Check, Target
from plimsoll.host.links import Link
from plimsoll.supply.checks._cells import is_real, service
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks._machine import copy_mb_per_s, link_of, memory_behind
from plimsoll.supply.one_way import LINK_SLACK, one_way_mb_per_s

_NAME = "bounds"


def _judge(cell: Cell, target: Target) -> Check | None:
    if not is_real(cell) or cell.ios == 0:
        return None
    return _memory(cell, target) or _faster_than_any(cell) or _wire(cell, target)


def _memory(cell: Cell, target: Target) -> Check | None:
    """A target in memory whose speed is memory's. One that something holds back, such as a throttle, is judged by what it does."""
    behind = memory_behind(target)
    if behind is None or not (cell.iops >= MEMORY_IOPS_MIN or cell.mb_per_s >= MEMORY_MB_PER_S_MIN):
        return None
    reason = f"answers at memory speed, because it is memory: {behind}; it says nothing about a disk"
    return Check(name=_NAME, passed=False, reason=reason, figures=_figures(cell))


def _faster_than_any(cell: Cell) -> Check | None:
    half = service(cell).p50
    if half is None or half >= MEDIUM_LATENCY_US_MIN:
        return None
    reason = (
        f"half of the I/Os took {half:.2f} µs or less, and no block device is faster than"
        f" {MEDIUM_LATENCY_US_MIN:g} µs: memory answered"
    )
    return Check(name=_NAME, passed=False, reason=reason, figures=_figures(cell) | {"latency_us_p50": half})


def _wire(cell: Cell, target: Target) -> Check:
    """Against the wire where it is known. Else memory's own speed is a hint, and no bound: several devices copy at once."""
    link = link_of(target)
    if link is not None:
        sent = one_way_mb_per_s(cell, link.duplex, link.copies)
        figures = _figures(cell) | {"link_mb_per_s": link.mb_per_s, "sent_mb_per_s": sent}
        possible = sent <= LINK_SLACK * link.mb_per_s
        word = "within" if possible else "more than"
        reason = f"{sent:,.0f} MB/s{_how(cell, link)} is {word} the {link.mb_per_s:,.0f} MB/s that {link.words} carries"
        return Check(name=_NAME, passed=possible, reason=reason, figures=figures)
    if cell.mb_per_s < MEMORY_MB_PER_S_MIN or cell.mb_per_s < (copied := copy_mb_per_s()):
        return Check(
            name=_NAME, passed=True, reason="slower than memory, and than any medium", figures=_figures(cell)
        )
    reason = (
        f"{cell.mb_per_s:,.0f} MB/s is as much as one CPU copies in memory ({copied:,.0f} MB/s),"
        " and the wire to the device is not known"
    )
    return Check(name=_NAME, passed=None, reason=reason, figures=_figures(cell) | {"copy_mb_per_s": copied})


def _how(cell: Cell, link: Link) -> str:
    """What was counted, where it is not simply all of it."""
    if link.copies > 1 and any(io.op == "write" for io in cell.classes):
        return f" one way, with {link.copies} copies of each write,"
    mixed = len({io.op for io in cell.classes}) > 1
    return " one way" if mixed and link.duplex else ""


def _figures(cell: Cell) -> dict[str, float]:
    return {"iops": cell.iops, "mb_per_s": cell.mb_per_s}


CHECK = Passive(
    title="physically possible",
    help="Compares the rate with what the wire to the device carries, where the kernel tells it, and the latency with the fastest"
    " medium there is. A file on tmpfs, a loop device over one, or a RAM disk that works at memory speed is named as memory.",
    judge=_judge,
    decides=True,
)

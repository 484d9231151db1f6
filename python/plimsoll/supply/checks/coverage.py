"""How much of the target was visited, and how often: a small working set is answered by the first cache that holds it."""

from __future__ import annotations

from math import expm1, log1p

from plimsoll.base.units import format_bytes
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._cells import is_real
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks._machine import memory_bytes

_NAME = "coverage"
_VISITS_MIN = 2.0
"""From two visits to each block on, most I/Os find a block that was read before."""
_CACHE_BYTES = 8 << 30
"""Caches of controllers and of virtual machines' hosts are of this order."""


def expected_distinct(blocks: int, draws: int) -> float:
    """Blocks visited by so many uniform draws with replacement: n (1 − (1 − 1/n)^k)."""
    return blocks * -expm1(draws * log1p(-1 / blocks)) if blocks > 1 else float(min(blocks, draws))


def _judge(cell: Cell, target: Target) -> Check | None:
    """For random I/O of one size; other patterns go where they are told, and how often they return is in their name."""
    sizes = {io.block_bytes for io in cell.workload.classes}
    patterns = {io.pattern for io in cell.workload.classes}
    if not is_real(cell) or cell.ios == 0 or len(sizes) > 1 or patterns != {"random"}:
        return None
    block_bytes = sizes.pop()
    distinct = expected_distinct(target.span_bytes // block_bytes, cell.ios)
    visited, visits = round(distinct * block_bytes), cell.ios / distinct
    figures = {
        "visited_bytes": float(visited),
        "visited_share": visited / target.span_bytes,
        "visits_per_block": visits,
    }
    passed, words = _verdict(cell, visited, visits)
    span = format_bytes(target.span_bytes)
    reason = f"about {format_bytes(visited)} of {span} were visited, each block {visits:.1f} times{words}"
    return Check(name=_NAME, passed=passed, reason=reason, figures=figures)


def _verdict(cell: Cell, visited: int, visits: float) -> tuple[bool | None, str]:
    memory = memory_bytes()
    if visits < _VISITS_MIN:
        return True, ""
    if not cell.direct and memory is not None and visited < memory:
        return False, f": the page cache holds them all ({format_bytes(memory)} of memory)"
    if visited < _CACHE_BYTES:
        return None, ": a cache below would hold them all; --check cache tries whether there is one"
    return True, ""


CHECK = Passive(
    title="enough of the target was visited",
    help="Derives from the number of I/Os how many distinct blocks random I/O has visited, and how often each. Fails where the page"
    " cache is in between and holds them all; a working set below 8 GiB that is visited again and again leaves the question open.",
    judge=_judge,
    decides=True,
    settled_by="cached",
)

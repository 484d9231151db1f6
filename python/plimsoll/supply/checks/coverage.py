"""How much of the target was visited, and how often: a small working set is answered by the first cache that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p

from plimsoll.base.units import format_bytes
from plimsoll.facts import Cell, Check, ClassResult, Target
from plimsoll.supply.checks._cells import is_real
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.checks._machine import memory_bytes

_NAME = "coverage"
_VISITS_MIN = 2.0
"""From two visits to each block on, most I/Os find a block that was visited before."""
_CACHE_BYTES = 8 << 30
"""Caches of controllers and of virtual machines' hosts are of this order."""
_FEW_SHARE = 0.9
"""Fewer distinct blocks than this share of what chance gives are no chance: the count is right within a few percent."""
_SMALL_BY_NATURE = "log_write"


@dataclass(frozen=True)
class Visited:
    """What one class visited."""

    name: str
    blocks: float
    block_bytes: int
    space_blocks: int
    ios: int
    random: bool

    @property
    def bytes(self) -> int:
        """Of the distinct blocks."""
        return round(self.blocks * self.block_bytes)

    @property
    def visits(self) -> float:
        """Of each block, on average."""
        return self.ios / self.blocks


def expected_distinct(blocks: int, draws: int) -> float:
    """Blocks visited by so many uniform draws with replacement: n (1 − (1 − 1/n)^k)."""
    return blocks * -expm1(draws * log1p(-1 / blocks)) if blocks > 1 else float(min(blocks, draws))


def _judge(cell: Cell, target: Target) -> Check | None:
    """Of the class that came back to its blocks most often. A log is small by nature and is left out."""
    if not is_real(cell):
        return None
    patterns = {io.name: io.pattern for io in cell.workload.classes}
    found = [_visited(result, patterns[result.name], target) for result in cell.classes]
    known = [each for each in found if each is not None and each.blocks > 0]
    if not known:
        return None
    most = max(known, key=lambda each: each.visits)
    figures = {
        "visited_bytes": float(most.bytes),
        "visited_share": most.blocks / most.space_blocks,
        "visits_per_block": most.visits,
    }
    passed, words = _verdict(cell, most)
    space = format_bytes(most.space_blocks * most.block_bytes)
    # The engine counts distinct blocks by a sketch, and elsewhere chance stands for it: neither is exact.
    visited = f"visited about {format_bytes(most.bytes)} of {space}, each block about {most.visits:.1f} times"
    reason = f"class {most.name} {visited}{words}"
    return Check(name=_NAME, passed=passed, reason=reason, figures=figures)


def _visited(result: ClassResult, pattern: str, target: Target) -> Visited | None:
    """As the engine counted; where nobody counted, what chance gives random I/O; None of other patterns."""
    if pattern == _SMALL_BY_NATURE:
        return None
    space = result.space_blocks or target.span_bytes // result.block_bytes
    blocks: float | None = result.distinct_blocks
    if blocks is None and pattern == "random":
        blocks = expected_distinct(space, result.ios)
    if blocks is None or not space:
        return None
    return Visited(
        name=result.name,
        blocks=blocks,
        block_bytes=result.block_bytes,
        space_blocks=space,
        ios=result.ios,
        random=pattern == "random",
    )


def _verdict(cell: Cell, most: Visited) -> tuple[bool | None, str]:
    memory = memory_bytes()
    expected = expected_distinct(most.space_blocks, most.ios)
    if most.random and most.blocks < _FEW_SHARE * expected:
        return (
            False,
            f": far fewer blocks than the {expected:,.0f} that chance gives, the same again and again",
        )
    if most.visits < _VISITS_MIN:
        return True, ""
    if not cell.direct and memory is not None and most.bytes < memory:
        return False, f": the page cache holds them all ({format_bytes(memory)} of memory)"
    if most.bytes < _CACHE_BYTES:
        return None, ": a cache below would hold them all; --check cache tries whether there is one"
    return True, ""


CHECK = Passive(
    title="enough of the target was visited",
    help="Says how many distinct blocks were visited, and how often each. Fails where the page cache is in between and holds them"
    " all, and where random I/O visited fewer blocks than chance gives; a working set below 8 GiB that is visited again and"
    " again leaves the question open.",
    judge=_judge,
    decides=True,
    settled_by="cached",
)

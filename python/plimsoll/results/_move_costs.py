"""What it costs to carry a placement out, in words: the sums beside the answer, and each move for whoever plans the night."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.units import format_bytes
from plimsoll.charts import Table
from plimsoll.facts import MoveCost, MoveTotals, MoveWait, Placement, PlanRow
from plimsoll.results._blocks import Grid, Points

_UNKNOWN = "unknown"
_WAITS = {
    "server down": "the server is down while they move",
    "locked": "nobody reads or writes one while it moves",
    "writes wait": "who writes one waits while it moves",
    "online": "reads and writes go on",
    None: "it is not known who waits",
}


def sums(found: Placement) -> Iterator[Points]:
    """Of all moves; nothing where nothing moves."""
    total = found.move_cost
    if total is None:
        return
    read = _sum(total.read_bytes, total.read_unknown, total)
    written = _sum(total.written_bytes, total.written_unknown, total)
    logged = _sum(total.log_bytes, total.log_unknown, total)
    told = f"To move them the server reads {read}, writes {written} and logs {logged} (WAL or redo)."
    yield Points((("cost", told), *(("meanwhile", _wait(one)) for one in total.waits)))


def _sum(known_bytes: int, unknown: int, total: MoveTotals) -> str:
    count = sum(one.moves for one in total.waits)
    if unknown == count:
        return "an unknown number of bytes"
    least = "at least " if unknown or total.is_least else ""
    left = f" (unknown of {unknown:,} of {count:,})" if unknown else ""
    return f"{least}{format_bytes(known_bytes)}{left}"


def _wait(one: MoveWait) -> str:
    count = "1 object" if one.moves == 1 else f"{one.moves:,} objects"
    return f"{count}, {format_bytes(one.bytes)}: {_WAITS[one.meanwhile]}."


def each(rows: Sequence[PlanRow]) -> Iterator[Grid]:
    """A line for each move."""
    moved = [(row, row.move_cost) for row in rows if row.move_cost is not None]
    if not moved:
        return
    columns = ("object", "from", "to", "read", "written", "WAL or redo", "meanwhile", "how")
    cells = tuple(_cells(row, cost) for row, cost in moved)
    numeric = (False, False, False, True, True, True, False, False)
    yield Grid("What each move costs", Table(columns, cells, numeric, ("how", "read")), folded=True)


def _cells(row: PlanRow, cost: MoveCost) -> tuple[str, ...]:
    figures = (cost.read_bytes, cost.written_bytes, cost.log_bytes)
    told = (_figure(one, cost.is_least) for one in figures)
    return (row.object, row.from_tier, row.tier, *told, cost.meanwhile or _UNKNOWN, cost.how)


def _figure(known_bytes: int | None, is_least: bool) -> str:
    if known_bytes is None:
        return _UNKNOWN
    return f"{'≥ ' if is_least else ''}{format_bytes(known_bytes)}"

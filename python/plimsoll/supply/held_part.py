"""What each class got in the part of a cell that is told: in its windows after the rate had gone to another level for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plimsoll.facts import Cell, ClassResult
from plimsoll.native.latency import latency
from plimsoll.supply.level_change import fallen, risen

if TYPE_CHECKING:
    from plimsoll.native.engine import Row

_SAME_S = 1e-6


def held_part(cell: Cell, rows: Sequence[Row]) -> dict[str, Any]:
    """The fields `held` and `held_latency_us` of that cell, from the engine's rows; none where no level changed."""
    found = fallen(cell) or risen(cell)
    if found is None:
        return {}
    end_s = cell.windows[-1].start_s + cell.windows[-1].duration_s
    by_class: dict[str, list[Row]] = {io.name: [] for io in cell.classes}
    for row in rows:
        in_window = row["window_index"] is not None and row["start_s"] >= found.held_from_s - _SAME_S
        if in_window and row["class"] in by_class:
            by_class[row["class"]].append(row)
    kept = [row for own in by_class.values() for row in own]
    if not kept:
        return {}
    held = tuple(_held(own, end_s - found.held_from_s) for own in by_class.values() if own)
    return {"held": held, "held_latency_us": latency([row["latency_hdr"] for row in kept])}


def _held(rows: Sequence[Row], seconds: float) -> ClassResult:
    first, ios = rows[0], sum(row["ios"] for row in rows)
    iops = sum(row["completed_ios"] for row in rows) / seconds
    mean_bytes = sum(row["bytes"] for row in rows) / ios if ios else first["block_bytes"]
    return ClassResult(
        name=first["class"],
        op=first["op"],
        block_bytes=first["block_bytes"],
        ios=ios,
        errors=sum(row["errors"] for row in rows),
        iops=iops,
        mb_per_s=iops * mean_bytes / 1e6,
        latency_us=latency([row["latency_hdr"] for row in rows]),
    )

"""Levels of fill: how they are written, and what the rates at them say."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_rate, format_share
from plimsoll.facts import Cell, FillLevel

UNIT_BYTES = 1 << 20


def parse_levels(text: str) -> tuple[float, ...]:
    """`50,80,95`: shares in percent, rising. Raises UsageError `fill-unreadable`."""
    try:
        levels = tuple(float(part) / 100 for part in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0 < level <= 1 for level in levels) or list(levels) != sorted(set(levels)):
        raise UsageError(
            "fill-unreadable",
            f"cannot read '{text}' as levels of fill",
            "Write shares in percent that rise, such as --fill 50,80,95.",
        )
    return levels


def part_of(span_bytes: int, level: float) -> int:
    """Bytes of that level, in whole MiB; one at least."""
    return max(1, round(span_bytes * level) // UNIT_BYTES) * UNIT_BYTES


def is_steady(cell: Cell) -> bool | None:
    """The verdict of the rounds; None where there is none."""
    return next((check.passed for check in cell.checks if check.name == "steady"), None)


def in_words(levels: Sequence[FillLevel]) -> str:
    """From the lowest level to the highest."""
    if len(levels) < 2:
        return "Fewer than two levels were measured: there is nothing to compare."
    low, high = levels[0], levels[-1]
    ratio = high.cell.iops / low.cell.iops if low.cell.iops else 0.0
    doubts = [level for level in levels if is_steady(level.cell) is not True]
    doubt = (
        "" if not doubts else f" Not steady at {', '.join(format_share(one.level_share) for one in doubts)}."
    )
    return (
        f"From {format_share(low.level_share)} to {format_share(high.level_share)} full the rate goes from"
        f" {format_rate(low.cell.iops)} to {format_rate(high.cell.iops)} I/Os per second, {ratio:.2f} times that.{doubt}"
    )

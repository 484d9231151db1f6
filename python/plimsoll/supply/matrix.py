"""The matrix of loads: which numbers of small and large I/Os outstanding are measured side by side.

Columns are small loads, rows are large ones; (0, 0) is counted as a point and never measured. The levels follow from the number
of disks as ORION's do. The rule is derived from published runs: `simple` on 1 disk (8 points), on 6 (43) and on 8 (38 points, the
highest small load 40), `normal` on 1 (18), `oltp` on 1 (21 points, small 1 to 20) and on 4 (small loads 4 to 68 seen, multiples of
4). One piece of evidence is not reconciled: an `oltp` run on 3 disks that announced 24 minutes, which would be 23 points where the
rule gives 21. The levels of `dss`, 1 to 15 times the disks, are reported, not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from plimsoll.base.errors import UsageError

Levels = tuple[int, ...]

SHAPES: Final = {"simple": "basic", "normal": "detailed", "dss": "col", "oltp": "row", "custom": "basic"}
"""Shape → the matrix that it has where none is asked for."""

LOADS_USED: Final[dict[str, tuple[str, ...]]] = {
    "basic": (), "detailed": (), "point": ("small", "large"), "row": ("large",), "col": ("small",), "max": ("small", "large"),
    "adaptive": ("small", "large"),
}  # fmt: skip
"""Matrix → the loads that somebody may give for it: fixed ones, and the highest of `max` and `adaptive`."""
MATRICES: Final = tuple(LOADS_USED)

_LEVELS_ABOUT = 20
"""A range of loads is walked in about so many steps."""
_SMALL_PER_DISK = 5
_SMALL_PER_DISK_OLTP = 20
_LARGE_PER_DISK = 2
_LARGE_PER_DISK_DSS = 15


def levels(shape: str, disks: int) -> tuple[Levels, Levels]:
    """The small and the large loads above zero that a shape walks through on so many disks."""
    if shape == "oltp":
        return steps_to(_SMALL_PER_DISK_OLTP * disks), ()
    if shape == "dss":
        return (), tuple(range(disks, _LARGE_PER_DISK_DSS * disks + 1, disks))
    return _from_one(_SMALL_PER_DISK * disks), _from_one(_LARGE_PER_DISK * disks)


def steps_to(depth_max: int) -> Levels:
    """Multiples of one step up to `depth_max`, about twenty of them; each one where there are fewer than forty."""
    step = max(1, depth_max // _LEVELS_ABOUT)
    return tuple(range(step, depth_max + 1, step))


def _from_one(depth_max: int) -> Levels:
    """The same, and a load of 1 in any case."""
    return tuple(sorted({1, *steps_to(depth_max)}))


def points(
    matrix: str,
    small_levels: Sequence[int],
    large_levels: Sequence[int],
    num_small: int | None = None,
    num_large: int | None = None,
) -> list[tuple[int, int]]:
    """The points (small load, large load) of a fixed matrix, row by row.

    `num_small` and `num_large` are the fixed loads of `point`, `col` and `row`, and the largest ones of `max`.
    Raises UsageError `matrix-unknown`, `depth-missing`.
    """
    small, large = (0, *small_levels), (0, *large_levels)
    match matrix:
        case "basic":
            return [*((depth, 0) for depth in small), *((0, depth) for depth in large[1:])]
        case "detailed":
            return _rows(small, large)
        case "point":
            return [(_given(num_small, matrix, "small"), _given(num_large, matrix, "large"))]
        case "row":
            return [(depth, _given(num_large, matrix, "large")) for depth in small]
        case "col":
            return [(_given(num_small, matrix, "small"), depth) for depth in large]
        case "max":
            small_max, large_max = _given(num_small, matrix, "small"), _given(num_large, matrix, "large")
            return _rows(_up_to(small_max), _up_to(large_max))
    raise UsageError("matrix-unknown", f"no matrix is called '{matrix}'", f"Known: {', '.join(MATRICES)}.")


def _rows(small: Sequence[int], large: Sequence[int]) -> list[tuple[int, int]]:
    return [(few, many) for many in large for few in small]


def _up_to(depth_max: int) -> Levels:
    """From nothing to the largest load, which is one of them."""
    return tuple(sorted({0, depth_max, *(_from_one(depth_max) if depth_max else ())}))


def _given(depth: int | None, matrix: str, size: str) -> int:
    if depth is None:
        raise UsageError(
            "depth-missing",
            f"matrix {matrix} needs the number of {size} I/Os outstanding",
            f"Give it with --{size}-depth; 0 means none.",
        )
    return depth

"""Latency histograms in powers of two, in the two forms that ORION has printed.

With the files of 11.1 go cumulative shares from 32 µs on, as 11.2, 12.2 and 19c print them (11.1 itself had no histograms);
with those of 12.1 plain counts from 0 to 1 µs on. The last row ends at 2^28 µs and holds whatever took longer. Latencies are
whole microseconds there, so that the row `0 - 1` holds all below 2 µs.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.dialects.orion.grid import Layout
from plimsoll.facts import Cell, LatencyUs, Point
from plimsoll.native.latency import share_above

_SENTENCES = (
    "Contains histograms of the latencies observed for each data point test. Each data point test used a fixed number of"
    " outstanding small and large I/Os.\n"
    "For each data point, histograms are printed for the latencies of small reads, small writes, large reads, and large"
    " writes.\n"
    "The value specifies the number of I/Os that were observed within the bucket's latency range.\n\n"
)
_FIRST_US = {"11.1": 32, "12.1": 2}
_LAST_US = 1 << 28


def hist_txt(points: Sequence[Point], layout: Layout) -> str:
    """The histograms of every point that has I/Os of the size."""
    blocks = []
    for point in points:
        blocks += [histogram(point, size, layout) for size in ("small", "large") if has(point, size)]
    return ("" if layout == "11.1" else _SENTENCES) + "\n".join(blocks)


def has(point: Point, size: str) -> bool:
    """Whether the point's I/Os of the size are known one by one."""
    return any(_spread(point.cell, f"{size}_{op}") for op in ("read", "write"))


def histogram(point: Point, size: str, layout: Layout) -> str:
    """One histogram, reads beside writes, with its heading."""
    heading = f"{size.capitalize()} Read / Write Latency Histogram @ Small={point.small_depth} and Large={point.large_depth}\n"
    spreads = [_spread(point.cell, f"{size}_{op}") for op in ("read", "write")]
    edges = _edges(spreads, layout)
    reads, writes = (_counts(spread, edges) for spread in spreads)
    if layout == "11.1":
        return heading + cumulative_rows(edges, reads, writes)
    return heading + plain_rows(edges, reads, writes)


def _spread(cell: Cell | None, name: str) -> LatencyUs | None:
    classes = cell.classes if cell is not None else ()
    return next(
        (io.latency_us for io in classes if io.name == name and io.latency_us.count and io.latency_us.hdr),
        None,
    )


def _edges(spreads: Sequence[LatencyUs | None], layout: Layout) -> list[int]:
    """Upper ends of the rows. The cumulative form goes no further than the slowest I/O, and then at once to the end."""
    last = _LAST_US // 2
    if layout == "11.1":
        last = min(last, int(max((spread.max or 0.0 for spread in spreads if spread), default=0.0)))
    edges = [_FIRST_US[layout]]
    while edges[-1] <= last:
        edges.append(edges[-1] * 2)
    return [*edges, _LAST_US] if layout == "11.1" and edges[-1] < _LAST_US else edges


def _counts(spread: LatencyUs | None, edges: Sequence[int]) -> list[int]:
    """I/Os in each row."""
    if spread is None or spread.hdr is None:
        return [0] * len(edges)
    hdr = spread.hdr
    below = [spread.count - round(share_above(hdr, edge) * spread.count) for edge in edges[:-1]]
    below.append(spread.count)
    return [upper - lower for lower, upper in zip([0, *below], below, strict=False)]


def cumulative_rows(edges: Sequence[int], reads: Sequence[int], writes: Sequence[int]) -> str:
    """Counts and the share up to the end of each row, which `edges` are, in microseconds."""
    lines = [f"        Latency:{'':25}# of IOs (read){'':10}# of IOs (write)"]
    read_sum = write_sum = 0
    for lower, upper, read, write in zip([0, *edges], edges, reads, writes, strict=False):
        read_sum, write_sum = read_sum + read, write_sum + write
        shares = _percent(read_sum, sum(reads)), _percent(write_sum, sum(writes))
        lines.append(
            f"{lower:9d} - {upper:<9d}  us:{read:16d} ({shares[0]:6.2f}%){write:15d} ({shares[1]:6.2f}%)"
        )
    return "".join(f"{line}\n" for line in lines)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def plain_rows(edges: Sequence[int], reads: Sequence[int], writes: Sequence[int]) -> str:
    """Counts alone."""
    lines = [f"        Latency:{'':16}# of IOs (read){'':10}# of IOs (write)"]
    for lower, upper, read, write in zip([0, *edges], edges, reads, writes, strict=False):
        shown = upper if lower else upper - 1
        lines.append(f"{lower:9d} - {shown:<12d}us:{'':13}{read:<24d}{write}")
    return "".join(f"{line}\n" for line in lines)

"""Points of a matrix of small and large reads, of a storage that is known."""

from __future__ import annotations

from facts_builder import cell, latency_at
from plimsoll.facts import Check, ClassResult, LatencyUs, Point


def point(small: int, large: int) -> Point:
    """Sixteen servers of 200 µs for small I/Os and half of that many for large ones, which slow each other down."""
    busy = small + 2 * large
    pace = min(1.0, 16 / busy) if busy else 1.0
    iops, mb_per_s = small * 5_000 * pace, min(1_820.0, 410.0 * large * pace)
    latency = latency_at(0.0).model_copy(update={"mean": 200.0 / pace})
    classes = []
    if small:
        classes.append(_plain_result("small_read", 8192, iops, iops * 8192 / 1e6, latency))
    if large:
        classes.append(_plain_result("large_read", 1 << 20, mb_per_s * 1e6 / (1 << 20), mb_per_s, latency))
    checks = (
        Check(name="tool_bound", passed=True, reason="the measuring threads were busy for 31 % of the time"),
        Check(
            name="cached",
            passed=small < 64,
            reason="reads of a sixty-fourth of the span were 1.1 times as fast",
        ),
    )
    update = {"classes": tuple(classes), "checks": checks, "iops": sum(io.iops for io in classes)}
    return Point.measured(small, large, cell(None).model_copy(update=update))


def _plain_result(
    name: str, block_bytes: int, iops: float, mb_per_s: float, latency: LatencyUs
) -> ClassResult:
    return ClassResult(
        name=name, op="read", block_bytes=block_bytes, ios=int(2 * iops), errors=0, iops=iops, mb_per_s=mb_per_s,
        latency_us=latency,
    )  # fmt: skip

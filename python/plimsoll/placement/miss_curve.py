"""Reads that a cache of some size leaves, from a curve of misses over sizes."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.facts import HitCurve, HitPoint


@dataclass(frozen=True)
class Range:
    """A figure between two ends."""

    low: float
    high: float


def misses(curve: HitCurve, cache_bytes: float) -> Range | None:
    """Reads that a cache of that size leaves, in the curve's own measure; None where nothing is known of so small a one."""
    before = curve.points[0]
    if cache_bytes < before.cache_bytes:
        return None
    for point in curve.points:
        if point.cache_bytes >= cache_bytes:
            left = _between(before, point, cache_bytes)
            return Range(left, left)
        before = point
    return Range(0.0, before.miss_share)


def _between(low: HitPoint, high: HitPoint, cache_bytes: float) -> float:
    span = high.cache_bytes - low.cache_bytes
    share = (cache_bytes - low.cache_bytes) / span if span else 1.0
    return low.miss_share + share * (high.miss_share - low.miss_share)

"""A tier by its numbers: latency at a load, the load that it takes, and how long its flash lasts.

Between two points of a curve latency is on the straight line; beyond the last it is not known, so that no plan loads a tier beyond
the end of its curves.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from plimsoll.facts import Tier, TierLatency

YEAR_S = 365.25 * 86_400.0


def latency_us(points: Sequence[TierLatency], load_per_s: float) -> float:
    """The latency at a load; that of the last point beyond it."""
    before = points[0]
    for point in points:
        if point.load_per_s >= load_per_s:
            return _between(before, point, load_per_s)
        before = point
    return before.latency_us


def _between(low: TierLatency, high: TierLatency, load_per_s: float) -> float:
    span = high.load_per_s - low.load_per_s
    if span <= 0:
        return high.latency_us
    return low.latency_us + (high.latency_us - low.latency_us) * (load_per_s - low.load_per_s) / span


def least_us(points: Sequence[TierLatency], load_per_s: float) -> float:
    """The least latency at that load or any higher one: curves that were measured do not only rise."""
    beyond = (point.latency_us for point in points if point.load_per_s > load_per_s)
    return min(latency_us(points, load_per_s), min(beyond, default=points[-1].latency_us))


def slope_us(points: Sequence[TierLatency], load_per_s: float) -> float:
    """By how much the latency rises with each further I/O per second."""
    for low, high in itertools.pairwise(points):
        if low.load_per_s <= load_per_s < high.load_per_s:
            return max(0.0, high.latency_us - low.latency_us) / (high.load_per_s - low.load_per_s)
    return 0.0


def curves(tier: Tier) -> tuple[Sequence[TierLatency], ...]:
    """Its latencies by class: small reads, large reads, small writes."""
    return tier.small_read_us, tier.large_read_us, tier.small_write_us


def depends_on_load(tier: Tier) -> bool:
    """Whether any of its latencies is a curve."""
    return any(len(points) > 1 for points in curves(tier))


def load_max_per_s(tier: Tier) -> float | None:
    """The I/Os per second beyond which nothing is known of it, or that it does not serve; None: no limit is known.

    Of a tier that runs measured the longest curve counts: each class was measured by itself, and large reads end at fewer I/Os.
    """
    ends = [points[-1].load_per_s for points in curves(tier) if len(points) > 1]
    end = (max if tier.runs else min)(ends, default=None)
    known = [one for one in (end, tier.iops_max) if one is not None]
    return min(known, default=None)


def endurance_years(tier: Tier, write_bytes: float | None, interval_s: float | None) -> float | None:
    """Years until its rated writes are used up; None: not known, or nothing is written."""
    if tier.rated_write_bytes is None or not write_bytes or not interval_s:
        return None
    return tier.rated_write_bytes / (write_bytes * tier.redundancy * YEAR_S / interval_s)


def price_per_month(tier: Tier, size_bytes: float) -> float | None:
    """Price of so many bytes on it; None where its price is not known."""
    return None if tier.price_per_tb_month is None else tier.price_per_tb_month * size_bytes / 1e12

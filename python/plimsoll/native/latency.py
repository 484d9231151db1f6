"""From HdrHistogram bytes to the figures that people quote, and to the buckets that charts draw.

The bytes may come from a store or a file that others wrote; those that are no histogram raise the engine's `histogram-invalid`.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll import _core
from plimsoll.facts import Bucket, LatencyUs
from plimsoll.native.errors import engine_errors

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}


@engine_errors()
def latency(parts: Sequence[bytes]) -> LatencyUs:
    """The distribution of all parts together (HdrHistogram V2, nanoseconds). A quantile that fewer than one I/O exceeds is None."""
    merged = parts[0] if len(parts) == 1 else _core.hdr_merge(list(parts))
    summary = _core.hdr_summary(merged)
    count = int(summary["count"])
    if count == 0:
        return LatencyUs(count=0, hdr=merged)
    shown = {name: quantile for name, quantile in _QUANTILES.items() if count * (1 - quantile) >= 1 - 1e-9}
    values = _core.hdr_quantiles(merged, list(shown.values()))
    return LatencyUs(
        count=count,
        mean=summary["mean_us"],
        min=summary["min_us"],
        max=summary["max_us"],
        stddev=summary["stddev_us"],
        hdr=merged,
        **dict(zip(shown, values, strict=True)),
    )


def latency_of_counts(counts: Sequence[tuple[float, int]]) -> LatencyUs:
    """The distribution of latencies that were counted elsewhere: microseconds, each with how often it was seen."""
    return latency([_core.hdr_of_counts(list(counts))])


@engine_errors()
def quantile_us(of: LatencyUs, quantile: float) -> float | None:
    """Any quantile in microseconds; None when fewer than one I/O exceeds it."""
    if of.hdr is None or of.count * (1 - quantile) < 1 - 1e-9:
        return None
    return _core.hdr_quantiles(of.hdr, [quantile])[0]


@engine_errors()
def quantiles_us(hdr: bytes, quantiles: Sequence[float]) -> list[float]:
    """Quantiles of a distribution (HdrHistogram V2) that is not empty, in microseconds, whatever they stand on."""
    return _core.hdr_quantiles(hdr, list(quantiles))


@engine_errors()
def share_above(hdr: bytes, limit_us: float) -> float:
    """The share of a distribution (HdrHistogram V2) that took longer than the limit, 0 to 1."""
    return _core.hdr_share_above(hdr, limit_us)


def ios_above(of: LatencyUs, limit_us: float) -> float:
    """How many I/Os took longer than the limit."""
    return share_above(of.hdr, limit_us) * of.count if of.hdr is not None else 0.0


@engine_errors()
def buckets(hdr: bytes, per_decade: int = 20) -> list[Bucket]:
    """A distribution (HdrHistogram V2) in logarithmic steps."""
    steps = _core.hdr_buckets(hdr, per_decade)
    return [Bucket(lower_us=lower, upper_us=upper, ios=ios) for lower, upper, ios in steps]

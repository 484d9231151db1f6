"""How long I/Os took: a whole distribution, and the figures that people quote from it."""

from __future__ import annotations

from pydantic import Field

from plimsoll.facts._fact import Blob, Fact


class Bucket(Fact):
    """I/Os whose latency lay in `[lower_us, upper_us)`."""

    lower_us: float
    upper_us: float
    ios: int


class LatencyUs(Fact):
    """Latency in microseconds. A quantile is None when fewer than one I/O lies beyond it, all are None when there was no I/O."""

    count: int
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    stddev: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    p999: float | None = None
    p9999: float | None = None
    hdr: Blob | None = Field(default=None, repr=False)
    """The distribution itself as HdrHistogram V2 bytes (nanoseconds, 3 digits): percentiles merge across cells, hosts and days."""

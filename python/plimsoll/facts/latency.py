"""How long I/Os took: a whole distribution, and the figures that people quote from it."""

from __future__ import annotations

from pydantic import Field

from plimsoll.facts._fact import Blob, Fact


class Bucket(Fact):
    """I/Os whose latency lay in `[lower_us, upper_us)`."""

    lower_us: float
    """Shortest latency in it, in microseconds."""
    upper_us: float
    """Latency from which on the next begins."""
    ios: int


class LatencyUs(Fact):
    """Latency in microseconds. A quantile is None when fewer than one I/O lies beyond it, all are None when there was no I/O."""

    count: int
    """I/Os in the distribution."""
    mean: float | None = None
    """Arithmetic mean."""
    min: float | None = None
    """The shortest."""
    max: float | None = None
    """The longest."""
    stddev: float | None = None
    """Standard deviation."""
    p50: float | None = None
    """Half of them took no longer."""
    p90: float | None = None
    """90 of 100 took no longer."""
    p99: float | None = None
    """99 of 100 took no longer."""
    p999: float | None = None
    """999 of 1,000 took no longer."""
    p9999: float | None = None
    """9,999 of 10,000 took no longer."""
    hdr: Blob | None = Field(default=None, repr=False)
    """The distribution itself as HdrHistogram V2 bytes (nanoseconds, 3 digits): percentiles merge across cells, hosts and days."""

"""What faster storage would take off waits: waits × (time now − time then), never a share of hope.

A wait of several I/Os at once (direct path, parallel reads) is not one I/O, so its time is bounded by what its requests would still
take one after the other. A commit waits for the write of its own redo, and where another write is at work for that one before:
between one and two log writes. What is saved cannot be more than what was waited in the foreground; and sessions that wait less
work more, so that it is worth no more than the CPUs have left.
"""

from __future__ import annotations

from dataclasses import dataclass

LOG_WRITES_PER_COMMIT = (1.0, 2.0)


@dataclass(frozen=True)
class Tier:
    """A class of storage by the latencies that it is known for, in microseconds."""

    name: str
    read_us: float
    log_us: float
    source: str


TIERS = {
    tier.name: tier
    for tier in (
        Tier("nvme", 100.0, 30.0, "data sheets of enterprise NVMe drives"),
        Tier("flash", 250.0, 85.0, "M. Ault, Tier Zero articles of 2012: flash reads in 250 µs and writes in 85 µs"),
        Tier("disk", 5000.0, 5000.0, "M. Ault, Tier Zero articles of 2012: 5 ms for a disk of 15,000 rpm"),
    )
}  # fmt: skip
ABOVE_TIER_FACTOR = 4.0
"""A read is slow for its tier from so many times its latency on: 20 ms on disks, which OSPRep calls slow, and 0.4 ms on NVMe."""


@dataclass(frozen=True)
class Then:
    """Latencies of the storage that is thought of, and where they are from. None: that part stays as it is."""

    name: str
    read_us: float | None
    log_us: float | None
    source: str


def one_by_one(waits: float, total_s: float, then_us: float) -> float:
    """Seconds saved where each wait is one I/O."""
    return max(0.0, total_s - waits * then_us / 1e6)


def many_at_once(total_s: float, requests: float | None, then_us: float) -> float | None:
    """Seconds saved at least where one wait is for several requests, which are in truth at work side by side; None: not known."""
    return None if requests is None else max(0.0, total_s - requests * then_us / 1e6)


def of_commits(
    commits: float, total_s: float, write_now_us: float, write_then_us: float
) -> tuple[float, float]:
    """Seconds saved where each commit waits for one log write, and where it waits for two. Never more than was waited."""
    gained_s = commits * max(0.0, write_now_us - write_then_us) / 1e6
    low, high = (min(total_s, factor * gained_s) for factor in LOG_WRITES_PER_COMMIT)
    return low, high


def in_proportion(total_s: float, now_us: float, then_us: float) -> float:
    """Seconds saved where sessions wait for I/Os of which only the time of one is known: a queue shortens with it."""
    return total_s * max(0.0, 1.0 - then_us / now_us) if now_us else 0.0


def capped(
    saved_s: float, waited_s: float, db_time_s: float, busy_share: float | None
) -> tuple[float, str | None]:
    """What of the seconds is worth something, and what kept it from being more."""
    if saved_s > waited_s:
        saved_s, why = waited_s, "sessions waited no longer for it"
    else:
        why = None
    if busy_share is not None and saved_s > (left_s := db_time_s * max(0.0, 1.0 - busy_share)):
        return (
            left_s,
            f"the host's CPUs were {100 * busy_share:.0f} % busy: sessions that wait less need more of them",
        )
    return saved_s, why

"""Whether the machine's CPUs were what a database waited for."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.facts import CpuUse, HostSecond

BOUND_SHARE_MIN = 0.9
"""CPUs busier than this are what a database waits for, whatever the storage does."""

OTHERS_SHARE_MAX = 0.1
"""Of all CPUs; what the kernel and small programs use beside a database that is alone."""


def busy_share(seconds: Sequence[HostSecond]) -> float | None:
    """The mean share of all CPUs that was neither idle nor waiting for I/O, 0 to 1; None where nothing was sampled."""
    length_s = sum(second.duration_s for second in seconds)
    if not length_s:
        return None
    idle = sum((second.idle_share + second.iowait_share) * second.duration_s for second in seconds)
    return max(0.0, 1.0 - idle / length_s)


def is_bound(share: float | None) -> bool:
    """Whether CPUs that were busy for so much of the time were the limit; an unknown share says nothing."""
    return share is not None and share > BOUND_SHARE_MIN


def is_bound_by_itself(share: float | None, use: CpuUse | None) -> bool:
    """The same, and the database and its sessions were who used them: what other programs take is no limit of a database."""
    return is_bound(share) and use is not None and use.others_share <= OTHERS_SHARE_MAX

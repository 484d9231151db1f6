"""Where blocks came from: the server's own cache, the operating system's, or the device. Until then a read is no I/O."""

from __future__ import annotations

from plimsoll.databases import ServerCounts
from plimsoll.facts import BlockOrigin, Database

_TOLERATED_SHARE = 0.02
_OUT_OF_SIGHT = (
    "whether reads came from the device or the operating system's cache is unknown: "
    "the server's processes cannot be looked at from here, or one of them is gone"
)


def origin(
    counts: ServerCounts, seconds: float, database: Database, fetched_bytes: float | None
) -> BlockOrigin:
    """Rates of the window. `fetched_bytes` is what the sessions' processes had the kernel fetch from storage (proc_pid_io(5)).

    With direct I/O each block that the server read came from the device; else what it read and the kernel did not fetch came out
    of the system's cache. Read-ahead fetches more than was asked for: then all reads count as the device's, which is said.
    """
    hits = None if counts.block_hits is None else counts.block_hits / seconds
    reads = None if counts.block_reads is None else counts.block_reads / seconds
    if reads is None:
        return BlockOrigin(
            buffer_hits_per_s=hits,
            system_cache_per_s=None,
            device_per_s=None,
            reason=counts.unknown_because or "the server does not count reads",
        )
    if database.direct_io:
        reason = "the database reads past the operating system's cache (direct I/O)"
        return BlockOrigin(buffer_hits_per_s=hits, system_cache_per_s=0.0, device_per_s=reads, reason=reason)
    if fetched_bytes is None or not database.block_bytes:
        return BlockOrigin(
            buffer_hits_per_s=hits, system_cache_per_s=None, device_per_s=None, reason=_OUT_OF_SIGHT
        )
    fetched = fetched_bytes / database.block_bytes / seconds
    reason = "what the kernel fetched from storage for the sessions' processes (/proc/PID/io)"
    if fetched > reads * (1 + _TOLERATED_SHARE):
        reason += ", which is more than they asked for: the kernel read ahead"
    device = min(fetched, reads)
    return BlockOrigin(
        buffer_hits_per_s=hits, system_cache_per_s=reads - device, device_per_s=device, reason=reason
    )

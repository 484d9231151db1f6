"""What the instances of an Oracle database counted between two snapshots, in the words that all databases share.

Writes of the log are LGWR's. Each is on stable storage when it returns, so that there is no forcing to count beside it.
Sources: Oracle Database Reference, "Statistics descriptions" and "Descriptions of wait events".
"""

from __future__ import annotations

from plimsoll.databases._kind import ServerCounts
from plimsoll.facts import Snapshot

_READS = ("db file sequential read", "db file scattered read", "db file parallel read", "direct path read")
_US_PER_S = 1e6
_OPEN = "sysstat.instances open"


def counted(before: Snapshot, after: Snapshot) -> ServerCounts:
    """The differences, summed over all instances; nothing where one of them came or went in between."""
    open_then, open_now = (one.totals.get(_OPEN) for one in (before, after))
    if open_then != open_now:
        why = f"{open_then or 0:.0f} instances were open at the first reading and {open_now or 0:.0f} at the last"
        return ServerCounts(calls_commit=False, counts_at_return=False, unknown_because=why)

    def grown(name: str) -> float | None:
        first, last = before.totals.get(name), after.totals.get(name)
        return None if first is None or last is None else last - first

    reads, asked = grown("sysstat.physical reads"), grown("sysstat.session logical reads")
    return ServerCounts(
        commits=grown("sysstat.user commits"),
        block_reads=reads,
        block_hits=None if reads is None or asked is None else max(0.0, asked - reads),
        block_read_s=_waited_s(before, after, _READS),
        log_bytes=grown("sysstat.redo size"),
        log_writes=grown("sysstat.redo writes"),
        log_write_s=_waited_s(before, after, ("log file parallel write",)),
        calls_commit=False,
        counts_at_return=False,
    )


def _waited_s(before: Snapshot, after: Snapshot, events: tuple[str, ...]) -> float | None:
    """An event that was never waited for has no row; it is unknown only where no event can be seen."""
    if not any(name.startswith("system_event.") for name in after.totals):
        return None
    names = [f"system_event.{event}.time_us" for event in events]
    return (
        sum((after.totals.get(name) or 0.0) - (before.totals.get(name) or 0.0) for name in names) / _US_PER_S
    )

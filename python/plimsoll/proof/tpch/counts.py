"""What one query made the server and its device do: counters before it and after it, read outside its time.

They are the whole database's and the whole device's, so they are the query's own only while nothing else runs: they are read in
power runs, never for streams at once. A session of PostgreSQL 15 and later hands its counters in when it is told to; of an older
one nothing is known before its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import Connection, Session
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, counts_beneath
from plimsoll.proof.tpch.queries import statements

_HANDS_IN = 150000
"""The first version of PostgreSQL whose sessions can be told to hand in their counters at once."""


@dataclass(frozen=True)
class Moment:
    """Counters at a moment; None for what could not be read."""

    server: tuple[Any, ...] | None
    device: tuple[str, DeviceCounts] | None


class QueryCounts:
    """Reads the counters around queries of one session. `folder` is where the server's data lie, None where that is elsewhere."""

    def __init__(self, connection: Connection, folder: Path | None) -> None:
        self._folder = folder
        self._sql = statements(connection.dialect, "counts")[0]
        self._hands_in = connection.database.version_number >= _HANDS_IN

    def hand_in(self, session: Session) -> None:
        """Has the session's counters in the server's totals before anybody reads those; without it they come at its end."""
        if self._hands_in:
            try:
                session.run("select pg_stat_force_next_flush()")
            except PlimsollError:
                return  # The session is lost, and so are its counters; the stream has said so.

    def read(self, session: Session) -> Moment:
        """The counters now."""
        self.hand_in(session)
        return Moment(
            self._of_server(session), None if self._folder is None else counts_beneath(self._folder)
        )

    def _of_server(self, session: Session) -> tuple[Any, ...] | None:
        if not self._hands_in:
            return None
        try:
            rows = session.run(self._sql)
        except PlimsollError:
            return None
        return rows[0] if rows else None


def grown(before: Moment, after: Moment) -> dict[str, Any]:
    """What was counted in between, as fields of a `QueryResult`. What is unknown is left out."""
    return {**_of_server(before.server, after.server), **_of_device(before.device, after.device)}


def _of_server(before: tuple[Any, ...] | None, after: tuple[Any, ...] | None) -> dict[str, Any]:
    if before is None or after is None:
        return {}
    reads, hits, temp_bytes = (late - early for early, late in zip(before[:3], after[:3], strict=True))
    if min(reads, hits, temp_bytes) < 0:
        return {}  # Somebody reset the counters.
    seconds = None if before[4] is None or after[4] is None else float(after[4] - before[4])
    return {
        "block_reads": reads,
        "block_hits": hits,
        "read_bytes": reads * after[3],
        "read_s": seconds,
        "temp_bytes": temp_bytes,
    }


def _of_device(
    before: tuple[str, DeviceCounts] | None, after: tuple[str, DeviceCounts] | None
) -> dict[str, Any]:
    if before is None or after is None or before[0] != after[0]:
        return {}
    reads = after[1].reads - before[1].reads
    read_bytes = (after[1].read_sectors - before[1].read_sectors) * SECTOR_BYTES
    write_bytes = (after[1].write_sectors - before[1].write_sectors) * SECTOR_BYTES
    # Counters that went back are another device's, which took the name.
    if min(reads, read_bytes, write_bytes) < 0:
        return {}
    return {
        "device": after[0],
        "device_reads": reads,
        "device_read_bytes": read_bytes,
        "device_write_bytes": write_bytes,
    }

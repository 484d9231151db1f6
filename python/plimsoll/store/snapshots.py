"""Snapshots that a collector keeps: a row each, by the name of their series and the server's clock, in a table beside the runs.

They are no runs: there is one every few minutes for years, and nobody looks at a single one.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from plimsoll.base import limits
from plimsoll.facts import KeptSnapshot, SnapshotSeries
from plimsoll.store.database import Database
from plimsoll.store.schema import SNAPSHOTS

_PACKING_LEVEL = 6
"""Of zlib: a snapshot is small, and there are many."""
AT_ONCE = 20
"""Read with one connection: a snapshot with many tables takes a megabyte."""
_COLUMNS = "series, taken_at, size_bytes, zlib"
_ONCE = "ON CONFLICT (series, taken_at) DO NOTHING"
"""Two collectors may see the server at the same microsecond, and then they have seen the same."""


def keep(database: Database, connection: Any, kept: KeptSnapshot) -> None:
    """Inserts it. The caller has the transaction."""
    content = kept.model_dump_json().encode()
    values = [
        kept.series,
        database.instant(kept.snapshot.taken_at),
        len(content),
        zlib.compress(content, _PACKING_LEVEL),
    ]
    marks = ", ".join([database.mark] * len(values))
    connection.execute(f"INSERT INTO {SNAPSHOTS} ({_COLUMNS}) VALUES ({marks}) {_ONCE}", values)


@dataclass(frozen=True)
class Span:
    """Which snapshots of a series are wanted: since, until, and after those that are known already."""

    series: str
    since: datetime | None = None
    until: datetime | None = None
    after: datetime | None = None


def packed(database: Database, connection: Any, span: Span) -> list[tuple[int, bytes]]:
    """The oldest `AT_ONCE` of them as they lie in the store, each with its size when unpacked."""
    wanted: str = f"series = {database.mark}"
    values: list[Any] = [span.series]
    for sign, when in ((">=", span.since), ("<=", span.until), (">", span.after)):
        if when is not None:
            wanted += f" AND taken_at {sign} {database.mark}"
            values.append(database.instant(when))
    rest = f"WHERE {wanted} ORDER BY taken_at LIMIT {AT_ONCE}"
    return list(connection.execute(f"SELECT size_bytes, zlib FROM {SNAPSHOTS} {rest}", values).fetchall())


def unpacked(size_bytes: int, content: bytes) -> KeptSnapshot:
    """Raises ValueError for what no plimsoll wrote."""
    return KeptSnapshot.model_validate_json(_content(content, size_bytes))


def all_series(database: Database, connection: Any) -> list[SnapshotSeries]:
    """Each series in short, by name."""
    names = list(SnapshotSeries.model_fields)
    figures = "series, count(*), min(taken_at), max(taken_at), sum(length(zlib))"
    found = connection.execute(f"SELECT {figures} FROM {SNAPSHOTS} GROUP BY series ORDER BY series")
    return [SnapshotSeries.model_validate(dict(zip(names, row, strict=True))) for row in found.fetchall()]


def forget(database: Database, connection: Any, series: str, before: datetime) -> None:
    """Removes those of a series that were taken earlier."""
    wanted = f"series = {database.mark} AND taken_at < {database.mark}"
    connection.execute(f"DELETE FROM {SNAPSHOTS} WHERE {wanted}", [series, database.instant(before)])


def is_there(database: Database, connection: Any) -> bool:
    """Not in a store that only plimsolls without snapshots have written to."""
    return SNAPSHOTS in database.table_names(connection)


def _content(packed: bytes, size_bytes: int) -> bytes:
    """Raises ValueError for what we did not pack; it never takes more memory than it said, and than a snapshot may."""
    if size_bytes > limits.SNAPSHOT_BYTES_MAX:
        raise ValueError("a snapshot is larger than any that is kept")
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(bytes(packed), size_bytes + 1)
    except zlib.error as error:
        raise ValueError(f"a snapshot is no zlib stream: {error}") from error
    if len(content) != size_bytes:
        raise ValueError("a snapshot has another size than was noted")
    return content

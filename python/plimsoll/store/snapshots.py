"""Snapshots that a collector keeps: a row each, by the name of their series and the server's clock, in a table beside the runs.

They are no runs: there is one every few minutes for years, and nobody looks at a single one. Rows that were kept with them lie in a
table of their own, by kind, so that who wants the one reads none of the other.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from plimsoll.base import limits
from plimsoll.base.values import value
from plimsoll.context import ThinnedDay
from plimsoll.store.database import Database
from plimsoll.store.schema import SNAPSHOT_ROWS, SNAPSHOTS

if TYPE_CHECKING:
    from plimsoll.facts import Fact, KeptRows, KeptRowsKind, KeptSnapshot, SnapshotSeries

_PACKING_LEVEL = 6
"""Of zlib: a snapshot is small, and there are many."""
_AT_ONCE = 100
"""Read with one connection, which takes as long to open as ten are read: packed, a snapshot takes some 5 kB."""
_ROWS_AT_ONCE = 20
"""Those of many tables take a megabyte."""
_INTERVALS: KeptRowsKind = "intervals"
_DAYS_AT_ONCE = 200
"""A day's intervals take some 20 kB, and a trend reads those of years."""
_ONCE = "ON CONFLICT DO NOTHING"
"""Two collectors may see the server at the same microsecond, and then they have seen the same."""


def keep(database: Database, connection: Any, kept: KeptSnapshot, rows: Sequence[KeptRows]) -> None:
    """Inserts it with its rows. The caller has the transaction."""
    taken_at = database.instant(kept.snapshot.taken_at)
    _insert(database, connection, SNAPSHOTS, {"series": kept.series, "taken_at": taken_at}, kept)
    for part in rows:
        _insert_rows(database, connection, kept.series, part)


def _insert_rows(database: Database, connection: Any, series: str, part: KeptRows) -> None:
    known_by = {"series": series, "kind": part.kind, "taken_at": database.instant(part.taken_at)}
    _insert(database, connection, SNAPSHOT_ROWS, known_by, part)


def _insert(database: Database, connection: Any, table: str, known_by: dict[str, Any], fact: Fact) -> None:
    content = fact.model_dump_json().encode()
    values = {**known_by, "size_bytes": len(content), "zlib": zlib.compress(content, _PACKING_LEVEL)}
    marks = ", ".join([database.mark] * len(values))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks}) {_ONCE}", list(values.values())
    )


@value
class Span:
    """Which snapshots of a series are wanted: since, until, and after those that are known already.

    With a `kind` the rows of that kind are wanted instead.
    """

    series: str
    since: datetime | None = None
    until: datetime | None = None
    after: datetime | None = None
    kind: KeptRowsKind | None = None

    @property
    def at_once(self) -> int:
        """How many are read with one connection."""
        if self.kind is None:
            return _AT_ONCE
        return _DAYS_AT_ONCE if self.kind == _INTERVALS else _ROWS_AT_ONCE


def packed(database: Database, connection: Any, span: Span) -> list[tuple[int, bytes]]:
    """The oldest `at_once` of them as they lie in the store, each with its size when unpacked."""
    wanted: str = f"series = {database.mark}"
    values: list[Any] = [span.series]
    if span.kind is not None:
        wanted += f" AND kind = {database.mark}"
        values.append(span.kind)
    for sign, when in ((">=", span.since), ("<=", span.until), (">", span.after)):
        if when is not None:
            wanted += f" AND taken_at {sign} {database.mark}"
            values.append(database.instant(when))
    rest = f"WHERE {wanted} ORDER BY taken_at LIMIT {span.at_once}"
    table = SNAPSHOTS if span.kind is None else SNAPSHOT_ROWS
    return list(connection.execute(f"SELECT size_bytes, zlib FROM {table} {rest}", values).fetchall())


def unpacked(size_bytes: int, content: bytes) -> KeptSnapshot:
    """Raises ValueError for what no plimsoll wrote."""
    from plimsoll.facts import KeptSnapshot  # here and below: to store a run takes none of these

    return KeptSnapshot.model_validate_json(_content(content, size_bytes))


def rows_unpacked(size_bytes: int, content: bytes) -> KeptRows:
    """Raises ValueError for what no plimsoll wrote."""
    from plimsoll.facts import KeptRows

    return KeptRows.model_validate_json(_content(content, size_bytes))


def newest(database: Database, connection: Any, series: str) -> tuple[int, bytes] | None:
    """The last one of a series as it lies in the store."""
    rest = f"WHERE series = {database.mark} ORDER BY taken_at DESC LIMIT 1"
    return connection.execute(f"SELECT size_bytes, zlib FROM {SNAPSHOTS} {rest}", [series]).fetchone()


def names(connection: Any) -> list[str]:
    """Of all series, sorted."""
    found = connection.execute(f"SELECT DISTINCT series FROM {SNAPSHOTS} ORDER BY series")
    return [row[0] for row in found.fetchall()]


def all_series(database: Database, connection: Any) -> list[SnapshotSeries]:
    """Each series in short, by name."""
    from plimsoll.facts import SnapshotSeries

    names = list(SnapshotSeries.model_fields)
    figures = "series, count(*), min(taken_at), max(taken_at), sum(length(zlib))"
    found = connection.execute(f"SELECT {figures} FROM {SNAPSHOTS} GROUP BY series ORDER BY series")
    series = [SnapshotSeries.model_validate(dict(zip(names, row, strict=True))) for row in found.fetchall()]
    more = _rows_bytes(database, connection)
    return [one.but(size_bytes=one.size_bytes + more.get(one.series, 0)) for one in series]


def _rows_bytes(database: Database, connection: Any) -> dict[str, int]:
    if not is_there(database, connection, SNAPSHOT_ROWS):
        return {}
    found = connection.execute(f"SELECT series, sum(length(zlib)) FROM {SNAPSHOT_ROWS} GROUP BY series")
    return {series: int(size_bytes) for series, size_bytes in found.fetchall()}


def forget(database: Database, connection: Any, series: str, before: datetime) -> None:
    """Removes those of a series that were taken earlier; of rows those that no kept snapshot needs any more.

    What storage was asked for in each interval stays for years: it is small, and a trend needs no more.
    """
    wanted = f"series = {database.mark} AND taken_at < {database.mark}"
    connection.execute(f"DELETE FROM {SNAPSHOTS} WHERE {wanted}", [series, database.instant(before)])
    if is_there(database, connection, SNAPSHOT_ROWS):
        needed_from = before - timedelta(seconds=limits.ROWS_REACH_S)
        of_kind = f"{wanted} AND kind {{}} {database.mark}"
        for sign, reach_s in (("<>", 0.0), ("=", limits.INTERVALS_KEPT_S)):
            values = [series, database.instant(needed_from - timedelta(seconds=reach_s)), _INTERVALS]
            connection.execute(f"DELETE FROM {SNAPSHOT_ROWS} WHERE {of_kind.format(sign)}", values)


class OtherSnapshotsError(Exception):
    """More is kept of a series than was looked at, or less."""

    def __init__(self, series: str) -> None:
        super().__init__(series)
        self.series = series


def forget_whole(database: Database, connection: Any, seen: SnapshotSeries) -> None:
    """Removes all of a series, with its rows and intervals, as it was seen. The caller has the transaction.

    Only what was seen goes, and it is counted as it goes: what somebody keeps meanwhile is taken later than that. Raises
    OtherSnapshotsError.
    """
    wanted = f"WHERE series = {database.mark} AND taken_at <= {database.mark}"
    values = [seen.series, database.instant(seen.last_at)]
    gone = connection.execute(f"DELETE FROM {SNAPSHOTS} {wanted}", values).rowcount
    if gone != seen.snapshots or newest(database, connection, seen.series) is not None:
        raise OtherSnapshotsError(seen.series)
    if is_there(database, connection, SNAPSHOT_ROWS):
        connection.execute(f"DELETE FROM {SNAPSHOT_ROWS} {wanted}", values)


def thin(database: Database, connection: Any, day: ThinnedDay) -> bool:
    """Puts it in the place of what is there. False where others are kept than it was made of. The caller has the transaction."""
    wanted = f"series = {database.mark} AND taken_at >= {database.mark} AND taken_at < {database.mark}"
    values = [day.series, database.instant(day.begin), database.instant(day.end)]
    if not _is_as_seen(database, connection, day, wanted, values):
        return False
    one = f"DELETE FROM {SNAPSHOTS} WHERE series = {database.mark} AND taken_at = {database.mark}"
    for moment in (*day.removed, *(kept.snapshot.taken_at for kept in day.changed)):
        connection.execute(one, [day.series, database.instant(moment)])
    for kind in day.kinds:
        connection.execute(
            f"DELETE FROM {SNAPSHOT_ROWS} WHERE {wanted} AND kind = {database.mark}", [*values, kind]
        )
    for kept in day.changed:
        keep(database, connection, kept, ())
    for part in day.rows:
        _insert_rows(database, connection, day.series, part)
    return True


def _is_as_seen(database: Database, connection: Any, day: ThinnedDay, wanted: str, values: list[Any]) -> bool:
    snapshots = connection.execute(f"SELECT taken_at FROM {SNAPSHOTS} WHERE {wanted}", values)
    found = {row[0] for row in snapshots.fetchall()}
    rows = connection.execute(f"SELECT kind, taken_at FROM {SNAPSHOT_ROWS} WHERE {wanted}", values)
    found_rows = {(kind, moment) for kind, moment in rows.fetchall() if kind in day.kinds}
    seen = {database.instant(moment) for moment in day.seen}
    return found == seen and found_rows == {
        (kind, database.instant(moment)) for kind, moment in day.seen_rows
    }


def is_there(database: Database, connection: Any, table: str = SNAPSHOTS) -> bool:
    """Not in a store that only plimsolls without snapshots have written to; nor are rows, where they kept none."""
    return table in database.table_names(connection)


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

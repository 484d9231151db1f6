"""What PostgreSQL counts row by row, streamed with COPY: small caches, statements without their texts, relations and their sizes.

Each kind is read by itself, in a part of the transaction of its own: one that is refused or takes too long costs no other.

Sources: PostgreSQL manual, "COPY", "pg_stat_slru", and "pg_stat_statements" with its columns by version.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from plimsoll.base import limits
from plimsoll.databases import _postgres_errors as errors
from plimsoll.databases._counted_rows import CountedRows
from plimsoll.databases._postgres_objects import StatementsPlace
from plimsoll.facts import KeptRowsKind

if TYPE_CHECKING:
    from psycopg import Connection as Session

KINDS: tuple[KeptRowsKind, ...] = ("slru", "statements", "relations", "sizes")
"""In the order in which they are read: what is cheap comes first."""
_NO_STATEMENTS = (
    "pg_stat_statements does not answer here: create the extension, and name it in shared_preload_libraries"
)
_RELATION_NAMES = 4
_STATEMENT_KEYS = 4
_QUERY_ID = 2
"""Which of these is the statement's own number."""
_UNKNOWN = "\\N"
_TIMES_RENAMED = (1, 11)
"""The version of pg_stat_statements since which times of reads and writes are named for what they are of."""


@dataclass(frozen=True)
class RowsReader:
    """Reads the kinds of one server in a transaction that the caller has."""

    session: Session[dict[str, Any]]
    queries: Mapping[str, str]

    def all_kinds(self, step: int) -> Iterator[CountedRows]:
        """One after the other. Raises the driver's error where the session is lost."""
        readers: dict[KeptRowsKind, Callable[[], CountedRows]] = {
            "slru": self._slru,
            "statements": self._statements,
            "relations": self._relations,
            "sizes": partial(self._sizes, step),
        }
        for kind in KINDS:
            yield self._tried(kind, readers[kind])

    def _tried(self, kind: KeptRowsKind, reader: Callable[[], CountedRows]) -> CountedRows:
        try:
            with self.session.transaction():
                return reader()
        except _TooManyError:
            return CountedRows(kind, unknown=f"there are more than {limits.ROWS_READ_MAX:,} of them")
        except errors.driver().Error as error:
            if self.session.closed:
                raise
            return CountedRows(kind, unknown=errors.one_line(str(error)))

    def _slru(self) -> CountedRows:
        columns, lines = self._copied(self.queries["rows_slru"])
        return CountedRows("slru", columns, lines=lines, reset_at=self._row("slru_reset")["reset_at"])

    def _statements(self) -> CountedRows:
        found = self.session.execute(self.queries["statements_place"].encode()).fetchone()
        if found is None:
            return CountedRows("statements", unknown=_NO_STATEMENTS)
        place = StatementsPlace(**found)
        info = self.session.execute(
            f"select dealloc, stats_reset from {place.schema}.pg_stat_statements_info".encode()
        ).fetchone()
        assert info is not None, "it has one row"
        columns, lines = self._copied(_statements_query(place))
        return _statements_of(columns, lines, info["dealloc"], info["stats_reset"])

    def _relations(self) -> CountedRows:
        columns, lines = self._copied(self.queries["rows_relations"])
        reset_at = self._row("relations_reset")["reset_at"]
        return CountedRows("relations", columns, names=_RELATION_NAMES, lines=lines, reset_at=reset_at)

    def _sizes(self, step: int) -> CountedRows:
        """Of a share of the relations. To ask for all would take seconds where there are many."""
        count = self._row("relations_count")["relations"]
        shares = max(1, math.ceil(count / limits.SIZES_AT_ONCE))
        share = step % shares
        self.session.execute(f"set local statement_timeout = '{limits.SIZES_S_MAX}s'".encode())
        self.session.execute(f"set local lock_timeout = '{limits.SIZE_LOCK_MS_MAX}ms'".encode())
        query = self.queries["rows_sizes"].replace("{shares}", str(shares)).replace("{share}", str(share))
        columns, lines = self._copied(query)
        return CountedRows(
            "sizes", columns, lines=lines, figures={"shares": float(shares), "share": float(share)}
        )

    def _row(self, view: str) -> dict[str, Any]:
        row = self.session.execute(self.queries[view].encode()).fetchone()
        assert row is not None, f"{view} must give one row"
        return row

    def _copied(self, query: str) -> tuple[tuple[str, ...], list[str]]:
        """Names of the columns, and all lines."""
        with self.session.cursor() as cursor:
            cursor.execute(f"select * from (\n{query}\n) as counted limit 0".encode())
            columns = tuple(column.name for column in cursor.description or ())
            lines: list[str] = []
            with cursor.copy(f"copy (\n{query}\n) to stdout".encode()) as copy:
                for block in copy:
                    lines.append(str(block, "utf-8").removesuffix("\n"))
                    if len(lines) > limits.ROWS_READ_MAX:
                        raise _TooManyError
        return columns, lines


class _TooManyError(Exception):
    """More rows than are read."""


def _statements_query(place: StatementsPlace) -> str:
    """Times are whole microseconds, which pack better than the server's fractions."""
    shared = "shared_" if place.version_numbers >= _TIMES_RENAMED else ""
    times = {
        "plan_us": "total_plan_time",
        "exec_us": "total_exec_time",
        "read_us": f"{shared}blk_read_time",
        "write_us": f"{shared}blk_write_time",
    }
    words = ", ".join(f"round({column} * 1000)::int8 as {name}" for name, column in times.items())
    return (
        "select userid as user_oid, dbid as database_oid, queryid as query_id, toplevel as is_top_level, calls, rows, "
        f"{words}, shared_blks_hit, shared_blks_read, shared_blks_dirtied, shared_blks_written, "
        "temp_blks_read, temp_blks_written, wal_records, wal_fpi, wal_bytes "
        f"from {place.schema}.pg_stat_statements(false)"
    )


def _statements_of(
    columns: tuple[str, ...], lines: list[str], forgotten: int, reset_at: datetime | None
) -> CountedRows:
    """Statements whose number this user may not see are in the sums alone."""
    sums = [0.0] * (len(columns) - _STATEMENT_KEYS)
    shown: list[str] = []
    for line in lines:
        values = line.split("\t")
        for number, value in enumerate(values[_STATEMENT_KEYS:]):
            sums[number] += float(value)
        if values[_QUERY_ID] != _UNKNOWN:
            shown.append(line)
    figures = {"statements": float(len(lines)), "forgotten": float(forgotten)}
    figures |= {f"all.{name}": value for name, value in zip(columns[_STATEMENT_KEYS:], sums, strict=True)}
    return CountedRows(
        "statements", columns, keys=_STATEMENT_KEYS, lines=shown, figures=figures, reset_at=reset_at
    )

"""Parquet datasets, one for each table, parted by database as Hive does it: `latches/db_name=ORCL/part-00000.parquet`.

Every file holds all columns, `db_name` too, so that one alone says what it is about.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from plimsoll.base.filenames import shortened
from plimsoll.ports.folders import Folder
from plimsoll.reports import tables
from plimsoll.reports.reader import Reading
from plimsoll.reports.tables import Source
from plimsoll.store.datasets.form import Form
from plimsoll.store.datasets.waiting import Waiting

if TYPE_CHECKING:
    import pyarrow

FORM = Form(re.compile(r"[a-z][a-z0-9_]*/db_name=[A-Za-z0-9_.~%-]+/part-[0-9]{5,}\.parquet"), (b"PAR1",))
_NO_NAME = "__HIVE_DEFAULT_PARTITION__"
"""What Hive calls the part of rows whose column is null."""


class ParquetDataset:
    """Writes parts as they fill."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._parts: dict[tuple[str, str], int] = {}
        self._waiting = Waiting(self._write)

    def add(self, reading: Reading, batches: Iterable[tuple[str, pyarrow.RecordBatch]]) -> None:
        identity = tables.identity_of(reading.report)
        for name, rows in batches:
            if rows.num_rows:
                self._waiting.add(name, identity, rows)

    def finish(self, reports: pyarrow.Table | None) -> None:
        self._waiting.finish()
        if reports is not None:
            names = reports.column("db_name").to_pylist()
            for name, rows in _runs(reports, [(name, 1) for name in names]):
                self._write_part(tables.REPORTS, name, rows)

    def _write(self, name: str, rows: pyarrow.Table, sources: Sequence[Source]) -> None:
        whole = tables.identified(name, rows, sources)
        for database, part in _runs(whole, [(identity.db_name, count) for identity, count in sources]):
            self._write_part(name, database, part)

    def _write_part(self, name: str, database: str | None, rows: pyarrow.Table) -> None:
        value = f"db_name={_NO_NAME if database is None else shortened(quote(database, safe=''))}"
        part = self._parts[name, value] = self._parts.get((name, value), -1) + 1
        with self._folder.ensured_child(name) as table, table.ensured_child(value) as folder:
            folder.append(f"part-{part:05}.parquet", as_parquet(rows))


def _runs(
    rows: pyarrow.Table, counts: Iterable[tuple[str | None, int]]
) -> Iterator[tuple[str | None, pyarrow.Table]]:
    """The rows of each database. `counts` are the databases of the rows in order, each with how many follow each other."""
    import pyarrow

    slices: dict[str | None, list[pyarrow.Table]] = {}
    start = 0
    for name, count in counts:
        slices.setdefault(name, []).append(rows.slice(start, count))
        start += count
    for name, parts in slices.items():
        yield name, pyarrow.concat_tables(parts)


def as_parquet(rows: pyarrow.Table) -> bytes:
    """One file."""
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(rows.combine_chunks(), buffer, compression="zstd")
    return buffer.getvalue()

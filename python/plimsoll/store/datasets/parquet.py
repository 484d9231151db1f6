"""Parquet datasets, one for each table, parted by database as Hive does it: `latches/db_name=ORCL/part-00000.parquet`.

Every file holds all columns, `db_name` too, so that one alone says what it is about.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from plimsoll.demand.reports.reader import Reading
from plimsoll.ports import files
from plimsoll.store.datasets.waiting import Key, Waiting

if TYPE_CHECKING:
    import polars

REPORTS = "reports"
_NO_NAME = "__HIVE_DEFAULT_PARTITION__"
"""What Hive calls the part of rows whose column is null."""


class ParquetDataset:
    """Writes parts as they fill."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: dict[Key, int] = {}
        self._waiting = Waiting(self._write)

    def add(self, reading: Reading, tables: Iterable[tuple[str, polars.DataFrame]]) -> None:
        for name, frame in tables:
            if frame.height:
                self._waiting.add((name, reading.report.db_name), frame)

    def finish(self, reports: polars.DataFrame | None) -> None:
        if reports is not None:
            for (name,), frame in reports.group_by("db_name", maintain_order=True):
                self._waiting.add((REPORTS, None if name is None else str(name)), frame)
        self._waiting.finish()

    def _write(self, key: Key, frame: polars.DataFrame) -> None:
        name, database = key
        part = self._parts[key] = self._parts.get(key, -1) + 1
        folder = self._folder / name / f"db_name={_NO_NAME if database is None else quote(database, safe='')}"
        files.ensure_folder(folder)
        files.write_bytes_atomically(folder / f"part-{part:05}.parquet", as_parquet(frame))


def as_parquet(frame: polars.DataFrame) -> bytes:
    """One file. Texts are Arrow's plain ones: pyarrow cannot merge others with the texts that it makes of folders' names."""
    import pyarrow
    from pyarrow import parquet

    table = frame.to_arrow()
    fields = [
        pyarrow.field(field.name, pyarrow.string()) if pyarrow.types.is_large_string(field.type) else field
        for field in table.schema
    ]
    buffer = io.BytesIO()
    parquet.write_table(table.cast(pyarrow.schema(fields)), buffer, compression="zstd")
    return buffer.getvalue()

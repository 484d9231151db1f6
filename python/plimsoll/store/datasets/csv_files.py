"""CSV, one file for each table. Nothing between two commas is null; times are local times without a zone."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.demand.reports.reader import Reading
from plimsoll.ports import files
from plimsoll.store.datasets.parquet import REPORTS
from plimsoll.store.datasets.waiting import Key, Waiting

if TYPE_CHECKING:
    import polars


class CsvFiles:
    """Adds to each file as rows gather."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begun: set[str] = set()
        self._waiting = Waiting(self._write)

    def add(self, reading: Reading, tables: Iterable[tuple[str, polars.DataFrame]]) -> None:
        for name, frame in tables:
            if frame.height:
                self._waiting.add((name, None), frame)

    def finish(self, reports: polars.DataFrame | None) -> None:
        if reports is not None:
            self._waiting.add((REPORTS, None), reports)
        self._waiting.finish()
        for name in self._begun:
            files.settle(self._folder / f"{name}.csv")

    def _write(self, key: Key, frame: polars.DataFrame) -> None:
        name, _ = key
        buffer = io.BytesIO()
        frame.write_csv(buffer, include_header=name not in self._begun, datetime_format="%Y-%m-%dT%H:%M:%S")
        files.append_bytes(self._folder / f"{name}.csv", buffer.getvalue())
        self._begun.add(name)

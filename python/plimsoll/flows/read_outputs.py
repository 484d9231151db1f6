"""Where the tables of reports go while they are read: into files, into the store, or packed in memory to be shown."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Note, Report
from plimsoll.flows.read_groups import ReadGroup, TypedTable, is_storable, packed, placed_rows, typed_tables
from plimsoll.reports import datasets, tables
from plimsoll.reports.datasets.folder import OutFolder
from plimsoll.reports.reader import Reading


class Outputs:
    """All outputs of one read. Files have their names only after `finish`; without it nothing of them stays."""

    def __init__(
        self,
        ctx: Context,
        out: Path | None,
        file_format: str,
        kept: bool,
        wanted: frozenset[str],
        escape_formulas: bool = False,
    ) -> None:
        self._ctx = ctx
        self._format = file_format
        self._wanted = wanted
        self._kept = kept
        self._folder = None if out is None else OutFolder(out, ctx.scratch)
        if self._folder is None:
            self._dataset = None
        else:
            self._dataset = datasets.begin(file_format, self._folder.work, escape_formulas)
        self._rows: dict[str, list[tuple[Any, bytes]]] = {} if out else {name: [] for name in sorted(wanted)}
        self.runs: list[str] = []
        self.notes: list[Note] = []

    def __enter__(self) -> Outputs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.close()

    def add(self, group: ReadGroup, left_out: Sequence[int]) -> None:
        """The tables of some more reports, without those of these numbers."""
        if self._folder is not None and self._dataset is not None:
            with self._folder.writing():
                self._add_to(self._dataset, group, left_out)
        if (self._folder is None and self._wanted) or self._kept:
            for number in range(group.count):
                if number not in left_out:
                    self._add_one(group, number)

    def _add_to(self, dataset: datasets.Dataset, group: ReadGroup, left_out: Sequence[int]) -> None:
        if not group.readings:
            dataset.add_packed(group.dataset, left_out)
            return
        for number, reading in enumerate(group.readings):
            if number not in left_out:
                dataset.add(reading, self._wanted)

    def _add_one(self, group: ReadGroup, number: int) -> None:
        """To what is shown, and to the store."""
        reading = group.readings[number] if group.readings else None
        if self._folder is None and self._wanted:
            place, shown = group.shown[number] if reading is None else placed_rows(reading, self._wanted)
            for name, rows in shown:
                self._rows[name].append((place, rows))
        if self._kept and self._kept_well:
            one, made = group.kept[number] if reading is None else (reading, None)
            if is_storable(one):
                self._store(one, typed_tables(one) if made is None else made)

    def finish(self, reports: Sequence[Report]) -> list[Path]:
        """Gives the files their names; returns those of the folder."""
        if self._folder is None or self._dataset is None:
            if self._wants_reports:
                self._rows[tables.REPORTS] = [((), packed(tables.shown_reports(reports)))]
            return []
        with self._folder.writing():
            self._dataset.finish(reports if self._wants_reports else None)
        return self._folder.publish(
            {
                "plimsoll": __version__,
                "format": self._format,
                "reports": len(reports),
                "interrupted": self._ctx.cancel.is_set,
            }
        )

    @property
    def rows(self) -> dict[str, list[bytes]]:
        """Rows of the tables that were asked for and go to no file, packed, by table; in the order of the reports."""
        return {name: [packed for _, packed in sorted(found)] for name, found in self._rows.items()}

    @property
    def _wants_reports(self) -> bool:
        some = self._dataset is not None or bool(self._wanted)
        return some and (not self._wanted or tables.REPORTS in self._wanted)

    @property
    def _kept_well(self) -> bool:
        """A store that failed once is not tried again for each of thousands."""
        return not any(note.code == "not-stored" for note in self.notes)

    def _store(self, reading: Reading, made: Sequence[TypedTable]) -> None:
        from plimsoll.flows.read_store import (
            keep,
        )  # needs every fact that a run may hold, which takes its time to load

        try:
            self.runs.append(keep(self._ctx, reading, made))
        except PlimsollError as error:
            message = f"reports were not stored from {reading.report.file} on: {error.message}"
            self._ctx.remark("store", message, warning=True)
            self.notes.append(Note(code="not-stored", message=message))


def unpacked(parts: Sequence[bytes]) -> Iterator[list[tables.Row]]:
    """The rows again, those of one report at a time."""
    return (json.loads(zlib.decompress(part)) for part in parts)

"""Where the tables of reports go while they are read: into files, into the store, or packed in memory to be shown."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from plimsoll import __version__
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Note, Report, View
from plimsoll.flows.read_store import keep
from plimsoll.reports import tables
from plimsoll.reports.intervals import order
from plimsoll.reports.reader import Reading
from plimsoll.store import datasets
from plimsoll.store.datasets.folder import OutFolder

if TYPE_CHECKING:
    import pyarrow


class Outputs:
    """All outputs of one read. Files have their names only after `finish`; without it nothing of them stays."""

    def __init__(
        self,
        ctx: Context,
        out: Path | None,
        file_format: str,
        kept: bool,
        wanted: frozenset[str],
        known: Sequence[View],
        escape_formulas: bool = False,
    ) -> None:
        self._ctx = ctx
        self._format = file_format
        self._wanted = wanted
        self._known = known
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

    def add(self, reading: Reading) -> None:
        """The tables of one more report."""
        if self._folder is not None and self._dataset is not None:
            with self._folder.writing():
                self._dataset.add(reading, self._batches(reading))
        elif self._wanted:
            for name, rows in self._batches(reading):
                packed = _packed(name, rows, reading.report)
                self._rows[name].append((order(reading.report), packed))
        if self._kept and self._kept_well:
            self._store(reading)

    def finish(self, reports: Sequence[Report]) -> list[Path]:
        """Gives the files their names; returns those of the folder."""
        about = tables.reports_table(reports) if self._wants_reports else None
        if self._folder is None or self._dataset is None:
            if about is not None:
                self._rows[tables.REPORTS] = [((), _as_ipc(about))]
            return []
        with self._folder.writing():
            self._dataset.finish(about)
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

    def _batches(self, reading: Reading) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
        return tables.batches(reading, self._known, self._wanted)

    @property
    def _kept_well(self) -> bool:
        """A store that failed once is not tried again for each of thousands."""
        return not any(note.code == "not-stored" for note in self.notes)

    def _store(self, reading: Reading) -> None:
        if reading.content is None or reading.report.status == "unreadable":
            return
        try:
            self.runs.append(keep(self._ctx, reading, self._known))
        except PlimsollError as error:
            message = f"reports were not stored from {reading.report.file} on: {error.message}"
            self._ctx.remark("store", message, warning=True)
            self.notes.append(Note(code="not-stored", message=message))


def _packed(name: str, rows: pyarrow.RecordBatch, report: Report) -> bytes:
    table = tables.library().Table.from_batches([rows])
    return _as_ipc(tables.identified(name, table, [(tables.identity_of(report), rows.num_rows)]))


def _as_ipc(table: pyarrow.Table) -> bytes:
    from pyarrow import ipc

    buffer = io.BytesIO()
    with ipc.new_stream(buffer, table.schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def unpacked(parts: Sequence[bytes]) -> Iterator[pyarrow.Table]:
    """The tables again, one at a time."""
    from pyarrow import ipc

    for part in parts:
        with ipc.open_stream(part) as reader:
            yield reader.read_all()

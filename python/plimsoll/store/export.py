"""A run as files for other tools: a JSON document, a CSV or Parquet file for each table that has rows of it, metrics, a log of
histograms."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, WorldError, world_error
from plimsoll.base.filenames import file_name
from plimsoll.base.installing import extra_hint
from plimsoll.base.spreadsheets import check_formulas
from plimsoll.dialects import hlog
from plimsoll.dialects.openmetrics import text_of
from plimsoll.facts import Run
from plimsoll.facts.document import to_json
from plimsoll.native.datasets import as_text
from plimsoll.ports.folders import Mark, ensured_folder
from plimsoll.results import RunColumn
from plimsoll.store.columns import run_columns
from plimsoll.store.distributions import distributions_of
from plimsoll.store.metrics import families, labels_of
from plimsoll.store.rows import Row, to_rows
from plimsoll.store.tables import Column, Kind

_Column = Column | RunColumn
_PARQUET_KEY = "plimsoll_table"
"""Stands among what a Parquet file says of itself at its end: all of them begin the same, whoever wrote them."""


def export_run(run: Run, file_format: str, folder: Path, escape_formulas: bool = False) -> list[Path]:
    """Writes `RUN.json`, `RUN/TABLE.csv`, `RUN/TABLE.parquet`, `RUN.hlog` or a `.prom` into `folder` and returns the paths.

    With `escape_formulas` CSV has a ' before each text that a spreadsheet would run. Raises UsageError `format-unknown`,
    `format-no-formulas`, `export-empty`; WorldError `export-refused`, `library-missing`.
    """
    if file_format not in FORMATS:
        raise UsageError(
            "format-unknown", f"cannot export as '{file_format}'", f"Known: {', '.join(FORMATS)}."
        )
    if escape_formulas:
        check_formulas(file_format)
    made = _escaped_csv(run) if escape_formulas else FORMATS[file_format](run)
    written = []
    for inner, contents in made.items():
        place = folder / inner
        try:
            with ensured_folder(place) as opened:
                for name, file in contents.items():
                    opened.check_ours(name, file.mark)
                for name, file in contents.items():
                    opened.replace(name, file.content, file.mark)
                    written.append(place / name)
        except OSError as error:
            raise world_error(
                "export-refused", f"write to {place}", error, "Name another folder with --out."
            ) from error
    return written


@dataclass(frozen=True)
class File:
    """What is to be written, and by what an earlier export is known, the only thing that it replaces."""

    content: bytes
    mark: Mark


Files = dict[str, dict[str, File]]
"""Files by name, in folders by name; an empty name is the folder that was named."""


def _json(run: Run) -> Files:
    content = to_json(run, indent=2).encode() + b"\n"
    return {"": {f"{file_name(run.id)}.json": File(content, Mark(_lines(content, 2)))}}


def _hlog(run: Run) -> Files:
    """Raises UsageError `export-empty` where the run has no distribution."""
    intervals = distributions_of(run)
    if not intervals:
        message = f"run {run.id} has no distribution of latencies to write"
        raise UsageError("export-empty", message, "Name another format, such as --format json.")
    content = hlog.text_of(intervals).encode()
    return {"": {f"{file_name(run.id)}.hlog": File(content, Mark(_lines(content, 1)))}}


def _openmetrics(run: Run) -> Files:
    """Named for what was measured, and not for the run: the next one takes the place of its series."""
    named = "-".join(filter(None, labels_of(run).values()))
    digits = sha256("\0".join(labels_of(run).values()).encode()).hexdigest()[:8]
    content = text_of(families(run)).encode()
    mark = Mark(_lines(content, 1))
    return {"": {f"plimsoll-{digits}-{file_name(named)}.prom": File(content, mark)}}


def _csv(run: Run) -> Files:
    return _per_table(run, "csv", _csv_table)


def _escaped_csv(run: Run) -> Files:
    return _per_table(run, "csv", partial(_csv_table, seen=as_text))


def _parquet(run: Run) -> Files:
    return _per_table(run, "parquet", _parquet_table)


def _lines(content: bytes, count: int) -> bytes:
    """The first lines: of JSON with the id of the run, of CSV with the names of all columns."""
    return b"".join(content.splitlines(keepends=True)[:count])


def _per_table(run: Run, suffix: str, content: Callable[[str, Sequence[_Column], list[Row]], File]) -> Files:
    tables: list[tuple[str, Sequence[_Column], list[Row]]] = [
        ("runs", run_columns(), [[column.of(run) for column in run_columns()]]),
        *((table.name, table.all_columns, rows) for table, rows in to_rows(run).items()),
    ]
    files = {f"{name}.{suffix}": content(name, columns, rows) for name, columns, rows in tables}
    return {file_name(run.id): files}


def _csv_table(
    _: str, columns: Sequence[_Column], rows: list[Row], seen: Callable[[object], object] = lambda cell: cell
) -> File:
    """Nothing between two commas is NULL; distributions are base64; instants ISO 8601 in UTC."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    for row in rows:
        writer.writerow([seen(_as_text(value, c.kind)) for value, c in zip(row, columns, strict=True)])
    written = text.getvalue().encode()
    return File(written, Mark(_lines(written, 1)))


def _as_text(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    match kind:
        case "binary":
            return base64.b64encode(value).decode()
        case "boolean":
            return "true" if value else "false"
        case "instant":
            return value.astimezone(UTC).isoformat()
        case _:
            return value


def _parquet_table(name: str, columns: Sequence[_Column], rows: list[Row]) -> File:
    """Types of the columns as in the database; instants are microseconds in UTC."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        hint = extra_hint("tables")
        raise WorldError("library-missing", "could not load pyarrow, which writes parquet", hint) from error
    types = {
        "text": pyarrow.string(), "integer": pyarrow.int64(), "real": pyarrow.float64(), "boolean": pyarrow.bool_(),
        "instant": pyarrow.timestamp("us", "UTC"), "binary": pyarrow.binary(), "json": pyarrow.string(),
    }  # fmt: skip
    fields = [pyarrow.field(c.name, types[c.kind]) for c in columns]
    schema = pyarrow.schema(fields, metadata={_PARQUET_KEY: name})
    arrays = [pyarrow.array([row[index] for row in rows], field.type) for index, field in enumerate(schema)]
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), buffer, compression="zstd")
    return File(buffer.getvalue(), Mark(b"PAR1", _PARQUET_KEY.encode()))


FORMATS: dict[str, Callable[[Run], Files]] = {
    "json": _json,
    "csv": _csv,
    "parquet": _parquet,
    "openmetrics": _openmetrics,
    "hlog": _hlog,
}
"""By the name that `store export --format` takes."""

"""A run as files for other tools: one JSON document, or one CSV or Parquet file for each table that has rows of it."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, WorldError, world_error
from plimsoll.facts import Run
from plimsoll.ports import files
from plimsoll.store.rows import Row, to_rows
from plimsoll.store.tables import Kind, Table, table_of


def export_run(run: Run, file_format: str, folder: Path) -> list[Path]:
    """Writes `RUN.json`, or `RUN/TABLE.csv` or `RUN/TABLE.parquet`, into `folder` and returns the paths.

    Raises UsageError `format-unknown`; WorldError `export-refused`, `library-missing`.
    """
    if file_format not in FORMATS:
        raise UsageError(
            "format-unknown", f"cannot export as '{file_format}'", f"Known: {', '.join(FORMATS)}."
        )
    written = []
    for name, content in FORMATS[file_format](run).items():
        path = folder / name
        try:
            files.ensure_folder(path.parent)
            files.write_bytes_atomically(path, content)
        except OSError as error:
            raise world_error(
                "export-refused", f"write {path}", error, "Name another folder with --out."
            ) from error
        written.append(path)
    return written


def _json(run: Run) -> dict[str, bytes]:
    return {f"{run.id}.json": run.model_dump_json(indent=2).encode() + b"\n"}


def _csv(run: Run) -> dict[str, bytes]:
    return _per_table(run, "csv", _csv_table)


def _parquet(run: Run) -> dict[str, bytes]:
    return _per_table(run, "parquet", _parquet_table)


def _per_table(run: Run, suffix: str, content: Callable[[Table, list[Row]], bytes]) -> dict[str, bytes]:
    tables = [(table_of(fact), rows) for fact, rows in to_rows(run).items()]
    return {f"{run.id}/{table.name}.{suffix}": content(table, rows) for table, rows in tables}


def _csv_table(table: Table, rows: list[Row]) -> bytes:
    """Nothing between two commas is NULL; distributions are base64; instants ISO 8601 in UTC."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.all_columns])
    for row in rows:
        writer.writerow([_as_text(value, c.kind) for value, c in zip(row, table.all_columns, strict=True)])
    return text.getvalue().encode()


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


def _parquet_table(table: Table, rows: list[Row]) -> bytes:
    """Types of the columns as in the database; instants are microseconds in UTC."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        hint = "Install it with: pip install 'plimsoll[tables]'."
        raise WorldError("library-missing", "could not load pyarrow, which writes parquet", hint) from error
    types = {
        "text": pyarrow.string(), "integer": pyarrow.int64(), "real": pyarrow.float64(), "boolean": pyarrow.bool_(),
        "instant": pyarrow.timestamp("us", "UTC"), "binary": pyarrow.binary(), "json": pyarrow.string(),
    }  # fmt: skip
    schema = pyarrow.schema([(c.name, types[c.kind], not c.required) for c in table.all_columns])
    columns = [pyarrow.array([row[index] for row in rows], field.type) for index, field in enumerate(schema)]
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(columns, schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


FORMATS: dict[str, Callable[[Run], dict[str, bytes]]] = {"json": _json, "csv": _csv, "parquet": _parquet}
"""By the name that `store export --format` takes: from a run to files' contents by relative path."""

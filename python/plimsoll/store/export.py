"""A stored run as files for other tools: one JSON document, or one CSV or Parquet file for each table that has rows of it."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import UsageError, WorldError, world_error
from plimsoll.facts import Run
from plimsoll.ports import files
from plimsoll.store.rows import Row, Rows, from_rows
from plimsoll.store.tables import Kind, Table, tables

if TYPE_CHECKING:
    from plimsoll.store.sqlstore import SqlStore


def export(store: SqlStore, run_id: str, file_format: str, folder: Path) -> list[Path]:
    """Writes `RUN.json`, or `RUN/TABLE.csv` or `RUN/TABLE.parquet`, into `folder` and returns the paths.

    Raises UsageError `format-unknown`, `run-unknown`; WorldError `export-refused`, `library-missing`.
    """
    if file_format not in FORMATS:
        raise UsageError(
            "format-unknown", f"cannot export as '{file_format}'", f"Known: {', '.join(FORMATS)}."
        )
    contents = FORMATS[file_format](store.rows(run_id))
    written = []
    for name, content in contents.items():
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


def _json(rows: Rows) -> dict[str, bytes]:
    run = from_rows(rows)
    return {f"{run.id}.json": run.model_dump_json(indent=2).encode() + b"\n"}


def _csv(rows: Rows) -> dict[str, bytes]:
    return _per_table(rows, "csv", _csv_table)


def _parquet(rows: Rows) -> dict[str, bytes]:
    return _per_table(rows, "parquet", _parquet_table)


def _per_table(rows: Rows, suffix: str, write: Callable[[Table, list[Row]], bytes]) -> dict[str, bytes]:
    run_id = rows[Run][0][0]
    return {f"{run_id}/{t.name}.{suffix}": write(t, rows[t.fact]) for t in tables() if rows.get(t.fact)}


def _csv_table(table: Table, rows: list[Row]) -> bytes:
    """Nothing between two commas is NULL; distributions are base64; instants ISO 8601."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.all_columns])
    for row in rows:
        writer.writerow(
            [_plain(value, column.kind) for value, column in zip(row, table.all_columns, strict=True)]
        )
    return text.getvalue().encode()


def _plain(value: Any, kind: Kind) -> Any:
    if kind == "binary" and value is not None:
        return base64.b64encode(value).decode()
    if kind == "boolean" and value is not None:
        return "true" if value else "false"
    return _text(value, kind)


def _text(value: Any, kind: Kind) -> Any:
    """JSON and instants as text, whichever way the database's driver gave them."""
    if value is None or isinstance(value, str):
        return value
    if kind == "json":
        import json

        return json.dumps(value, ensure_ascii=False)
    return value.isoformat() if kind == "instant" else value


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
    columns = [
        pyarrow.array([_for_arrow(row[index], column.kind) for row in rows], types[column.kind])
        for index, column in enumerate(table.all_columns)
    ]
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(columns, schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


def _for_arrow(value: Any, kind: Kind) -> Any:
    if value is None or kind not in ("instant", "boolean", "json"):
        return value
    if kind == "instant":
        from datetime import datetime

        return datetime.fromisoformat(value) if isinstance(value, str) else value
    return bool(value) if kind == "boolean" else _text(value, kind)


FORMATS: dict[str, Callable[[Rows], dict[str, bytes]]] = {"json": _json, "csv": _csv, "parquet": _parquet}
"""By the name that `store export --format` takes: from a run's rows to files' contents by relative path."""

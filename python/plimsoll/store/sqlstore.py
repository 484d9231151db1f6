"""The run repository: saves runs whole, finds them again by id, lists them, hands them out as files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plimsoll.base import settings
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.redact import redact_word, shown_of
from plimsoll.facts import Run, RunSummary
from plimsoll.store.database import Database
from plimsoll.store.rows import Row, from_rows, to_rows
from plimsoll.store.sqlite import SqliteDatabase
from plimsoll.store.tables import Table, table_of, tables
from plimsoll.store.version import ensure_newest

LATEST = "latest"
_POSTGRES_SCHEMES = ("postgresql://", "postgres://")
_NAMED_IDS_MAX = 5
_REASON_LENGTH_MAX = 200
_PLACES = "Name a file, such as results.sqlite, or a postgresql:// URL."


def open_store(location: str | None = None, environment: Mapping[str, str] | None = None) -> SqlStore:
    """The store at a file path or postgresql:// URL; None: `PLIMSOLL_STORE`, else a file in the user's data folder.

    Nothing is opened before the first use. Raises UsageError `store-location` for a URL of another kind.
    """
    text = location or settings.read(settings.STORE, environment)
    if text is None:
        return SqlStore(SqliteDatabase(settings.data_folder() / "plimsoll.sqlite"))
    if text.startswith(_POSTGRES_SCHEMES):
        from plimsoll.store.postgres import PostgresDatabase

        return SqlStore(PostgresDatabase(text))
    scheme, separator, rest = text.partition("://")
    if separator and scheme not in ("sqlite", "file"):
        begin = shown_of(f"{scheme}://", text)
        raise UsageError("store-location", f"cannot keep runs at a '{begin}' location", _PLACES)
    path = Path(rest if separator else text).expanduser().absolute()
    place = redact_word(text, location=True)
    if place != text and not os.path.lexists(path):
        # A login without its scheme: a file of that name would show the password to all who can list the folder.
        message = f"cannot keep runs at '{place}': it looks like a login"
        raise UsageError("store-location", message, f"{_PLACES} Before the path of a file write ./.")
    return SqlStore(SqliteDatabase(path))


class SqlStore:
    """The store as flows use it (`plimsoll.context.Store`). Safe to share between threads: each call connects for itself."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @property
    def display(self) -> str:
        """Where the store is, for messages: without password."""
        return self.database.display

    def save(self, run: Run) -> None:
        """Keeps the run in one transaction. Once this returns it survives a kill and a power cut.

        Raises WorldError: `run-exists` when one of that id is stored, `store-full`, `store-locked`, `store-read-only` …
        """
        rows = to_rows(run)
        with self.database.connect() as connection:
            ensure_newest(self.database, connection)
            with self.database.transaction(connection):
                if self._ids(connection, "WHERE id = ?", [run.id]):
                    hint = f"Look at it with `plimsoll store show {run.id}`."
                    raise WorldError("run-exists", f"the run {run.id} is stored already", hint)
                for fact, of_table in rows.items():
                    self._insert(connection, table_of(fact), of_table)

    def load(self, run_id: str) -> Run:
        """The run of that id, of a unique beginning of it, or `latest`. Raises UsageError `run-unknown`, `run-ambiguous`."""
        if not self.database.exists():
            raise self._unknown(run_id, [])
        with self.database.connect() as connection:
            ensure_newest(self.database, connection)
            whole_id = self._find(connection, run_id)
            rows = {table.fact: self._select(connection, table, whole_id) for table in tables()}
        with self._sound(whole_id):
            return from_rows(rows)

    def summaries(self, limit: int | None = None) -> list[RunSummary]:
        """Newest first; empty when nothing was ever stored."""
        if not self.database.exists():
            return []
        names = list(RunSummary.model_fields)
        statement = f"SELECT {', '.join(names)} FROM runs ORDER BY started_at DESC, id DESC"
        with self.database.connect() as connection:
            ensure_newest(self.database, connection)
            found = self._rows(
                connection, f"{statement} LIMIT ?" if limit else statement, [limit] if limit else []
            )
        with self._sound("the list of runs"):
            return [RunSummary.model_validate(dict(zip(names, row, strict=True))) for row in found]

    @contextmanager
    def _sound(self, what: str) -> Iterator[None]:
        """Around the making of facts from rows, which others may have written. Raises WorldError `store-damaged`."""
        try:
            yield
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            message = f"{self.display} holds what no plimsoll wrote, in {what}: {_first_line(error)}"
            hint = "Whoever wrote to it may have a copy that is sound; other runs of this store can still be read."
            raise WorldError("store-damaged", message, hint) from error

    def export(self, run_id: str, file_format: str, folder: Path) -> list[Path]:
        """Writes one run as json, csv or parquet into `folder`; returns the paths."""
        from plimsoll.store.export import export_run

        return export_run(self.load(run_id), file_format, folder)

    def _find(self, connection: Any, run_id: str) -> str:
        if run_id == LATEST:
            found = self._ids(connection, "ORDER BY started_at DESC, id DESC LIMIT 1", [])
        else:
            found = self._ids(connection, "WHERE substr(id, 1, ?) = ? ORDER BY id", [len(run_id), run_id])
        if len(found) == 1 or run_id in found:
            return run_id if run_id in found else found[0]
        if not found or not run_id:
            raise self._unknown(run_id, self._ids(connection, "ORDER BY started_at DESC", []))
        hint = f"Write more of it: {_listed(found)}."
        raise UsageError("run-ambiguous", f"'{run_id}' is the beginning of {len(found)} runs", hint)

    def _unknown(self, run_id: str, ids: Sequence[str]) -> UsageError:
        if not ids:
            message = f"no run is called '{run_id}': {self.display} is empty"
            return UsageError("run-unknown", message, "Measure something first: `plimsoll io TARGET`.")
        from difflib import get_close_matches

        near = get_close_matches(run_id, ids, n=_NAMED_IDS_MAX, cutoff=0.5) or ids[:_NAMED_IDS_MAX]
        hint = f"Nearest: {_listed(near)}. See them all with `plimsoll store list`."
        return UsageError("run-unknown", f"no run is called '{run_id}'", hint)

    def _ids(self, connection: Any, rest: str, values: Row) -> list[str]:
        return [row[0] for row in self._rows(connection, f"SELECT id FROM runs {rest}", values)]

    def _rows(self, connection: Any, statement: str, values: Row) -> list[Sequence[Any]]:
        return connection.execute(statement.replace("?", self.database.mark), values).fetchall()

    def _select(self, connection: Any, table: Table, run_id: str) -> list[Row]:
        columns = ", ".join(column.name for column in table.all_columns)
        rest = "run_id = ? ORDER BY row_no" if table.links else "id = ?"
        found = self._rows(connection, f"SELECT {columns} FROM {table.name} WHERE {rest}", [run_id])
        return [list(row) for row in found]

    def _insert(self, connection: Any, table: Table, rows: list[Row]) -> None:
        columns = table.all_columns
        instants = [index for index, column in enumerate(columns) if column.kind == "instant"]
        for row in rows:
            for index in instants:
                row[index] = None if row[index] is None else self.database.instant(row[index])
        names, marks = ", ".join(c.name for c in columns), ", ".join([self.database.mark] * len(columns))
        connection.cursor().executemany(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"[:_REASON_LENGTH_MAX]
    return (str(error).splitlines() or [type(error).__name__])[0][:_REASON_LENGTH_MAX]


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_NAMED_IDS_MAX])
    return f"{shown} and {len(ids) - _NAMED_IDS_MAX} more" if len(ids) > _NAMED_IDS_MAX else shown

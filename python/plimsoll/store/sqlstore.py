"""The run repository: saves runs whole, finds them again by id, lists them, hands them out as files."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from plimsoll import __version__
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.installing import upgrade_hint
from plimsoll.base.jsontext import parse_json
from plimsoll.base.redact import redact_word
from plimsoll.context import EVERY_RUN, RunFilter, ThinnedDay
from plimsoll.facts import Run, RunSummary
from plimsoll.facts.document import Document, run_of
from plimsoll.results import RunColumn, load_all
from plimsoll.store import snapshots
from plimsoll.store.columns import columns_of, values_of
from plimsoll.store.database import Database
from plimsoll.store.documents import RunDocument, put_statement
from plimsoll.store.ids import runs_before_latest
from plimsoll.store.place import PLACES, POSTGRES_SCHEMES, named_place, path_of
from plimsoll.store.schema import SNAPSHOT_ROWS, SNAPSHOTS
from plimsoll.store.sqlite import SqliteDatabase
from plimsoll.store.version import ensure_newest, is_ready, is_there, release_of

if TYPE_CHECKING:
    from plimsoll.facts import KeptRows, KeptRowsKind, KeptSnapshot, SnapshotSeries
    from plimsoll.store.tables import Kind

Row = list[Any]
T = TypeVar("T")
_ONCE = "ON CONFLICT (sha256) DO NOTHING"
_BLOBS_OF_RUN = "SELECT sha256, size_bytes, zlib FROM run_blobs JOIN blobs USING (sha256) WHERE run_id = ?"
_UNNAMED = "WHERE NOT EXISTS (SELECT 1 FROM run_blobs WHERE run_blobs.sha256 = blobs.sha256)"
_NAMED_IDS_MAX = 5
_REASON_LENGTH_MAX = 200


_TARGET_LIKE = "(lower(coalesce(target, '')) LIKE ? ESCAPE '\\' OR lower(title) LIKE ? ESCAPE '\\')"
_HAS_TAG = "(',' || tags || ',') <> replace(',' || tags || ',', ?, '')"


def open_store(location: str | None = None, environment: Mapping[str, str] | None = None) -> SqlStore:
    """The store at a file path or postgresql:// URL; None: `PLIMSOLL_STORE`, else a file in the user's data folder.

    Nothing is opened before the first use. Raises UsageError `store-location` for a URL of another kind.
    """
    text = named_place(location, environment)
    if text is not None and text.startswith(POSTGRES_SCHEMES):
        from plimsoll.store.postgres import PostgresDatabase

        return SqlStore(PostgresDatabase(text))
    path = path_of(text)
    place = text and redact_word(text, location=True)
    if place != text and not os.path.lexists(path):
        # A login without its scheme: a file of that name would show the password to all who can list the folder.
        message = f"cannot keep runs at '{place}': it looks like a login"
        raise UsageError("store-location", message, f"{PLACES} Before the path of a file write ./.")
    # Nothing was ever stored on most machines: the default place need not be there to be read.
    return SqlStore(SqliteDatabase(path, is_typed=location is not None), is_named=text is not None)


class SqlStore:
    """The store as flows use it (`plimsoll.context.Store`). Safe to share between threads: each call connects for itself."""

    def __init__(self, database: Database, is_named: bool = False) -> None:
        self.database = database
        self._is_named = is_named

    @property
    def display(self) -> str:
        """Where the store is, for messages: without password."""
        return self.database.display

    def kept_open(self) -> AbstractContextManager[None]:
        """Within it the store is opened once, where that helps, and not for each call. Raises WorldError."""
        return self.database.kept_open()

    def check(self) -> bool:
        """Whether it is ready for `save`. Makes nothing. Raises WorldError as `save` does, where that is known before."""
        return is_ready(self.database)

    def save(self, run: Run) -> None:
        """Keeps the run in one transaction. Once this returns it survives a kill and a power cut.

        Raises WorldError: `run-exists` when one of that id is stored, `store-full`, `store-locked`, `store-read-only` …
        """
        document = RunDocument(run)
        columns = columns_of(run)
        values = [self._stored(column.kind, column.of(run)) for column in columns]
        with self.database.connect() as connection:
            ensure_newest(self.database, connection, partial(self._fill, connection))
            with self.database.transaction(connection):
                if self._ids(connection, "WHERE id = ?", [run.id]):
                    hint = f"Look at it with `plimsoll store show {run.id}`."
                    raise WorldError("run-exists", f"the run {run.id} is stored already", hint)
                self.database.hold_blobs(connection, to_delete=False)
                self._insert(connection, "runs", [column.name for column in columns], [values])
                if document.is_long:
                    self.database.put_document(connection, document, again=False)
                else:
                    self._insert(connection, "documents", ["run_id", "document"], [[run.id, document.text]])
                self._insert(connection, "blobs", ["sha256", "size_bytes", "zlib"], document.blobs, _ONCE)
                named = [[run.id, name] for name, _, _ in document.blobs]
                self._insert(connection, "run_blobs", ["run_id", "sha256"], named)

    def load(self, run_id: str) -> Run:
        """The run of that id, of a unique beginning of it, `latest`, or `latest~1` for the one before it.

        Raises UsageError `run-unknown`, `run-ambiguous`, `store-missing`.
        """
        if not self._exists():
            raise self._unknown(run_id, [])
        with self.database.connect() as connection:
            if not is_there(self.database, connection):
                raise self._unknown(run_id, [])
            whole_id = self._find(connection, run_id)
            with self._sound(whole_id):
                return self._load(connection, whole_id)

    def _load(self, connection: Any, whole_id: str) -> Run:
        """Raises ValueError and its like for what no plimsoll wrote; WorldError `run-newer`."""
        ((text,),) = self._rows(
            connection, f"SELECT {self.database.document} FROM documents WHERE run_id = ?", [whole_id]
        )
        packed = self._rows(connection, _BLOBS_OF_RUN, [whole_id])
        document = Document(text, {name: _unpacked(blob, size) for name, size, blob in packed})
        load_all()  # the run may hold one whose class is in the kind's file
        try:
            return run_of(document)
        except ValueError:
            self._refuse_newer(whole_id, document)
            raise

    def _refuse_newer(self, run_id: str, document: Document) -> None:
        written_by = str(parse_json(document.text)["provenance"]["plimsoll"])
        if release_of(written_by) > release_of(__version__):
            message = f"the run {run_id} was written by plimsoll {written_by}, which knows more than this {__version__}"
            hint = f"{upgrade_hint()}."
            raise WorldError("run-newer", message, hint)

    def delete(self, run_ids: Sequence[str]) -> int:
        """Removes runs by their whole ids, and the distributions that no other run has; all of them, or none.

        Returns the bytes of what it took. Raises UsageError `run-unknown`.
        """
        if not self._exists():
            raise self._unknown(run_ids[0], [])
        with self.database.connect() as connection:
            if not is_there(self.database, connection):
                raise self._unknown(run_ids[0], [])
            with self.database.transaction(connection):
                self.database.hold_blobs(connection, to_delete=True)
                size = sum(self._delete(connection, run_id) for run_id in run_ids)
                ((orphans,),) = self._rows(
                    connection, f"SELECT coalesce(sum(length(zlib)), 0) FROM blobs {_UNNAMED}", []
                )
                self._run(connection, f"DELETE FROM blobs {_UNNAMED}", [])
            self.database.give_back(connection)
        return int(size + orphans)

    def _delete(self, connection: Any, run_id: str) -> int:
        size = f"SELECT length({self.database.document}) FROM documents WHERE run_id = ?"
        found = self._rows(connection, size, [run_id])
        if not found:
            raise self._unknown(run_id, self._ids(connection, "ORDER BY started_at DESC", []))
        for table, column in (("run_blobs", "run_id"), ("documents", "run_id"), ("runs", "id")):
            self._run(connection, f"DELETE FROM {table} WHERE {column} = ?", [run_id])
        return int(found[0][0])

    def find(self, run_id: str) -> RunSummary:
        """The line of a run, named as for `load`."""
        if self._exists():
            with self.database.connect() as connection:
                if is_there(self.database, connection):
                    return self._summaries(connection, "WHERE id = ?", [self._find(connection, run_id)])[0]
        raise self._unknown(run_id, [])

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        """Newest first; empty when nothing was ever stored."""
        if not self._exists():
            return []
        with self.database.connect() as connection:
            if not is_there(self.database, connection):
                return []
            if wanted.tags and not self._has_tags(connection):
                return []
            where, values = self._where(wanted)
            most = [] if limit is None else [limit]
            rest = f"{where} ORDER BY started_at DESC, id DESC{' LIMIT ?' if most else ''}"
            return self._summaries(connection, rest, [*values, *most])

    def _where(self, wanted: RunFilter) -> tuple[str, Row]:
        """The condition of a filter, and its values."""
        parts: list[tuple[str, Row]] = []
        if wanted.kind is not None:
            parts.append(("kind = ?", [wanted.kind]))
        if wanted.target is not None:
            part = f"%{_without_wildcards(wanted.target.lower())}%"
            parts.append((_TARGET_LIKE, [part, part]))
        if wanted.since is not None:
            parts.append(("started_at >= ?", [self.database.instant(wanted.since)]))
        # Not LIKE: an underscore is any letter there.
        parts += [(_HAS_TAG, [f",{tag},"]) for tag in wanted.tags]
        where = " AND ".join(condition for condition, _ in parts)
        return f"WHERE {where}" if parts else "", [value for _, values in parts for value in values]

    def _has_tags(self, connection: Any) -> bool:
        """Not a store that only plimsolls without tags have written to."""
        return "tags" in self.database.column_names(connection, "runs")

    def _summaries(self, connection: Any, rest: str, values: Row) -> list[RunSummary]:
        names = list(RunSummary.model_fields)
        columns = [name if name != "tags" or self._has_tags(connection) else "NULL" for name in names]
        found = self._rows(connection, f"SELECT {', '.join(columns)} FROM runs {rest}", values)
        with self._sound("the list of runs"):
            return [_summary(dict(zip(names, row, strict=True))) for row in found]

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        """Changes what people say of a run, in one transaction; its results stay. Raises as `load` does."""
        if not self._exists():
            raise self._unknown(run_id, [])
        with self.database.connect() as connection:
            if not is_there(self.database, connection):
                raise self._unknown(run_id, [])
            ensure_newest(self.database, connection, partial(self._fill, connection))
            # Alone, so that of two who change the same run none undoes what the other did.
            with self.database.transaction(connection, alone=True):
                whole_id = self._find(connection, run_id)
                with self._sound(whole_id):
                    run = self._load(connection, whole_id)
                changed = change(run)
                assert changed.results == run.results, "what was measured is kept for good"
                document = RunDocument(changed)
                if document.is_long:
                    self.database.put_document(connection, document, again=True)
                else:
                    self._run(connection, put_statement("?", again=True), [document.text, whole_id])
                tags = values_of(changed, {"tags"})["tags"]
                self._run(connection, "UPDATE runs SET tags = ? WHERE id = ?", [tags, whole_id])
        return changed

    def _exists(self) -> bool:
        """Whether there is something to read. Raises UsageError `store-missing` where a place was named and nothing is there."""
        if self.database.exists():
            return True
        if self._is_named:
            hint = "Look at its name; it is made when a measurement is stored there."
            raise UsageError("store-missing", f"{self.display} is not there", hint)
        return False

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        """Those columns of the runs of which the column `known` is not None, newest first; empty when nothing was ever stored.

        A store that no plimsoll with these columns has written to yet is answered from its documents.
        """
        if not self._exists():
            return []
        rest = "ORDER BY started_at DESC, id DESC"
        with self.database.connect() as connection:
            if not is_there(self.database, connection):
                return []
            if {*names, known} <= self.database.column_names(connection, "runs"):
                wanted = f"SELECT {', '.join(names)} FROM runs WHERE {known} IS NOT NULL {rest}"
                rows = self._rows(connection, wanted, [])
                return [dict(zip(names, row, strict=True)) for row in rows]
            found = [
                self._values(connection, run_id, {*names, known})
                for run_id in self._ids(connection, rest, [])
            ]
        return [{name: row[name] for name in names} for row in found if row[known] is not None]

    def _values(self, connection: Any, run_id: str, names: set[str]) -> dict[str, Any]:
        with self._sound(run_id):
            return values_of(self._load(connection, run_id), names)

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        """Keeps both in one transaction, as `save` does a run. Raises WorldError as `save` does."""
        with self.database.connect() as connection:
            ensure_newest(self.database, connection, partial(self._fill, connection))
            with self.database.transaction(connection):
                snapshots.keep(self.database, connection, kept, rows)

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        """Those of a series that were taken in that time, oldest first; few of them are held at once."""
        yield from self._unpacked(
            snapshots.Span(series, since, until), snapshots.unpacked, lambda kept: kept.snapshot.taken_at
        )

    def kept_rows(
        self, series: str, kind: KeptRowsKind, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptRows]:
        """Rows of one kind that were kept with the snapshots of that time, oldest first; few of them are held at once."""
        span = snapshots.Span(series, since, until, kind=kind)
        yield from self._unpacked(span, snapshots.rows_unpacked, lambda rows: rows.taken_at)

    def _unpacked(
        self, span: snapshots.Span, unpacked: Callable[[int, bytes], T], taken_at: Callable[[T], datetime]
    ) -> Iterator[T]:
        table = SNAPSHOTS if span.kind is None else SNAPSHOT_ROWS
        while True:
            with self._snapshots_read(table) as connection:
                found = [] if connection is None else snapshots.packed(self.database, connection, span)
            for size_bytes, content in found:
                with self._sound(f"the snapshots of {span.series}"):
                    kept = unpacked(size_bytes, content)
                yield kept
                span = replace(span, after=taken_at(kept))
            if len(found) < span.at_once:
                return

    def series_names(self) -> list[str]:
        """The names of all series of snapshots, sorted: no snapshot is read for it."""
        with self._snapshots_read() as connection:
            return [] if connection is None else snapshots.names(connection)

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        """The last one of a series; None where there is none."""
        with self._snapshots_read() as connection:
            found = None if connection is None else snapshots.newest(self.database, connection, series)
            if found is None:
                return None
            with self._sound(f"the snapshots of {series}"):
                return snapshots.unpacked(*found)

    def snapshot_series(self) -> list[SnapshotSeries]:
        """Each series of snapshots in short, by name."""
        with self._snapshots_read() as connection:
            if connection is None:
                return []
            with self._sound("the list of snapshots"):
                return snapshots.all_series(self.database, connection)

    def forget_snapshots(self, series: str, before: datetime) -> None:
        """Removes snapshots of a series that were taken earlier, for good."""
        with self._snapshots_read() as connection:
            if connection is not None:
                with self.database.transaction(connection):
                    snapshots.forget(self.database, connection, series, before)
                self.database.give_back(connection)

    def forget_series(self, seen: Sequence[SnapshotSeries]) -> str | None:
        """Removes all of these, as they were seen, in one transaction; else says which is another by now, and removes nothing."""
        with self._snapshots_read() as connection:
            if connection is None:
                return seen[0].series if seen else None
            try:
                with self.database.transaction(connection, alone=True):
                    for one in seen:
                        snapshots.forget_whole(self.database, connection, one)
            except snapshots.OtherSnapshotsError as error:
                return error.series
            self.database.give_back(connection)
        return None

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        """Puts it in the place of what is kept of that day, in one transaction; False where something else is kept by now.

        Nobody else thins at the same time.
        """
        with self.database.connect() as connection:
            ensure_newest(self.database, connection, partial(self._fill, connection))
            with self.database.transaction(connection, alone=True):
                return snapshots.thin(self.database, connection, day)

    @contextmanager
    def _snapshots_read(self, table: str = SNAPSHOTS) -> Iterator[Any]:
        """A connection, None where nothing was ever kept in that table."""
        if not self._exists():
            yield None
            return
        with self.database.connect() as connection:
            has_them = is_there(self.database, connection) and snapshots.is_there(
                self.database, connection, table
            )
            yield connection if has_them else None

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
        if (before := runs_before_latest(run_id)) is not None:
            found = self._ids(connection, "ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET ?", [before])
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
        if runs_before_latest(run_id) is not None:
            message = (
                f"there is no '{run_id}': {self.display} holds {len(ids)} run{'' if len(ids) == 1 else 's'}"
            )
            return UsageError("run-unknown", message, "See them all with `plimsoll store list`.")
        from difflib import get_close_matches

        near = get_close_matches(run_id, ids, n=_NAMED_IDS_MAX, cutoff=0.5) or ids[:_NAMED_IDS_MAX]
        hint = f"Nearest: {_listed(near)}. See them all with `plimsoll store list`."
        return UsageError("run-unknown", f"no run is called '{run_id}'", hint)

    def _ids(self, connection: Any, rest: str, values: Row) -> list[str]:
        return [row[0] for row in self._rows(connection, f"SELECT id FROM runs {rest}", values)]

    def _rows(self, connection: Any, statement: str, values: Row) -> list[Sequence[Any]]:
        return self._run(connection, statement, values).fetchall()

    def _run(self, connection: Any, statement: str, values: Row) -> Any:
        return connection.execute(statement.replace("?", self.database.mark), values)

    def _insert(
        self, connection: Any, table: str, columns: Sequence[str], rows: Sequence[Row], rest: str = ""
    ) -> None:
        marks = ", ".join([self.database.mark] * len(columns))
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) {rest}"
        connection.cursor().executemany(statement, rows)

    def _stored(self, kind: Kind, value: Any) -> Any:
        return self.database.instant(value) if kind == "instant" and value is not None else value

    def _fill(self, connection: Any, columns: Sequence[RunColumn]) -> None:
        """Gives the runs that are there their values of new columns."""
        if not columns:
            return
        places = ", ".join(f"{column.name} = ?" for column in columns)
        for run_id in self._ids(connection, "ORDER BY id", []):
            with self._sound(run_id):
                run = self._load(connection, run_id)
            values = [self._stored(column.kind, column.of(run)) for column in columns]
            self._run(connection, f"UPDATE runs SET {places} WHERE id = ?", [*values, run_id])


def _without_wildcards(text: str) -> str:
    """What LIKE takes as it is."""
    for sign in ("\\", "%", "_"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _summary(row: dict[str, Any]) -> RunSummary:
    tags = row["tags"]
    return RunSummary.model_validate({**row, "tags": tuple(tags.split(",")) if tags else ()})


def _unpacked(blob: bytes, size_bytes: int) -> bytes:
    """Raises ValueError for what we did not pack; it never takes more memory than it said."""
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(blob, size_bytes + 1)
    except zlib.error as error:
        raise ValueError(f"a blob is no zlib stream: {error}") from error
    if len(content) != size_bytes:
        raise ValueError("a blob has another size than was noted")
    return content


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"[:_REASON_LENGTH_MAX]
    return (str(error).splitlines() or [type(error).__name__])[0][:_REASON_LENGTH_MAX]


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_NAMED_IDS_MAX])
    return f"{shown} and {len(ids) - _NAMED_IDS_MAX} more" if len(ids) > _NAMED_IDS_MAX else shown

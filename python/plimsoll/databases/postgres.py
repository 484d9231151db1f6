"""PostgreSQL 14 to 18: a read-only session that takes all counters of the server at one moment.

Counters are read in one transaction and from one copy (`stats_fetch_consistency = snapshot`, 15 and later), so that they fit
together. The driver is psycopg 3, imported when used. Passwords come from the URL, `PGPASSWORD`, `~/.pgpass` or the caller.

Sources: PostgreSQL manual, "Monitoring database activity" (views and their columns by version).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.printable import printable
from plimsoll.databases import _logs, _postgres_log, _queries
from plimsoll.databases import _postgres_errors as errors
from plimsoll.databases import _postgres_wire as wire
from plimsoll.databases._counted_rows import CountedRows, WaitingSessions
from plimsoll.databases._kind import AskPassword, DatabaseKind, ServerCounts, opened_by
from plimsoll.databases._logs import LogPlace, LogText
from plimsoll.databases._postgres_counts import counted
from plimsoll.databases._postgres_files import DataFile, DataNames, FilePlaces, relation_name
from plimsoll.databases._postgres_objects import (
    ObjectsLook,
    ServerLook,
    StatementsLook,
    StatementsPlace,
    most_query,
    relations_of,
    statements_of,
    statements_query,
)
from plimsoll.databases._postgres_rows import KINDS, RowsReader
from plimsoll.databases._postgres_session import PostgresSession
from plimsoll.databases._postgres_settings import settings_of
from plimsoll.databases._postgres_waits import ReadWaitsWatch
from plimsoll.databases._refusals import reads_answers
from plimsoll.facts import Database, IoCounters, Note, RelationCounters, ServerLog, Snapshot
from plimsoll.ports.clock import Clock, SystemClock

if TYPE_CHECKING:
    from psycopg import Connection as Session

OLDEST_MAJOR = 14
NEWEST_MAJOR = 18
_KIND = "postgres"
_TOTALS = "pg_"
"""How queries of one row of totals are named: as the server's views are."""
_NO_LOG_FILE = (
    "the server writes no log of its own that can be read through it (logging_collector, log_destination)"
)


class PostgresConnection:
    """One session. `location` names user, host, port and database, never a password."""

    database: Database
    notes: tuple[Note, ...]

    def __init__(self, url: str, clock: Clock | None = None, ask_password: AskPassword | None = None) -> None:
        self._clock = clock or SystemClock()
        self._parameters = errors.parse_url(url)
        self._place = self._parameters
        self._begin(ask_password)

    @property
    def location(self) -> str:
        """Where the session leads, fit to be shown."""
        return errors.location(self._place)

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    dialect = "postgres"

    def counts(self, before: Snapshot, after: Snapshot) -> ServerCounts:
        """See `Connection.counts`. Log writes by sessions alone are known from 18 on, of all together before."""
        return counted(before, after, timed=self.database.settings.get("track_wal_io_timing") == "on")

    @property
    def server_process(self) -> int | None:
        """See `Connection.server_process`."""
        return self._session.info.backend_pid

    def session(self, name: str) -> PostgresSession:
        """See `Connection.session`."""
        driver = errors.connect(self._parameters, None, name)
        errors.pinned(driver, self._parameters)
        return PostgresSession(driver, self.location)

    log_path: Path | None = None
    """The log of a server that we started ourselves, which lies here as a file."""

    def log_place(self) -> LogPlace:
        """See `Connection.log_place`. Through the server it wants `pg_monitor` and `pg_read_server_files`."""
        if self.log_path is not None:
            return _logs.file_place(self.log_path)
        try:
            return self._log_place()
        except PlimsollError as error:
            return _logs.no_log(error.message)

    def log_since(self, place: LogPlace) -> ServerLog:
        """See `Connection.log_since`."""
        if place.unknown_because:
            return _logs.unread(place.unknown_because)
        try:
            found = _logs.file_beyond(place) if self.log_path is not None else self._log_beyond(place)
        except OSError as error:
            return _logs.unread(f"could not read {place.source}: {(error.strerror or str(error)).lower()}")
        except PlimsollError as error:
            return _logs.unread(error.message)
        return _logs.server_log(place.source, _postgres_log.entries(found.text), found)

    @reads_answers
    def _log_place(self) -> LogPlace:
        with self._reading():
            found = self._row("log_place")
        if found["name"] is None or found["bytes"] is None:
            return _logs.no_log(_NO_LOG_FILE)
        if not _postgres_log.is_english(found["language"]):
            language = printable(str(found["language"]))
            return _logs.no_log(
                f"it is written in the language of {language}, and only English is known here"
            )
        return LogPlace(str(found["name"]), int(found["bytes"]))

    @reads_answers
    def _log_beyond(self, place: LogPlace) -> LogText:
        """From there to the end of that file, and all of the one that the server went on in."""
        assert isinstance(place.at, int), "a place in a file"
        now = self._log_place()
        most = limits.SERVER_LOG_BYTES_MAX + 1
        if now.source == place.source:
            # A server may begin a file anew under the same name (log_truncate_on_rotation).
            cut = int(now.at) < place.at
            return _logs.made_text(self._log_part(place.source, 0 if cut else place.at, most), cut)
        found = self._log_part(place.source, place.at, most)
        return _logs.made_text(found + (self._log_part(now.source, 0, most) if now.source else b""), True)

    def _log_part(self, name: str, at_bytes: int, bytes_max: int) -> bytes:
        with self._reading():
            row = self._session.execute(
                self._queries["log_read"].encode(), (name, at_bytes, bytes_max)
            ).fetchone()
        return bytes(row["part"] or b"") if row else b""

    def own_report(self, licensed: bool = False) -> AbstractContextManager[Sequence[Note]]:
        """It keeps no snapshots of its own."""
        return nullcontext(())

    def reopen(self) -> None:
        """A new session in place of one that broke; version and settings may have changed meanwhile."""
        self._session.close()
        self._begin(None)

    @reads_answers
    def snapshot(self, relations: bool = False) -> Snapshot:
        """All counters at one moment; see `Connection.snapshot`."""
        with self._reading():
            return self._taken(relations)

    @reads_answers
    def waiting(self) -> list[WaitingSessions] | None:
        """See `CountsRows`."""
        if not self._sees_others:
            return None
        return [WaitingSessions(**row) for row in self._rows_at_once("waits")]

    @reads_answers
    def objects(self) -> ObjectsLook:
        """All objects of the connected database, with the server's counters, at one moment. Raises as `snapshot` does."""
        with self._reading():
            snapshot = self._taken(relations=False)
            server = ServerLook(**self._row("objects_server"))
            return ObjectsLook(snapshot, relations_of(self._rows("objects")), server, self._statements())

    @reads_answers
    def snapshot_with_rows(self, step: int) -> tuple[Snapshot, tuple[CountedRows, ...]]:
        """See `CountsRows`."""
        taken: Snapshot | None = None
        rows: list[CountedRows] = []
        reason = ""
        try:
            with self._reading():
                taken = self._taken(relations=False)
                rows.extend(RowsReader(self._session, self._queries).all_kinds(step))
        except WorldError as error:
            if taken is None:
                raise
            reason = error.message
        read = {part.kind for part in rows}
        unread = [CountedRows(kind, unknown=reason) for kind in KINDS if kind not in read]
        return taken, (*rows, *unread)

    @reads_answers
    def file_places(self) -> FilePlaces:
        """See `NamesFiles`."""
        with self._reading():
            found = self._row("file_places")
        return FilePlaces(
            found["database_oid"], dict(zip(found["locations"], found["tablespace_oids"], strict=True))
        )

    @reads_answers
    def data_names(self) -> DataNames:
        """See `NamesFiles`."""
        with self._reading():
            found = self._row("data_names")
        return DataNames(
            dict(zip(found["database_oids"], found["databases"], strict=True)),
            dict(zip(found["tablespace_oids"], found["tablespaces"], strict=True)),
            found["pid"],
        )

    @reads_answers
    def file_relations(self, asked: Collection[DataFile]) -> dict[DataFile, str]:
        """See `NamesFiles`."""
        numbers = [one.tablespace_oid for one in asked], [one.number for one in asked]
        with self._reading():
            rows = self._session.execute(self._queries["file_relations"].encode(), numbers).fetchall()
        return {
            DataFile(row["tablespace_oid"], row["number"]): relation_name(
                row["schema_name"], row["name"], row["is_toast"]
            )
            for row in rows
        }

    def watch_read_waits(self) -> AbstractContextManager[ReadWaitsWatch | None]:
        """Looks in the block at what sessions wait for when they read; None before 18."""
        query = self._queries.get("read_waits")
        if query is None:
            return nullcontext(None)
        return ReadWaitsWatch(self._clock, lambda: self.session("plimsoll read waits"), query)

    def _statements(self) -> StatementsLook | None:
        """None where pg_stat_statements does not answer."""
        places = self._rows("statements_place")
        if not places:
            return None
        schema = StatementsPlace(**places[0]).schema
        row = self._session.execute(statements_query(schema).encode()).fetchone()
        assert row is not None, "an aggregate gives one row"
        return statements_of(row, self._session.execute(most_query(schema).encode()).fetchall())

    def _taken(self, relations: bool) -> Snapshot:
        begin_s = self._clock.monotonic_s()
        before, before_s = self._clock.now(), self._clock.monotonic_s()
        server = self._row("server")
        after, after_s = self._clock.now(), self._clock.monotonic_s()
        groups = {view: self._row(view) for view in self._queries if _has_totals(view)}
        io_rows = self._rows("pg_stat_io") if "pg_stat_io" in self._queries else []
        tables = self._rows("relations") if relations else []
        moment = self._row("moment")
        end_s = self._clock.monotonic_s()
        middle = before + (after - before) / 2
        resets = {view: row["stats_reset"] for view, row in groups.items() if "stats_reset" in row}
        if io_rows:
            resets["pg_stat_io"] = max(
                (row["stats_reset"] for row in io_rows if row["stats_reset"]), default=None
            )
        return Snapshot(
            taken_at=server["taken_at"],
            clock_offset_s=(server["server_now"] - middle).total_seconds(),
            clock_offset_error_s=(after_s - before_s) / 2,
            started_at=server["started_at"],
            system_identifier=server["system_identifier"],
            resets=resets,
            totals={
                f"{view}.{column}": value
                for view, row in groups.items()
                for column, value in row.items()
                if column != "stats_reset"
            },
            io=tuple(_io_counters(row) for row in io_rows if _has_happened(row)),
            relations=tuple(RelationCounters(**row) for row in tables),
            moment=moment,
            monotonic_s=(before_s + after_s) / 2
            + (server["taken_at"] - server["server_now"]).total_seconds(),
            statistics_lag_s=0.5 if self._major < 15 else 0.0,
            cost_s=end_s - begin_s,
            database_oids=tuple(server["database_oids"]),
        )

    @reads_answers
    def _begin(self, ask_password: AskPassword | None) -> None:
        self._session = self._connected(ask_password)
        try:
            self._major = self._session.info.server_version // 10000
            self._queries = _queries.for_version(_KIND, self._major)
            with self._reading():
                self.database, self.notes = self._introduction()
            self._leave_no_trace()
        except BaseException:
            self.close()
            raise

    def _leave_no_trace(self) -> None:
        """Has what this session itself reads at first, catalogs mostly, counted before the first snapshot instead of after it."""
        if self._major < 15:
            return
        self.snapshot()
        with errors.translated(self.location), self._limited():
            self._session.execute("select pg_catalog.pg_stat_force_next_flush()")

    def _introduction(self) -> tuple[Database, tuple[Note, ...]]:
        login, server = self._row("login"), self._row("server")
        self._sees_others = bool(login["sees_all_statistics"])
        settings, defaults = settings_of(self._rows("settings"))
        database = Database(
            kind="postgresql",
            version=self._session.info.parameter_status("server_version")
            or str(self._session.info.server_version),
            version_number=self._session.info.server_version,
            location=self.location,
            name=login["database_name"],
            system_identifier=server["system_identifier"],
            block_bytes=int(settings["block_size"]),
            direct_io=_direct_io(settings, self._major),
            io_timing=settings.get("track_io_timing") == "on",
            settings=settings,
            settings_defaults=defaults,
        )
        return database, tuple(_restrictions(login, settings, self._major))

    def _connected(self, ask_password: AskPassword | None) -> Session[dict[str, Any]]:
        session = errors.connect(self._parameters, ask_password)
        version = session.info.server_version
        if version < OLDEST_MAJOR * 10000:
            session.close()
            raise WorldError(
                "database-too-old",
                f"cannot read demand from postgresql {version // 10000}: it lacks the counters",
                f"PostgreSQL {OLDEST_MAJOR} to {NEWEST_MAJOR} can be read.",
            )
        self._place = errors.place_of(self._parameters, session.info.get_parameters())
        return session

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """One read-only transaction. The settings are local to it, so that a connection pooler in between does no harm."""
        with errors.translated(self.location), self._limited(), self._session.transaction():
            self._session.execute(self._reading_settings().encode())
            yield

    def _reading_settings(self) -> str:
        """Statements at the beginning of a transaction, which are sent together."""
        settings = [
            "set transaction read only",
            errors.pinning(self._parameters, local=True),
            f"set local statement_timeout = '{limits.STATEMENT_TIMEOUT_S}s'",
            # In a zone with summer time, Python takes what two clocks on the wall show for the time between them.
            "set local timezone = 'UTC'",
        ]
        if self._major >= 15:
            settings.append("set local stats_fetch_consistency = 'snapshot'")
        return "; ".join(settings)

    def _limited(self) -> AbstractContextManager[None]:
        return wire.within(self._session, limits.READING_S_MAX, limits.READING_BYTES_MAX)

    def _rows_at_once(self, view: str) -> list[dict[str, Any]]:
        """Of one query in a transaction of its own, with one message to the server: for what is asked each second."""
        words = ("begin", self._reading_settings(), self._queries[view], "commit")
        with errors.translated(self.location), self._limited():
            try:
                cursor = self._session.execute(";\n".join(words).encode())
            except errors.driver().Error:
                if not self._session.closed:
                    self._session.rollback()
                raise
            while cursor.description is None and cursor.nextset():
                pass
            return cursor.fetchall()

    def _rows(self, view: str) -> list[dict[str, Any]]:
        return self._session.execute(self._queries[view].encode()).fetchall()

    def _row(self, view: str) -> dict[str, Any]:
        rows = self._rows(view)
        assert len(rows) == 1, f"{view} must give one row"
        return rows[0]


def _has_totals(view: str) -> bool:
    return view.startswith(_TOTALS) and view != "pg_stat_io"


def _io_counters(row: dict[str, Any]) -> IoCounters:
    return IoCounters(**{column: value for column, value in row.items() if column != "stats_reset"})


def _has_happened(row: dict[str, Any]) -> bool:
    """Rows that are zero throughout are left out: an absent row means nothing of that kind ever happened."""
    return any(isinstance(value, int | float) and value != 0 for value in row.values())


def _direct_io(settings: dict[str, str], major: int) -> bool | None:
    """Whether data files bypass the system's cache. Before 16 they never do; after that the server says so if we may ask."""
    if major < 16:
        return False
    value = settings.get("debug_io_direct")
    return None if value is None else "data" in [word.strip() for word in value.split(",")]


def _restrictions(login: dict[str, Any], settings: dict[str, str], major: int) -> Iterator[Note]:
    if not login["sees_all_statistics"]:
        yield Note(
            code="rights-partial",
            message=f"user {login['user_name']} may not see other users' sessions, so long transactions, whose I/O appears "
            "only when they end, are not noticed; grant pg_monitor to see them",
        )
    if settings.get("track_counts") == "off":
        yield Note(
            code="counts-off", message="track_counts is off: reads and commits by database are not counted"
        )
    if settings.get("track_io_timing") != "on":
        yield Note(
            code="io-timing-off",
            message="track_io_timing is off: how long the database's I/O took is unknown",
        )
    if settings.get("track_wal_io_timing") == "off":
        yield Note(
            code="log-timing-off",
            message="track_wal_io_timing is off: how long writing and forcing the log took is unknown",
        )
    if settings.get("fsync") == "off":
        yield Note(
            code="fsync-off",
            message="fsync is off: nothing waits for the storage, and no figure here says anything about its log writes",
        )
    if login["in_recovery"]:
        yield Note(code="standby", message="this is a standby: its demand is not that of the primary")
    if major > NEWEST_MAJOR:
        yield Note(
            code="version-new",
            message=f"postgresql {major} is newer than {NEWEST_MAJOR}, the last that was tried",
        )


DATABASE = DatabaseKind(
    name="postgres",
    title="PostgreSQL 14 to 18",
    help="A running server, by postgresql://user@host:5432/name. The user needs to connect; pg_monitor shows more.",
    schemes=("postgresql", "postgres"),
    opened=opened_by(PostgresConnection),
)

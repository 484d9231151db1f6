"""Oracle Database from 12.1, by python-oracledb in its thin mode: all instances' totals and waits, as Statspack takes them.

No server of Oracle's was at hand: the queries are written by its manuals, and are tried against a stand-in for the driver only.
Nothing that needs the Diagnostics Pack is read but for who says that its licence is held. Passwords come from the URL or from
the caller.

Sources: Oracle Database Reference, GV$SYSSTAT, GV$SYSTEM_EVENT, GV$INSTANCE, V$PARAMETER.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.databases import _logs, _oracle_collector, _oracle_log, _queries
from plimsoll.databases import _oracle_errors as errors
from plimsoll.databases._kind import AskPassword, DatabaseKind, ServerCounts, opened_by
from plimsoll.databases._logs import LogPlace
from plimsoll.databases._oracle_counts import counted
from plimsoll.databases._oracle_reports import ReportPair, report_pair
from plimsoll.databases._oracle_session import OracleSession
from plimsoll.databases._refusals import reads_answers
from plimsoll.facts import Database, Note, ServerLog, Snapshot
from plimsoll.facts.demand import CONTAINER_MARK, CONTAINER_ROOT
from plimsoll.ports.clock import Clock, SystemClock

OLDEST_MAJOR = 12
_FOLDER = "oracle"
_DIRECT = frozenset({"DIRECTIO", "SETALL"})
_MS_PER_S = 1000


class OracleConnection:
    """One session. `location` names user, host, port and service, never a password."""

    database: Database
    notes: tuple[Note, ...]

    dialect = "oracle"

    def __init__(self, url: str, clock: Clock | None = None, ask_password: AskPassword | None = None) -> None:
        self._clock = clock or SystemClock()
        self._parameters = errors.parse_url(url)
        self._begin(ask_password)

    @property
    def location(self) -> str:
        """Where the session leads, fit to be shown."""
        return errors.location(self._parameters)

    def close(self) -> None:
        """Ends the session."""
        try:
            self._driver.close()
        except errors.driver().Error:
            return

    def counts(self, before: Snapshot, after: Snapshot) -> ServerCounts:
        """See `Connection.counts`."""
        return counted(before, after)

    @property
    def server_process(self) -> int | None:
        """See `Connection.server_process`."""
        return self._process_of(self._driver)

    def session(self, name: str) -> OracleSession:
        """See `Connection.session`."""
        driver = errors.connect(self._parameters, None, name)
        return OracleSession(driver, self.location, self._process_of(driver))

    def report_pair(
        self, session: OracleSession, licensed: bool = False
    ) -> AbstractContextManager[ReportPair]:
        """Snapshots of AWR or Statspack around a block; see `plimsoll.databases._oracle_reports`."""
        return report_pair(session, self._queries, licensed)

    def log_place(self) -> LogPlace:
        """See `Connection.log_place`. The alert log is asked for what it has gained since now."""
        try:
            return self._log_place()
        except PlimsollError as error:
            return _logs.no_log(error.message)

    def log_since(self, place: LogPlace) -> ServerLog:
        """See `Connection.log_since`."""
        if place.unknown_because:
            return _logs.unread(place.unknown_because)
        try:
            return _logs.server_log(place.source, _oracle_log.entries(self._log_rows(place)))
        except PlimsollError as error:
            return _logs.unread(error.message)

    @reads_answers
    def _log_place(self) -> LogPlace:
        with errors.translated(self.location):
            now = self._row("server")["server_now"]
        return LogPlace("v$diag_alert_ext, the alert log of this instance", f"{now:%Y-%m-%d %H:%M:%S.%f}")

    @reads_answers
    def _log_rows(self, place: LogPlace) -> list[dict[str, Any]]:
        with errors.translated(self.location):
            return self._rows("log_read", [place.at])

    @reads_answers
    def printed(self, statement: str, *, needed: bool = False) -> list[str]:
        """See `plimsoll.databases.PrintsQueries`."""
        return _oracle_collector.printed(self._driver, self.location, statement, needed)

    @contextmanager
    def own_report(self, licensed: bool = False) -> Iterator[Sequence[Note]]:
        """A pair of Statspack's snapshots, or with a licence of AWR's, in a session of its own."""
        told: list[Note] = []
        session = self.session("plimsoll report")
        try:
            with self.report_pair(session, licensed) as pair:
                yield told
            told.append(Note(code="own-report", message=pair.words))
        finally:
            session.close()

    def reopen(self) -> None:
        """A new session in place of one that broke; version and parameters may have changed meanwhile."""
        self.close()
        self._begin(None)

    @reads_answers
    def snapshot(self, relations: bool = False) -> Snapshot:
        """All counters at one moment; see `Connection.snapshot`. Those of single tables are not read."""
        with errors.translated(self.location):
            begin_s = self._clock.monotonic_s()
            before, before_s = self._clock.now(), self._clock.monotonic_s()
            server_now = _instant(self._row("server")["server_now"])
            after, after_s = self._clock.now(), self._clock.monotonic_s()
            totals: dict[str, float | None] = dict(self._totals())
            login, moment = self._row("login"), self._row("moment")
            end_s = self._clock.monotonic_s()
        middle = before + (after - before) / 2
        return Snapshot(
            taken_at=server_now,
            clock_offset_s=(server_now - middle).total_seconds(),
            clock_offset_error_s=(after_s - before_s) / 2,
            started_at=_instant(login["started_at"]),
            system_identifier=login["system_identifier"],
            resets={},
            totals=totals,
            io=(),
            moment={"user_sessions": float(moment["sessions"])},
            monotonic_s=(before_s + after_s) / 2,
            cost_s=end_s - begin_s,
        )

    @reads_answers
    def _begin(self, ask_password: AskPassword | None) -> None:
        self._driver = errors.connect(self._parameters, ask_password)
        try:
            self._driver.call_timeout = limits.STATEMENT_TIMEOUT_S * _MS_PER_S
            number = self._known_version()
            self._queries = _queries.for_version(_FOLDER, number // 10000)
            with errors.translated(self.location):
                with self._driver.cursor() as cursor:
                    cursor.execute("alter session set time_zone = '+00:00'")
                self.database, self.notes = self._introduction(number)
        except BaseException:
            self.close()
            raise

    def _known_version(self) -> int:
        text = self._driver.version
        parts = [int(part) for part in text.split(".")[:3]]
        if parts[0] < OLDEST_MAJOR:
            raise WorldError(
                "database-too-old",
                f"cannot read demand from oracle {text}: the driver does not speak to it",
                f"Oracle Database {OLDEST_MAJOR}.1 and later can be read.",
            )
        return parts[0] * 10000 + parts[1] * 100 + (parts[2] if len(parts) > 2 else 0)

    def _introduction(self, number: int) -> tuple[Database, tuple[Note, ...]]:
        login = self._row("login")
        settings = {row["name"]: row["value"] for row in self._rows("settings") if row["value"] is not None}
        database = Database(
            kind="oracle",
            version=self._driver.version,
            version_number=number,
            location=self.location,
            name=_name(login),
            system_identifier=login["system_identifier"],
            block_bytes=int(settings["db_block_size"]),
            direct_io=_direct_io(settings, login),
            io_timing=settings.get("timed_statistics") == "TRUE",
            settings=settings,
        )
        return database, tuple(_notes(login, settings))

    def _totals(self) -> Iterator[tuple[str, float]]:
        for row in self._rows("sysstat"):
            yield f"sysstat.{row['name']}", float(row["value"])
        for row in self._rows("system_event"):
            yield f"system_event.{row['event']}.waits", float(row["total_waits"])
            yield f"system_event.{row['event']}.time_us", float(row["time_waited_micro"])

    def _process_of(self, driver: Any) -> int | None:
        """The server's process of a session; None where this user may not see it."""
        try:
            with driver.cursor() as cursor:
                cursor.execute(self._queries["process"])
                rows = cursor.fetchall()
        except errors.driver().Error as error:
            if not errors.lacks_rights(error):
                raise errors.working_failure(error, self.location) from error
            return None
        return int(rows[0][0]) if rows and str(rows[0][0]).isdigit() else None

    def _rows(self, view: str, binds: Sequence[Any] = ()) -> list[dict[str, Any]]:
        with self._driver.cursor() as cursor:
            cursor.execute(self._queries[view], list(binds))
            names = [column[0].lower() for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _row(self, view: str) -> dict[str, Any]:
        rows = self._rows(view)
        assert len(rows) == 1, f"{view} must give one row"
        return rows[0]


def _container(login: dict[str, Any]) -> str | None:
    """The pluggable database that the session is in; None in the root, and where there are no containers."""
    found = login["container_name"]
    return None if found in (None, CONTAINER_ROOT, login["database_name"]) else found


def _name(login: dict[str, Any]) -> str:
    """As reports name it."""
    name, container = login["database_name"], _container(login)
    return name if container is None else f"{name}{CONTAINER_MARK}{container}"


def _instant(naive: datetime) -> datetime:
    return naive.replace(tzinfo=UTC)


def _direct_io(settings: dict[str, str], login: dict[str, Any]) -> bool | None:
    """ASM always goes past the system's cache; of files a parameter decides. None where there are some of both."""
    asm, files = int(login["asm_files"]), int(login["data_files"])
    by_parameter = settings.get("filesystemio_options", "").upper() in _DIRECT
    if by_parameter or (files and asm == files):
        return True
    return False if asm == 0 and files else None


def _notes(login: dict[str, Any], settings: dict[str, str]) -> Iterator[Note]:
    yield Note(
        code="untried",
        message="reading from oracle was written by its manuals and never tried against a server of oracle's",
    )
    if login["is_cluster"] == "YES":
        yield Note(
            code="cluster-summed",
            message="this is a cluster: counters are the sums over all its instances (gv$); parameters and the alert log are of"
            " the instance that serves this session",
        )
    if (container := _container(login)) is not None:
        yield Note(
            code="container-share",
            message=f"the figures are of the pluggable database {container}, and not all that its storage is asked for",
        )
    if login["database_role"] != "PRIMARY":
        yield Note(code="standby", message="this is a standby: its demand is not that of the primary")
    if settings.get("timed_statistics") != "TRUE":
        yield Note(
            code="io-timing-off",
            message="timed_statistics is not true: how long the database's I/O took is unknown",
        )
    if "NOWAIT" in settings.get("commit_wait", "").upper():
        yield Note(
            code="commit-not-waited", message="commit_wait is nowait: a commit does not wait for the log"
        )


DATABASE = DatabaseKind(
    name="oracle",
    title="Oracle Database from 12.1 (untried)",
    help="A running instance, by oracle://user@host:1521/service. The user needs select_catalog_role.",
    schemes=("oracle",),
    opened=opened_by(OracleConnection),
)

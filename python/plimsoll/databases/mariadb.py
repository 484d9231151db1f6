"""MariaDB from 10.6 and MySQL from 8.0: a read-only session that takes the totals of the server and of InnoDB at one moment.

All totals of `global_status` come from one statement, so that they fit together. InnoDB adds to them as it works, so nothing
of them is late. Transactions are counted only where `innodb_monitor_enable` says so, and times only with the performance schema.
The driver is PyMySQL, imported when used. Passwords come from the URL, `MYSQL_PWD`, `~/.my.cnf` or the caller.

Sources: MariaDB knowledge base, "InnoDB status variables", "information_schema INNODB_METRICS table", "performance_schema
file_summary_by_event_name table"; MySQL 8.0 reference manual, "Server status variables".
"""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.databases import _logs, _mariadb_log, _queries
from plimsoll.databases import _mariadb_errors as errors
from plimsoll.databases import _mariadb_wire as wire
from plimsoll.databases._kind import AskPassword, DatabaseKind, ServerCounts, opened_by
from plimsoll.databases._logs import LogPlace
from plimsoll.databases._mariadb_counts import counted
from plimsoll.databases._mariadb_session import MariadbSession
from plimsoll.databases._refusals import reads_answers
from plimsoll.facts import Database, Note, ServerLog, Snapshot
from plimsoll.ports import files
from plimsoll.ports.clock import Clock, SystemClock

OLDEST = {"mariadb": 100600, "mysql": 80000}
NEWEST_TRIED = {"mariadb": 101199, "mysql": 0}
"""Beyond these, and on MySQL at all, the queries follow the manual and were not tried."""
_FOLDER = "mariadb"
_PID_BYTES_MAX = 64
_NOT_TOTALS = frozenset(
    {"uptime", "uptime_since_flush_status", "threads_connected", "threads_running", "slaves_running"}
)
_DIRECT = frozenset({"O_DIRECT", "O_DIRECT_NO_FSYNC", "ALL_O_DIRECT"})
_VERSION = re.compile(r"(?:5\.5\.5-)?(?P<major>\d+)\.(?P<minor>\d+)\.(?P<patch>\d+)")
"""MariaDB has put 5.5.5 before its own version for clients that would not know better."""


class MariadbConnection:
    """One session. `location` names user, host, port and database, never a password."""

    database: Database
    notes: tuple[Note, ...]

    def __init__(self, url: str, clock: Clock | None = None, ask_password: AskPassword | None = None) -> None:
        self._clock = clock or SystemClock()
        self._parameters = errors.parse_url(url)
        self._begin(ask_password)

    @property
    def location(self) -> str:
        """Where the session leads, fit to be shown."""
        return errors.location(self._parameters)

    server_process = None
    """The server tells threads, and not its process."""

    @property
    def dialect(self) -> str:
        """What was written for MariaDB's procedures and sequences does not run on MySQL."""
        return self.database.kind

    def close(self) -> None:
        """Ends the session."""
        if self._driver.open:
            self._driver.close()

    def counts(self, before: Snapshot, after: Snapshot) -> ServerCounts:
        """See `Connection.counts`."""
        return counted(before, after)

    def session(self, name: str) -> MariadbSession:
        """See `Connection.session`."""

        def connect() -> Any:
            return errors.connect(self._parameters, None, name, None)

        return MariadbSession(connect(), self.location, connect)

    def log_place(self) -> LogPlace:
        """See `Connection.log_place`. The log is a file of the server's machine: it is read where that is certainly this one."""
        if "unix_socket" not in self._parameters:
            return _logs.no_log(
                "it is a file of the server's machine, and only a session through its socket shows that it is ours"
            )
        try:
            return self._log_place()
        except PlimsollError as error:
            return _logs.no_log(error.message)

    def log_since(self, place: LogPlace) -> ServerLog:
        """See `Connection.log_since`."""
        if place.unknown_because:
            return _logs.unread(place.unknown_because)
        try:
            found = _logs.file_beyond(place)
        except OSError as error:
            return _logs.unread(f"could not read {place.source}: {(error.strerror or str(error)).lower()}")
        return _logs.server_log(place.source, _mariadb_log.entries(found.text), found)

    @reads_answers
    def _log_place(self) -> LogPlace:
        with errors.translated(self.location):
            told = self._rows("log_place")[0]
        name, folder = str(told["name"] or ""), Path(str(told["folder"]))
        if name in ("", "stderr"):
            return _logs.no_log("the server writes it to its standard error (log_error is not set)")
        pid_path = folder / str(told["pid_file"])
        if not self._is_process_of(pid_path):
            return _logs.no_log(
                f"{pid_path} does not name the process that serves this session, so its files may lie elsewhere"
            )
        return _logs.file_place(folder / name)

    def _is_process_of(self, pid_path: Path) -> bool:
        """Whether the process at the other end of our socket is the one named there: then its paths are ours too (unix(7))."""
        try:
            pid, *_ = struct.unpack(
                "3i", wire.socket_of(self._driver).getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            )
            return files.read_input(pid_path, _PID_BYTES_MAX).strip() == str(pid).encode()
        except OSError:
            return False

    def own_report(self, licensed: bool = False) -> AbstractContextManager[Sequence[Note]]:
        """It keeps no snapshots of its own."""
        return nullcontext(())

    def reopen(self) -> None:
        """A new session in place of one that broke; version and settings may have changed meanwhile."""
        self.close()
        self._begin(None)

    @reads_answers
    def snapshot(self, relations: bool = False) -> Snapshot:
        """All counters at one moment; see `Connection.snapshot`. Blocks are not counted by table, so there are never any."""
        with errors.translated(self.location):
            begin_s = self._clock.monotonic_s()
            before, before_s = self._clock.now(), self._clock.monotonic_s()
            server = self._rows("server")[0]
            after, after_s = self._clock.now(), self._clock.monotonic_s()
            status = self._rows("global_status")
            metrics = self._rows("innodb_metrics") if self._sees_innodb else []
            files = self._rows("file_summary") if self._sees_files else []
            at_work = self._rows("moment")[0] if self._sees_innodb else {}
            end_s = self._clock.monotonic_s()
        server_now, taken_at = _instant(server["server_now"]), _instant(status[0]["taken_at"])
        values = {row["name"]: _number(row["value"]) for row in status}
        middle = before + (after - before) / 2
        return Snapshot(
            taken_at=taken_at,
            clock_offset_s=(server_now - middle).total_seconds(),
            clock_offset_error_s=(after_s - before_s) / 2,
            started_at=_ago(taken_at, values["uptime"]),
            system_identifier=self.database.system_identifier or "",
            resets=_resets(taken_at, values, metrics),
            totals=dict(_totals(values, metrics, files)),
            io=(),
            moment={
                "threads_connected": values.get("threads_connected"), "threads_running": values.get("threads_running"),
                **{name: float(count) for name, count in at_work.items()},
            },
            monotonic_s=(before_s + after_s) / 2 + (taken_at - server_now).total_seconds(),
            cost_s=end_s - begin_s,
        )  # fmt: skip

    @reads_answers
    def _begin(self, ask_password: AskPassword | None) -> None:
        self._driver = errors.connect(self._parameters, ask_password)
        try:
            kind, number = self._known_version()
            self._queries = _queries.for_version(_FOLDER, number // 10000)
            with errors.translated(self.location):
                self._prepare(kind)
                self._sees_innodb, self._sees_files = self._may("innodb_metrics"), self._may("file_summary")
                self.database, self.notes = self._introduction(kind, number)
        except BaseException:
            self.close()
            raise

    def _known_version(self) -> tuple[str, int]:
        text = self._driver.get_server_info()
        kind, number = version_of(text)
        if number < OLDEST[kind]:
            oldest = f"{OLDEST[kind] // 10000}.{OLDEST[kind] // 100 % 100}"
            raise WorldError(
                "database-too-old",
                f"cannot read demand from {kind} {text}: it lacks the counters",
                f"MariaDB from 10.6 and MySQL from 8.0 can be read; this {kind} would have to be {oldest} at least.",
            )
        return kind, number

    def _prepare(self, kind: str) -> None:
        """Times as the system has them, nothing written, and no reading that lasts."""
        seconds = limits.STATEMENT_TIMEOUT_S
        limit = (
            f"max_statement_time = {seconds}"
            if kind == "mariadb"
            else f"max_execution_time = {seconds * 1000}"
        )
        with self._driver.cursor() as cursor:
            cursor.execute("set session transaction read only")
            cursor.execute(f"set session time_zone = 'SYSTEM', {limit}")

    def _may(self, view: str) -> bool:
        """Whether this user may see a view; what else goes wrong with it is raised."""
        try:
            self._rows(view)
        except errors.driver().Error as error:
            if not errors.lacks_rights(error):
                raise
            return False
        return True

    def _introduction(self, kind: str, number: int) -> tuple[Database, tuple[Note, ...]]:
        login = self._rows("login")[0]
        settings = {row["name"]: row["value"] for row in self._rows("settings") if row["value"] is not None}
        status = {row["name"]: row["value"] for row in self._rows("global_status")}
        timed = self._sees_files and settings.get("performance_schema") == "ON"
        database = Database(
            kind=kind,
            version=login["version"],
            version_number=number,
            location=self.location,
            name=login["database_name"],
            system_identifier=login["system_identifier"],
            block_bytes=int(settings["innodb_page_size"]),
            direct_io=_direct_io(settings),
            io_timing=timed,
            settings=settings,
        )
        counts_commits = self._sees_innodb and bool(self._rows("innodb_metrics"))
        told = _notes(login["user_name"], self._sees_innodb, counts_commits, timed, status, database)
        return database, tuple(told)

    def _rows(self, view: str) -> list[dict[str, Any]]:
        with self._driver.cursor() as cursor:
            cursor.execute(self._queries[view])
            names = [column[0].lower() for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def version_of(text: str) -> tuple[str, int]:
    """`mariadb` or `mysql`, and the version as a number: 10.11.6 is 101106. Raises WorldError `database-refused`."""
    found = _VERSION.match(text)
    if found is None:
        hint = "MariaDB and MySQL name their version first, such as 10.11.6-MariaDB."
        raise WorldError("database-refused", f"cannot read '{text[:60]}' as the version of a server", hint)
    kind = "mariadb" if "mariadb" in text.lower() else "mysql"
    return kind, int(found["major"]) * 10000 + int(found["minor"]) * 100 + int(found["patch"])


def _instant(naive: datetime) -> datetime:
    return naive.replace(tzinfo=UTC)


def _number(text: str) -> float | None:
    """Totals are whole; None for what is none, such as ON."""
    return int(text) if text.isdigit() else None


def _ago(taken_at: datetime, seconds: float | None) -> datetime:
    """The server counts whole seconds from a whole second, so this gives the same instant each time."""
    assert seconds is not None, "the server must say how long it has been up"
    return taken_at.replace(microsecond=0) - timedelta(seconds=seconds)


def _resets(
    taken_at: datetime, values: dict[str, float | None], metrics: list[dict[str, Any]]
) -> dict[str, datetime | None]:
    """FLUSH STATUS sets some totals to zero. InnoDB's metrics count from when they were switched on."""
    since = values.get("uptime_since_flush_status")
    flushed = since is not None and since != values["uptime"]
    resets = {"global_status": _ago(taken_at, since) if flushed else None}
    if metrics:
        enabled = max(row["enabled_at"] for row in metrics) - timedelta(seconds=metrics[0]["zone_s"])
        resets["innodb_metrics"] = _instant(enabled)
    return resets


def _totals(
    values: dict[str, float | None], metrics: list[dict[str, Any]], files: list[dict[str, Any]]
) -> Iterator[tuple[str, float | None]]:
    for name, value in values.items():
        if name not in _NOT_TOTALS and value is not None:
            yield f"global_status.{name}", value
    for row in metrics:
        yield f"innodb_metrics.{row['name']}", int(row["value"])
    for row in files:
        for name, value in row.items():
            if value is not None:
                yield f"file_summary.{name}", float(value)


def _direct_io(settings: dict[str, str]) -> bool | None:
    """Whether data files bypass the system's cache. From 11.0 on MariaDB has a setting for just that."""
    buffering = settings.get("innodb_data_file_buffering")
    if buffering is not None:
        return buffering == "OFF"
    method = settings.get("innodb_flush_method")
    return None if method is None else method.upper() in _DIRECT


def _notes(
    user: str,
    sees_innodb: bool,
    counts_commits: bool,
    timed: bool,
    status: dict[str, str],
    database: Database,
) -> Iterator[Note]:
    if not sees_innodb:
        yield Note(
            code="rights-partial",
            message=f"user {user} may not see InnoDB's metrics, so transactions are not counted; grant process to see them",
        )
    elif not counts_commits:
        yield Note(
            code="commits-off",
            message="transactions are not counted; set global innodb_monitor_enable = 'module_trx' counts them",
        )
    if not timed:
        yield Note(
            code="io-timing-off",
            message="the performance schema is off or may not be seen: how long the database's reads took is unknown",
        )
    if "innodb_os_log_fsyncs" not in status:
        yield Note(
            code="log-syncs-uncounted",
            message=f"{database.kind} {database.version} does not count how often it forces the log; writes of the log are counted",
        )
    if database.settings.get("innodb_flush_log_at_trx_commit", "1") in ("0", "2"):
        yield Note(
            code="commit-not-waited",
            message="innodb_flush_log_at_trx_commit is not 1: a commit does not wait until the log is on stable storage",
        )
    yield Note(
        code="backends-untold",
        message="I/O of sessions is not told apart from that of the background, nor by table",
    )
    if int(status.get("slaves_running") or 0) > 0:
        yield Note(code="standby", message="this is a replica: its demand is not that of the primary")
    if database.version_number > NEWEST_TRIED[database.kind]:
        yield Note(
            code="version-new",
            message=f"{database.kind} {database.version} was not tried; MariaDB 10.11 was",
        )


DATABASE = DatabaseKind(
    name="mariadb",
    title="MariaDB from 10.6, MySQL from 8.0",
    help="A running server, by mysql://user@host:3306/name. The user needs to connect; PROCESS shows more.",
    schemes=("mysql", "mariadb"),
    opened=opened_by(MariadbConnection),
)

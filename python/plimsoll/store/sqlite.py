"""The store in one SQLite file: write-ahead log, every commit forced to the disk, many processes at once."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from plimsoll.base import limits
from plimsoll.base.errors import WorldError, world_error
from plimsoll.base.printable import printable
from plimsoll.ports import files, processes
from plimsoll.ports.clock import SystemClock
from plimsoll.ports.folders import kind_of, user_name, why_untrusted
from plimsoll.store._referenced import referenced
from plimsoll.store._sidecars import why_not_ours
from plimsoll.store.documents import DOCUMENTS, RunDocument, put_statement, write_in_parts
from plimsoll.store.schema import TABLES

_TURN_STEPS = 100_000
"""Instructions of SQLite's virtual machine: a few milliseconds."""
_FREE_SHARE_MAX = 0.5
_SCHEMA_IS_LOCKED = "may not be modified"
"""What a SQLite says that was compiled to be defensive: it makes views by its statement for them alone."""
_KERNEL_FILES = ("/proc/", "/sys/")
_FOLDER_MODE = 0o700
"""Of folders that are made for it; results name hosts, databases and SQL."""
_OTHER_STORE = "Name another store with --store or PLIMSOLL_STORE."

_TAKEN = "SELECT lower(name) FROM sqlite_master WHERE NOT (type = 'view' AND instr(sql, ?) > 0)"

_A_FOLDER = "it is a folder"

_FAILURES = {
    "SQLITE_BUSY": (
        "store-locked",
        "could not use {display}: another program has held it for {busy:g} s",
        "Close the program that has it open, then repeat the command.",
    ),
    "SQLITE_READONLY": ("store-read-only", "cannot write {display}: {reason}", _OTHER_STORE),
    "SQLITE_PERM": ("store-read-only", "cannot write {display}: {reason}", _OTHER_STORE),
    "SQLITE_FULL": (
        "store-full",
        "could not write {display}: no space is left on the device",
        f"Free some space there. {_OTHER_STORE}",
    ),
    "SQLITE_CANTOPEN": ("store-unopenable", "could not open {display}: {reason}", _OTHER_STORE),
    "SQLITE_NOTADB": (
        "store-foreign",
        "{display} is not a SQLite database",
        f"It was left as it is. {_OTHER_STORE}",
    ),
    "SQLITE_CORRUPT": (
        "store-damaged",
        "{display} is damaged: {reason}",
        "Save what can be read with `sqlite3 FILE .recover`, and check the disk that it lies on.",
    ),
    "SQLITE_IOERR": (
        "store-io",
        "could not read or write {display}: {reason}",
        f"Check its disk. {_OTHER_STORE}",
    ),
}
"""Id, message and hint by SQLite's primary result code."""

_REFERENCED = ("SQLITE_CONSTRAINT_FOREIGNKEY", "SQLITE_CONSTRAINT_TRIGGER")
_REFERENCED_WORDS = "FOREIGN KEY constraint failed"
"""SQLite makes triggers of actions of foreign keys, RESTRICT among them."""
_REFERRING = f"""
SELECT DISTINCT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f
WHERE m.type = 'table' AND lower(f."table") IN ({", ".join(f"'{table}'" for table in TABLES)}) ORDER BY 1
"""

_MAYBE_FULL = ("SQLITE_IOERR", "SQLITE_CANTOPEN")
_ROOM_BYTES = 64 << 10
"""The index of a write-ahead log takes 32 KiB, and its first pages some.

source: https://sqlite.org/walformat.html#the_wal_index_file_format
"""

# Even a defect of ours must not cost the result: whoever saves catches a WorldError and still prints what was measured.
_UNFORESEEN = (
    "store-failed",
    "could not use {display}: {reason}",
    f"Report this with its whole text. {_OTHER_STORE}",
)


class _Held(threading.local):
    """What a thread keeps open, as SQLite wants a connection to stay in one thread."""

    connection: sqlite3.Connection | None = None


class SqliteDatabase:
    """A file. It is made at the first write, with the folders above it."""

    dialect = "sqlite"
    document = "document"
    mark = "?"
    is_ours_alone = True

    def __init__(self, path: Path, is_typed: bool = False) -> None:
        """`is_typed`: somebody has just named it, and may have mistyped the folder."""
        self.path = path
        self._is_typed = is_typed
        self.display: str = f"the store {path}"
        self._held = _Held()

    def exists(self) -> bool:
        """Whether there is something; a store that cannot be looked at is not one that is missing."""
        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise world_error("store-unopenable", f"open {self.display}", error, _OTHER_STORE) from error
        return True

    def check_place(self) -> None:
        """Raises WorldError `store-unopenable`, `store-untrusted`, `store-read-only`."""
        self._check_file()
        if self._cannot_open() == _A_FOLDER:
            raise WorldError("store-unopenable", f"could not open {self.display}: {_A_FOLDER}", _OTHER_STORE)
        nearest = _nearest_folder(self.path.parent)
        if self._is_typed and nearest != self.path.parent:
            message = f"could not open {self.display}: there is no folder {self.path.parent}"
            raise WorldError(
                "store-unopenable", message, f"Make it with mkdir -p {self.path.parent}. {_OTHER_STORE}"
            )
        for place in (nearest, *([self.path] if self.exists() else [])):
            if not _takes_files(place):
                reason = files.why_closed(place)
                raise WorldError("store-read-only", f"cannot write {self.display}: {reason}", _OTHER_STORE)

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        with self._translated():
            self._check_file()
            self._make_folder()
            if self._held.connection is not None:
                yield self._held.connection
                return
            with closing(self._open()) as connection:
                yield connection

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """To open a connection is to read all views, which takes longer than most statements."""
        if self._held.connection is not None or not self.exists():
            yield
            return
        with self.connect() as connection:
            # At rest it is read as if nobody wrote: that may be true of a moment, and not of seconds.
            self._held.connection = connection if _is_watched(connection) else None
            try:
                yield
            finally:
                self._held.connection = None

    @contextmanager
    def transaction(self, connection: sqlite3.Connection, *, alone: bool = False) -> Iterator[None]:
        """Writers come one after the other from the start, so a transaction never fails half-way for another's sake."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def table_names(self, connection: sqlite3.Connection) -> set[str]:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def column_names(self, connection: sqlite3.Connection, table: str) -> set[str]:
        return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}

    def make_room(self, connection: sqlite3.Connection) -> None:
        """The file is there as soon as it is opened."""

    def make_views(self, connection: sqlite3.Connection, selects: Mapping[str, str]) -> None:
        """Their statements go into the schema as they are: by `CREATE VIEW` SQLite reads each twice, and all before it, for each.

        The transaction makes tables as well, by which other connections know that the schema is another.

        source: https://sqlite.org/pragma.html#pragma_writable_schema
        """
        rows = [(name, name, _view_statement(name, select)) for name, select in selects.items()]
        connection.execute("PRAGMA writable_schema = ON")
        try:
            connection.executemany("INSERT INTO sqlite_master VALUES ('view', ?, ?, 0, ?)", rows)
        except sqlite3.OperationalError as error:
            if _SCHEMA_IS_LOCKED not in str(error):
                raise
            for statement in (row[-1] for row in rows):
                connection.execute(statement)
        finally:
            connection.execute("PRAGMA writable_schema = OFF")

    def taken_names(self, connection: sqlite3.Connection, names: Sequence[str]) -> set[str]:
        return {row[0] for row in connection.execute(_TAKEN, [DOCUMENTS])} & {*names}

    def replace_view(self, connection: sqlite3.Connection, name: str, select: str) -> None:
        connection.execute(f"DROP VIEW IF EXISTS {name}")
        connection.execute(_view_statement(name, select))

    def put_document(self, connection: sqlite3.Connection, document: RunDocument, *, again: bool) -> None:
        """Part by part where text is kept as it is made: in another encoding only SQLite itself can write it."""
        if connection.execute("PRAGMA encoding").fetchall() == [("UTF-8",)]:
            write_in_parts(connection, document, again)
        else:
            connection.execute(put_statement("?", again), [document.text, document.run_id])

    def hold_blobs(self, connection: sqlite3.Connection, *, to_delete: bool) -> None:
        """Writers come one after the other anyway."""

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Not while more than half of the file is in use: it is written anew for that, and later runs take the free pages."""
        ((free,),) = connection.execute("PRAGMA freelist_count").fetchall()
        ((pages,),) = connection.execute("PRAGMA page_count").fetchall()
        if free > pages * _FREE_SHARE_MAX:
            with suppress(
                sqlite3.OperationalError
            ):  # no room for a second file: this one stays as large as it was
                connection.execute("VACUUM")

    def instant(self, value: datetime) -> str:
        """ISO 8601 in UTC with microseconds always, so that text sorts by time."""
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def _make_folder(self) -> None:
        try:
            files.ensure_folder(self.path.parent, _FOLDER_MODE)
        except OSError as error:
            raise world_error(
                "store-unopenable", f"make the folder {self.path.parent}", error, _OTHER_STORE
            ) from error

    def _check_file(self) -> None:
        """SQLite waits at a pipe, follows links, and believes what a file says of itself. Raises WorldError."""
        state = self.path.stat() if self.exists() else None
        what = None if state is None else _what_it_is_instead(self.path, state.st_mode)
        if what is not None:
            raise WorldError("store-unopenable", f"could not open {self.display}: it is {what}", _OTHER_STORE)
        if processes.is_root():
            self._check_owner(state)
        reason = why_not_ours(self.path, None if state is None else state.st_uid)
        if reason is not None:
            hint = "Move what lies beside the store away, or name another store with --store."
            raise WorldError("store-untrusted", f"cannot use {self.display}: {reason}", hint)

    def _check_owner(self, state: os.stat_result | None) -> None:
        """As root, that nobody else could have made it lead elsewhere, or put a journal beside it."""
        reason = why_untrusted(self.path.parent) or self._is_common(self.path.parent)
        if reason is None and os.path.islink(self.path) and self.path.lstat().st_uid != 0:
            reason = f"{self.path} is a link that user {user_name(self.path.lstat().st_uid)} made"
        if reason is None and state is not None and state.st_uid != 0:
            reason = f"{self.path} belongs to user {user_name(state.st_uid)}"
        if reason is not None:
            message = f"cannot use {self.display} as root, for {reason}"
            hint = "Run as that user, or name a store of root's own with --store or PLIMSOLL_STORE."
            raise WorldError("store-untrusted", message, hint)

    @staticmethod
    def _is_common(folder: Path) -> str | None:
        """A sticky folder keeps what is in it from others, and lets them put a journal beside it."""
        if folder.is_dir() and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"other users can make files in {folder}"
        return None

    def _open(self) -> sqlite3.Connection:
        fresh = not os.path.exists(self.path) or self.path.stat().st_size == 0
        try:
            return _prepared(_connected(str(self.path)), fresh)
        except sqlite3.OperationalError:
            if fresh or not self._may_be_read_at_rest():
                raise
        return _prepared(_connected(f"{self.path.as_uri()}?immutable=1", uri=True), fresh=False)

    def _may_be_read_at_rest(self) -> bool:
        """In a folder that may not be written, SQLite cannot make its log; a store that nobody writes needs none."""
        log = self.path.with_name(f"{self.path.name}-wal")
        folder_is_closed = not _takes_files(self.path.parent)
        return folder_is_closed and os.access(self.path, os.R_OK, effective_ids=True) and not log.exists()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Our own errors in place of SQLite's."""
        try:
            yield
        except sqlite3.Error as error:
            if _primary_name(error) == "SQLITE_INTERRUPT":
                raise KeyboardInterrupt from error
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error) -> WorldError:
        code = self._cause(_primary_name(error))
        id, message, hint = _FAILURES.get(code, _UNFORESEEN)
        reason = str(error).lower()
        if getattr(error, "sqlite_errorname", "") in _REFERENCED and _REFERENCED_WORDS in str(error):
            return referenced(self.display, self._referring())
        if code == "SQLITE_CANTOPEN":
            reason = self._cannot_open() or self._refused()
        if code in ("SQLITE_READONLY", "SQLITE_PERM"):
            reason = files.why_closed(self._nearest())
        return WorldError(
            id, message.format(display=self.display, busy=limits.STORE_BUSY_S, reason=reason), hint
        )

    def _cause(self, code: str) -> str:
        """SQLite says "full" of a page that falls short. Where the index of its log does, it says that the disk has errors."""
        if code == "SQLITE_CANTOPEN" and self._cannot_open() is not None:
            return code
        if code in _MAYBE_FULL and files.is_full(self.path.parent, _ROOM_BYTES):
            return "SQLITE_FULL"
        return code

    def _refused(self) -> str:
        """By the file system, though it says that writing is permitted."""
        nearest = self._nearest()
        return files.why_closed(nearest) if files.is_read_only(nearest) else "the file system refused it"

    def _nearest(self) -> Path:
        """The file, or its folder."""
        return self.path if self.path.exists() else self.path.parent

    def _referring(self) -> str:
        """Which table has rows that name ours, as far as that can be told."""
        try:
            with closing(self._open()) as connection:
                found = [row[0] for row in connection.execute(_REFERRING)]
        except sqlite3.Error:
            found = []
        tables = [f"of the table {printable(name)}" for name in found if name not in TABLES]
        return tables[0] if len(tables) == 1 else f"{tables[0]}, or of another" if tables else "of a table"

    def _cannot_open(self) -> str | None:
        """SQLite does not say why; the file system does."""
        if os.path.isdir(self.path):
            return _A_FOLDER
        if not os.access(
            self.path if os.path.exists(self.path) else self.path.parent, os.W_OK, effective_ids=True
        ):
            return files.why_closed(self._nearest())
        return None


def _view_statement(name: str, select: str) -> str:
    return f"CREATE VIEW {name} AS {select}"


def _is_watched(connection: sqlite3.Connection) -> bool:
    """Whether it sees what others write, which one that was opened as immutable, in a folder that may not be written, does not."""
    ((_, _, path),) = connection.execute("PRAGMA database_list").fetchall()
    return _takes_files(Path(os.path.dirname(path) or "."))


def _nearest_folder(folder: Path) -> Path:
    """That folder, or the nearest above it that is there."""
    return next(one for one in (folder, *folder.parents) if os.path.lexists(one))


def _takes_files(folder: Path) -> bool:
    """Or whether a file takes writes."""
    return os.access(folder, os.W_OK, effective_ids=True) and not files.is_read_only(folder)


def _what_it_is_instead(path: Path, mode: int) -> str | None:
    """What SQLite must not be handed. It may not be read here: to close it again would give up the locks of other threads."""
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return kind_of(mode)
    return "one of the kernel's own files" if os.path.realpath(path).startswith(_KERNEL_FILES) else None


def _connected(path: str, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=limits.STORE_BUSY_S, isolation_level=None, uri=uri)


def _prepared(connection: sqlite3.Connection, fresh: bool) -> sqlite3.Connection:
    """The settings of every session. A file of somebody else is not touched: the journal mode is set in an empty one only."""
    try:
        if fresh:
            _keep_a_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        # Now and then Python has its turn, so that a signal ends a statement without an end.
        connection.set_progress_handler(lambda: 0, _TURN_STEPS)
        _check_schema(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_schema(connection: sqlite3.Connection) -> None:
    """That nothing runs when we read or write our tables. Raises sqlite3.DatabaseError, as SQLite does for what is damaged."""
    names = ", ".join(f"'{table}'" for table in TABLES)
    for kind, name in connection.execute(
        f"SELECT type, name FROM sqlite_master WHERE type = 'trigger' OR name IN ({names}) "
        "AND (type <> 'table' OR sql LIKE 'create virtual%')"
    ):
        raise DamagedError(f"it holds a {kind} {name}, which no plimsoll made")


class DamagedError(sqlite3.DatabaseError):
    """What SQLite finds in order, and we do not."""

    sqlite_errorname = "SQLITE_CORRUPT"


def _keep_a_write_ahead_log(connection: sqlite3.Connection) -> None:
    """SQLite does not wait while a second process sets the mode too: it says busy at once, for each would wait for the other.

    source: https://sqlite.org/c3ref/busy_handler.html, on deadlock
    """
    clock = SystemClock()
    give_up_at_s = clock.monotonic_s() + limits.STORE_BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if _primary_name(error) != "SQLITE_BUSY" or clock.monotonic_s() >= give_up_at_s:
                raise
        clock.sleep(limits.STORE_RETRY_S)


def _primary_name(error: sqlite3.Error) -> str:
    """SQLITE_BUSY for SQLITE_BUSY_RECOVERY; empty for an error of the module itself."""
    return "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])

"""What every database offers, so that what reads demand need not know which one it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.databases._logs import LogPlace
from plimsoll.facts import Database, Note, ServerLog, Snapshot
from plimsoll.ports.clock import Clock

C = TypeVar("C", bound="Connection")
AskPassword = Callable[[str], str]
"""Gets the location without its password, gives the password."""


class Session(Protocol):
    """A session that may change things: what a proof works with. One thread uses it at a time, except for `cancel`."""

    @property
    def server_process(self) -> int | None:
        """The id of the process that serves it, on the server's machine; None where sessions have none of their own."""
        ...

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Executes statements outside of any transaction block and gives the rows of the last; parameters are `%s`.

        Raises WorldError `database-lost`, `database-full`, `database-rights`, `database-refused`.
        """
        ...

    def copy_in(self, sql: str, chunks: Iterable[bytes]) -> int:
        """Sends a statement such as `copy … from stdin` the data it asks for; gives the number of rows that were taken in.

        What the chunks raise ends the statement, and nothing of it stays. Raises as `run` does.
        """
        ...

    def cancel(self) -> None:
        """Asks the server to end what the session is doing; from another thread, at any time."""
        ...

    def close(self) -> None:
        """Ends the session."""
        ...


def no_bulk_data(location: str) -> UsageError:
    """The refusal of `Session.copy_in` by a server that takes bulk data from files of its own machine alone."""
    message = (
        f"cannot send bulk data to {location}: this server takes them from files of its own machine alone"
    )
    return UsageError("database-no-bulk", message, "Use PostgreSQL for a proof that loads generated data.")


class Connection(Protocol):
    """An open, read-only session that reads counters."""

    @property
    def dialect(self) -> str:
        """The folder of its SQL: `postgres`, `mariadb`, `oracle`."""
        ...

    @property
    def database(self) -> Database:
        """Which database this is, and the settings that decide how its I/O looks."""
        ...

    @property
    def server_process(self) -> int | None:
        """The number of the server's process for this session, on the server's machine; None where it is not told."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What this session may not see or this server does not count, each with its reason."""
        ...

    def snapshot(self, relations: bool = False) -> Snapshot:
        """All counters at one moment; with `relations` those of each table too, which takes longer.

        Raises WorldError `database-lost` when the session broke, `database-slow` when it took too long.
        """
        ...

    def counts(self, before: Snapshot, after: Snapshot) -> ServerCounts:
        """What the server counted between two snapshots, in words that all databases share."""
        ...

    def session(self, name: str) -> Session:
        """A further session with the same login that may change things; the server shows it under that name if it can.

        Raises as `open_database` does.
        """
        ...

    def log_place(self) -> LogPlace:
        """How far the server's log has come; where it cannot be read the place says why. Never raises."""
        ...

    def log_since(self, place: LogPlace) -> ServerLog:
        """Warnings and worse that the server's log has gained since, also of a server that is gone where its log is at hand.

        Never raises: what cannot be read is told with its reason.
        """
        ...

    def own_report(self, licensed: bool = False) -> AbstractContextManager[Sequence[Note]]:
        """The server's own snapshots around a block; what became of them is told after it.

        `licensed` is the user's word for the Diagnostics Pack, without which AWR is left alone.
        """
        ...

    def reopen(self) -> None:
        """A new session to the same database with the same password, after `database-lost`. Raises as `open_database` does."""
        ...

    def close(self) -> None:
        """Ends the session."""
        ...


@dataclass(frozen=True)
class ServerCounts:
    """What a server counted in an interval; None where it does not count that. Times are seconds, summed over sessions."""

    commits: float | None = None
    commit_statements: float | None = None
    """Of sessions that commit by no other means the count that loses none; None where `commits` loses none."""
    block_reads: float | None = None
    """Blocks of data that were not in its own cache."""
    block_hits: float | None = None
    block_read_s: float | None = None
    log_bytes: float | None = None
    log_writes: float | None = None
    """Of sessions, which wait for them; what runs in the background is left out where it is told apart."""
    log_write_s: float | None = None
    log_syncs: float | None = None
    log_sync_s: float | None = None
    log_segment_s: float | None = None
    """Of sessions: making and forcing new segments of the log."""
    full_page_images: float | None = None
    """Whole pages written into the log, each at its first change after a checkpoint."""
    checkpoints: float | None = None
    calls_commit: bool = True
    """Whether a call that touched no row, such as the return of a procedure or a reading of counters, is among `commits`."""
    counts_at_return: bool = True
    """Whether what a session does is counted only when its call returns, so that a reading between two calls is of whole calls.
    Else a reading beside running sessions holds some of what they do at that moment."""
    unknown_because: str = ""
    """Why nothing is known, where nothing is."""


@dataclass(frozen=True)
class DatabaseKind:
    """A registry entry. `schemes` are those of its URLs; without any it is named by `name` alone."""

    name: str
    title: str
    help: str
    schemes: tuple[str, ...]
    opened: Callable[[Context, str, AskPassword | None], AbstractContextManager[Connection]]


def opened_by(
    connect: Callable[[str, Clock, AskPassword | None], C],
) -> Callable[[Context, str, AskPassword | None], AbstractContextManager[C]]:
    """How a database is opened whose connections are closed at the end."""
    return lambda ctx, location, ask_password: closing(connect(location, ctx.clock, ask_password))

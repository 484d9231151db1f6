"""The store in a PostgreSQL database, for a team: the same tables, reached by `postgresql://` URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.base.redact import redact
from plimsoll.databases import _postgres_errors as session

_SCHEMA_LOCK = 0x504C494D534F4C4C
"""One number for all Plimsolls (the letters PLIMSOLL), under which they take turns in changing the schema."""

_VISIBLE_TABLES = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND pg_table_is_visible(oid)"
_COMMIT_WAITS = (
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
)


class PostgresDatabase:
    """A database on a server. Tables go to the first schema of the user's search path, beside those of others."""

    dialect = "postgresql"
    mark = "%s"
    is_ours_alone = False

    def __init__(self, url: str) -> None:
        self._url = url
        self.display = f"the store {redact(url)}"

    def exists(self) -> bool:
        return True

    @contextmanager
    def connect(self) -> Iterator[Any]:
        psycopg = session.driver()
        # Parsed anew each time: a password that was found is kept nowhere.
        with session.connect(session.parse_url(self._url), None) as connection:
            connection.row_factory = psycopg.rows.tuple_row
            with self._translated(psycopg):
                yield connection

    @contextmanager
    def transaction(self, connection: Any, *, alone: bool = False) -> Iterator[None]:
        """A commit that returned is on disk, whatever the server's default."""
        with connection.transaction():
            connection.execute(_COMMIT_WAITS)
            if alone:
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [_SCHEMA_LOCK])
            yield

    def table_names(self, connection: Any) -> set[str]:
        return {row[0] for row in connection.execute(_VISIBLE_TABLES)}

    def instant(self, value: datetime) -> datetime:
        return value

    @contextmanager
    def _translated(self, psycopg: Any) -> Iterator[None]:
        try:
            yield
        except psycopg.errors.DiskFull as error:
            raise self._failure("store-full", "no space is left on its disk", _FREE) from error
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise self._failure("store-read-only", "it is read-only", _PRIMARY) from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise self._failure("store-refused", _line(error), _GRANT) from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise self._failure(
                "store-lost", _line(error), "See the server's log, then repeat the command."
            ) from error
        except psycopg.Error as error:
            raise self._failure("store-failed", _line(error), _REPORT) from error

    def _failure(self, id: str, reason: str, hint: str) -> WorldError:
        return WorldError(id, f"could not use {self.display}: {reason}", hint)


_FREE = "Free some space there, or name another store with --store."
_PRIMARY = "Name the primary server, or another store with --store."
_REPORT = "Report this with its whole text. Name another store with --store."
_GRANT = "Grant this user CREATE on the schema and its tables, or name another store with --store."


def _line(error: Exception) -> str:
    line = (str(error).strip().splitlines() or ["no reason given"])[0]
    return redact(line[:1].lower() + line[1:])

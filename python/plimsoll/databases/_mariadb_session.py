"""A session of MariaDB or MySQL that may change things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plimsoll.databases import _mariadb_errors as errors
from plimsoll.databases._kind import no_bulk_data

if TYPE_CHECKING:
    from pymysql.connections import Connection as Driver


class MariadbSession:
    """See `plimsoll.databases.Session`. `connect` opens a further session, through which this one is cancelled."""

    server_process = None
    """The server serves its sessions by threads of one process."""

    def __init__(self, driver: Driver[Any], location: str, connect: Callable[[], Driver[Any]]) -> None:
        self._driver = driver
        self._location = location
        self._connect = connect

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows are those of the last statement that gives any: a call of a procedure ends with an answer without rows."""
        try:
            with self._driver.cursor() as cursor:
                cursor.execute(sql, tuple(parameters) or None)
                rows = cursor.fetchall() if cursor.description else ()
                while cursor.nextset():
                    rows = cursor.fetchall() if cursor.description else rows
                return list(rows)
        except errors.driver().Error as error:
            raise errors.working_failure(error, self._location) from error

    def copy_in(self, sql: str, chunks: Iterable[bytes]) -> int:
        """Raises UsageError `database-no-bulk`."""
        raise no_bulk_data(self._location)

    def cancel(self) -> None:
        with suppress(Exception), self._connect() as other, other.cursor() as cursor:
            cursor.execute(f"kill query {self._driver.thread_id()}")

    def close(self) -> None:
        with suppress(errors.driver().Error):
            self._driver.close()

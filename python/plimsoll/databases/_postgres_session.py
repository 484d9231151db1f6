"""A session of PostgreSQL that may change things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from plimsoll.databases import _postgres_errors as errors

if TYPE_CHECKING:
    from psycopg import Connection as Driver


class PostgresSession:
    """See `plimsoll.databases.Session`."""

    def __init__(self, driver: Driver[dict[str, Any]], location: str) -> None:
        # A statement of a proof lasts as long as it does: whoever runs it ends it.
        driver.answer_s_max = None  # type: ignore[attr-defined]
        self._driver = driver
        self._location = location

    @property
    def server_process(self) -> int | None:
        return self._driver.info.backend_pid

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Without parameters the text may hold several statements; the rows are those of the last one."""
        with self._translated():
            cursor = self._driver.cursor(row_factory=errors.driver().rows.tuple_row)
            cursor.execute(sql.encode(), list(parameters) or None)
            while cursor.nextset():
                pass
            return [] if cursor.description is None else cursor.fetchall()

    def copy_in(self, sql: str, chunks: Iterable[bytes]) -> int:
        with self._translated(), self._driver.cursor() as cursor:
            with cursor.copy(sql.encode()) as copy:
                for chunk in chunks:
                    copy.write(chunk)
            return cursor.rowcount

    def cancel(self) -> None:
        with suppress(Exception):
            self._driver.cancel_safe(timeout=5)

    def close(self) -> None:
        self._driver.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The server's refusals of what a proof does, as errors of ours."""
        try:
            yield
        except errors.driver().Error as error:
            raise errors.working_failure(error, self._location) from error

"""A session of Oracle that may change things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from plimsoll.databases import _oracle_errors as errors
from plimsoll.databases._kind import no_bulk_data

_PLACE = re.compile(r"%s")
_SLASH = re.compile(r"\n/\s*\Z")


def bound(sql: str) -> str:
    """The text as the driver takes it: `%s` as `:1`, `:2` …, and without the slash that ends a block in a file."""
    numbers = iter(range(1, sql.count("%s") + 1))
    return _PLACE.sub(lambda _: f":{next(numbers)}", _SLASH.sub("", sql))


class OracleSession:
    """See `plimsoll.databases.Session`. A text is one statement or one block, whose rows are those of its last implicit result."""

    def __init__(self, driver: Any, location: str, server_process: int | None) -> None:
        self._driver = driver
        self._location = location
        self.server_process = server_process

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        text = bound(sql) if parameters else _SLASH.sub("", sql)
        try:
            with self._driver.cursor() as cursor:
                cursor.execute(text, list(parameters))
                if cursor.description:
                    return [tuple(row) for row in cursor.fetchall()]
                results = cursor.getimplicitresults() if _is_block(text) else []
                return [tuple(row) for row in results[-1].fetchall()] if results else []
        except errors.driver().Error as error:
            raise errors.working_failure(error, self._location) from error

    def copy_in(self, sql: str, chunks: Iterable[bytes]) -> int:
        """Raises UsageError `database-no-bulk`."""
        raise no_bulk_data(self._location)

    def cancel(self) -> None:
        with suppress(Exception):
            self._driver.cancel()

    def close(self) -> None:
        with suppress(errors.driver().Error):
            self._driver.close()


def _is_block(text: str) -> bool:
    return text.lstrip().lower().startswith(("begin", "declare", "call"))

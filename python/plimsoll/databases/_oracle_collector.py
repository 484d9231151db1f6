"""The queries of the collector over a connection: each gives the lines that SQL*Plus prints for it, or the line of its refusal.

So one reader takes both, and a view that this user may not see, or this release does not have, costs what it would have told.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from plimsoll.databases import _oracle_errors as errors

_ROWS_AT_ONCE = 1000
"""Counters of an instance come in two or three answers."""


@runtime_checkable
class PrintsQueries(Protocol):
    """A connection that answers the collector's queries."""

    def printed(self, statement: str, *, needed: bool = False) -> list[str]:
        """What SQL*Plus prints for it: its rows, or `ORA-00942: …` where the server refuses it, which a `needed` one raises.

        Raises WorldError `database-lost`; of a needed one `database-rights`, `database-refused`, `database-slow`.
        """
        ...


def printed(driver: Any, location: str, statement: str, needed: bool) -> list[str]:
    """See `PrintsQueries.printed`."""
    with errors.translated(location):
        try:
            return _rows(driver, plain(statement))
        except errors.driver().Error as error:
            if needed or not errors.is_refusal(error):
                raise
            return [errors.printed_line(error)]


def plain(statement: str) -> str:
    """The statement without what stands in a file for its reader and for SQL*Plus: comments and the semicolon at its end."""
    lines = [line for line in statement.splitlines() if not line.startswith("--")]
    return "\n".join(lines).strip().removesuffix(";")


def _rows(driver: Any, statement: str) -> list[str]:
    with driver.cursor() as cursor:
        cursor.arraysize = _ROWS_AT_ONCE
        cursor.execute(statement)
        return [str(row[0]) for row in cursor.fetchall()] if cursor.description else []

"""What a server refuses while it is read or driven, in the words that all databases share. A database adds hints of its own."""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.base import limits
from plimsoll.base.errors import WorldError

_READING = {
    "database-slow": f"could not read the counters of {{where}} within {limits.STATEMENT_TIMEOUT_S} s",
    "database-lost": "could not go on reading from {where}: {why}",
}
_READING_ELSE = "could not read the counters of {where}: {why}"
_HINTS = {
    "database-slow": "The server is overloaded; try again.",
    "database-lost": "See the server's log; start it, then repeat the command.",
    "database-rights": "Grant this user what the message names.",
    "database-refused": "See the server's log for the whole message.",
}
_WORKING_HINTS = {
    "database-full": "Make room where the database lies, or use a smaller --scale.",
    "database-cancelled": "Repeat the command.",
    "database-rights": "Grant this user what the message names, or use a database of its own.",
}


def reading_refused(id: str, where: str, why: str, hints: Mapping[str, str] | None = None) -> WorldError:
    """Of a reading of counters."""
    message = _READING.get(id, _READING_ELSE).format(where=where, why=why)
    return WorldError(id, message, {**_HINTS, **(hints or {})}[id])


def working_refused(id: str, where: str, why: str, hints: Mapping[str, str] | None = None) -> WorldError:
    """Of what a proof does."""
    known = {**_HINTS, **(hints or {}), **_WORKING_HINTS}
    return WorldError(id, f"could not go on at {where}: {why}", known[id])

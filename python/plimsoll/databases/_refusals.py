"""What a server refuses while it is read or driven, in the words that all databases share. A database adds hints of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from pydantic import ValidationError

from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.base.printable import printable

_P = ParamSpec("_P")
_R = TypeVar("_R")
_ODD_LENGTH_MAX = 200

_READING = {
    "database-slow": f"could not read the counters of {{where}} within {limits.STATEMENT_TIMEOUT_S} s",
    "database-lost": "could not go on reading from {where}: {why}",
}
_READING_ELSE = "could not read the counters of {where}: {why}"
_HINTS = {
    "database-slow": "The server is overloaded; try again.",
    "database-lost": "See the server's log; start it, then repeat the command.",
    "database-odd": "Whatever answers there is no database server that Plimsoll knows, or a damaged one; check host and port.",
    "database-locked": "Somebody holds a lock on what is wanted; repeat the command when he has let go.",
    "database-rights": "Grant this user what the message names.",
    "database-refused": "See the server's log for the whole message.",
}
_WORKING_HINTS = {
    "database-full": "Make room where the database lies, or use a smaller --scale.",
    "database-cancelled": "Repeat the command.",
    "database-odd": "Whatever answers there is no database server that Plimsoll knows, or a damaged one; check host and port.",
    "database-rights": "Grant this user what the message names, or use a database of its own.",
}


def reading_refused(id: str, where: str, why: str, hints: Mapping[str, str] | None = None) -> WorldError:
    """Of a reading of counters."""
    message = _READING.get(id, _READING_ELSE).format(where=where, why=why)
    return WorldError(id, message, {**_HINTS, **(hints or {})}[id])


def reading_given_up(where: str) -> WorldError:
    """Of a server that did not keep its own limit."""
    message = f"could not read the counters of {where} within {limits.READING_S_MAX:g} s"
    hint = "The server is overloaded, or does not answer any more; see its log, then try again."
    return WorldError("database-slow", message, hint)


def reads_answers(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """For a function that reads what a server answered, and does little else.

    Columns, types and text that no server of its kind answers with become WorldError `database-odd`, which names them.
    """

    @wraps(function)
    def read(*given: _P.args, **named: _P.kwargs) -> _R:
        try:
            return function(*given, **named)
        except _ODD as error:
            place = getattr(given[0], "location", None) if given else None
            who = place if isinstance(place, str) else "the server"
            message = f"could not make sense of what {who} answered: {_odd(error)}"
            raise WorldError("database-odd", message, _HINTS["database-odd"]) from error

    return read


_ODD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError)
"""Pydantic's ValidationError and UnicodeError are among these."""


def _odd(error: Exception) -> str:
    """What was odd, as one line."""
    if isinstance(error, LookupError):
        return f"it has no {printable(str(error))[:_ODD_LENGTH_MAX]}"
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"[:_ODD_LENGTH_MAX]
    line = next(iter(str(error).splitlines()), "") or type(error).__name__
    return printable(f"{line[:1].lower()}{line[1:]}")[:_ODD_LENGTH_MAX]


def working_refused(id: str, where: str, why: str, hints: Mapping[str, str] | None = None) -> WorldError:
    """Of what a proof does."""
    known = {**_HINTS, **(hints or {}), **_WORKING_HINTS}
    return WorldError(id, f"could not go on at {where}: {why}", known[id])

"""Connecting with psycopg, and its refusals as errors of ours: one line with the reason, a hint, never a password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.redact import redact
from plimsoll.databases._kind import AskPassword
from plimsoll.databases._refusals import reading_refused, working_refused

if TYPE_CHECKING:
    import psycopg

_REASON = re.compile(r".*(?:failed|error): (?P<reason>.+)")
_ERRNO = re.compile(r"\[Errno -?\d+\] ")
_FULL = ("too many clients", "connection slots", "too many connections")
"""How the server says that it has no room for one more session."""
_HINTS = {
    "database-slow": "The server is overloaded or the catalog is locked; try again.",
    "database-rights": "Grant the role pg_monitor to this user.",
}
_SEVERITY = re.compile(r"\A(?:FATAL|ERROR|PANIC):\s*")


def driver() -> Any:
    """The psycopg module. Raises WorldError `driver-missing` with the command that installs it."""
    try:
        import psycopg
    except ImportError as error:
        hint = "Install it with: pip install 'plimsoll[postgres]'."
        raise WorldError(
            "driver-missing", "could not load psycopg, the driver for postgresql", hint
        ) from error
    return psycopg


def parse_url(url: str) -> dict[str, Any]:
    """Connection parameters from a URL. Raises UsageError `database-url`."""
    psycopg = driver()
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error as error:
        raise _unreadable(url, redact(one_line(str(error)))) from error
    if not all(port.isdigit() for port in str(parameters.get("port", "0")).split(",")):
        raise _unreadable(url, f"port '{parameters['port']}' is no number")
    return parameters


def _unreadable(url: str, reason: str) -> UsageError:
    hint = "Write it like postgresql://user@host:5432/name."
    return UsageError("database-url", f"cannot read '{redact(url)}' as a database url: {reason}", hint)


def location(parameters: dict[str, Any]) -> str:
    """`user@host:port/name` with the parts that were given."""
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    host = parameters.get("host") or parameters.get("hostaddr") or "local socket"
    port = f":{parameters['port']}" if parameters.get("port") else ""
    name = f"/{parameters['dbname']}" if parameters.get("dbname") else ""
    return f"{user}{host}{port}{name}"


def connect(
    parameters: dict[str, Any], ask_password: AskPassword | None, name: str = "plimsoll"
) -> psycopg.Connection[dict[str, Any]]:
    """An open session in autocommit mode whose rows are dictionaries; the server shows it under `name`.

    A password that was asked for is kept in `parameters`, for when the session must be opened again.
    """
    psycopg = driver()
    wanted = {"connect_timeout": limits.CONNECT_TIMEOUT_S, **parameters, "application_name": name}
    try:
        # Named prepared statements do not survive a pooler that gives each transaction another server session.
        return psycopg.connect(
            **wanted,
            autocommit=True,
            row_factory=psycopg.rows.dict_row,
            prepare_threshold=None,
            client_encoding="utf8",
        )
    except psycopg.OperationalError as error:
        if ask_password is None or not _needs_password(error):
            raise _refusal(error, parameters) from error
    parameters["password"] = ask_password(location(parameters))
    return connect(parameters, None, name)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns the driver's errors during a reading into ours."""
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        id = _kind(error)
        slow = id == "database-cancelled"
        raise reading_refused("database-slow" if slow else id, where, one_line(str(error)), _HINTS) from error


def working_failure(error: Exception, where: str) -> WorldError:
    """What the server refused a proof, as an error of ours."""
    full = isinstance(error, driver().errors.DiskFull)
    return working_refused("database-full" if full else _kind(error), where, one_line(str(error)))


def _kind(error: Exception) -> str:
    psycopg = driver()
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "database-cancelled"
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return "database-lost"
    rights = isinstance(error, psycopg.errors.InsufficientPrivilege)
    return "database-rights" if rights else "database-refused"


def _refusal(error: Exception, parameters: dict[str, Any]) -> PlimsollError:
    """Why there is no session: nobody answered, the password is missing or wrong, or the server said no."""
    where, reason = location(parameters), redact(_reason(str(error)))
    if _needs_password(error):
        hint = "Put it into ~/.pgpass or PGPASSWORD, or run the command on a terminal, where it is asked for."
        return WorldError(
            "database-password-missing", f"could not log in to {where}: it wants a password", hint
        )
    if _answered(str(error)) and _used_password(error):
        hint = "Look at ~/.pgpass, PGPASSWORD and the URL: the first that has a password is used."
        return WorldError("database-password-wrong", f"could not log in to {where}: {reason}", hint)
    if _answered(str(error)) and any(words in reason for words in _FULL):
        hint = "Use fewer sessions, or raise the server's max_connections."
        return WorldError("database-refused", f"could not log in to {where}: {reason}", hint)
    if _answered(str(error)):
        hint = "The server answered and refused; check user and database name, and its pg_hba.conf."
        return WorldError("database-refused", f"could not log in to {where}: {reason}", hint)
    hint = "Check host and port, and whether the server runs and listens there: pg_isready -h HOST -p PORT."
    return WorldError("database-unreachable", f"could not reach the database at {where}: {reason}", hint)


def _needs_password(error: Exception) -> bool:
    connection = getattr(error, "pgconn", None)
    return bool(connection is not None and connection.needs_password)


def _used_password(error: Exception) -> bool:
    connection = getattr(error, "pgconn", None)
    return bool(connection is not None and connection.used_password)


def _answered(text: str) -> bool:
    return "FATAL:" in text


def _reason(text: str) -> str:
    """The reason within libpq's several lines: what stands after the last `failed:` of the first line that has one."""
    found = _REASON.search(_ERRNO.sub("", text))
    return one_line(found["reason"] if found else text)


def one_line(text: str) -> str:
    """First line, in our manner: without severity, lower case at the start, no full stop."""
    line = (text.strip().splitlines() or ["no reason given"])[0].strip()
    line = _SEVERITY.sub("", line).rstrip(".")
    return line[:1].lower() + line[1:]

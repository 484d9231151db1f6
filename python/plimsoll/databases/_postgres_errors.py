"""Connecting with psycopg, and its refusals as errors of ours: one line with the reason, a hint, never a password."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.redact import redact, shown_of
from plimsoll.databases import _postgres_wire as wire
from plimsoll.databases._drivers import load
from plimsoll.databases._kind import AskPassword
from plimsoll.databases._refusals import reading_given_up, reading_refused, working_refused
from plimsoll.databases._urls import check_login, check_text, unreadable

if TYPE_CHECKING:
    import psycopg

_EXAMPLE = "Write it like postgresql://user@host:5432/name."
_LOGIN = re.compile(r"\w+://[^:@/]*:(?P<secret>[^@/]*)@")
"""As libpq reads it: to the first @, if no slash comes before (fe-connect.c, conninfo_uri_parse_options)."""
_QUOTED = re.compile(r'"(?P<piece>.*)"', re.DOTALL)
_REASON = re.compile(r".*(?:failed|error): (?P<reason>.+)")
_ERRNO = re.compile(r"\[Errno -?\d+\] ")
_FULL = ("too many clients", "connection slots", "too many connections")
"""How the server says that it has no room for one more session."""
_HINTS = {
    "database-slow": "The server is overloaded or the catalog is locked; try again.",
    "database-rights": "Grant the role pg_monitor to this user.",
}
_SEVERITY = re.compile(r"\A(?:(?:FATAL|ERROR|PANIC):\s*|[^\W\d_]+: {2,})+")
"""In every language two blanks stand behind it (fe-protocol3.c, pqBuildErrorMessage3)."""


def driver() -> Any:
    """The psycopg module. Raises WorldError `driver-missing` with the command that installs it."""
    return load("psycopg", "postgresql", "postgres")


def parse_url(url: str) -> dict[str, Any]:
    """Connection parameters from a URL. Raises UsageError `database-url`."""
    psycopg = driver()
    check_text(url, _EXAMPLE)
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error as error:
        raise unreadable(url, one_line(_with_pieces_of(url, str(error))), _EXAMPLE) from error
    login = _LOGIN.match(url)
    check_login(url, login["secret"] if login else None, _EXAMPLE)
    if not all(port.isdigit() for port in str(parameters.get("port", "0")).split(",")):
        raise unreadable(url, f"port '{shown_of(parameters['port'], url)}' is no number", _EXAMPLE)
    return parameters


def _with_pieces_of(url: str, reason: str) -> str:
    """libpq quotes what it could not read, which may be a part of the password."""
    return _QUOTED.sub(lambda found: f'"{shown_of(found["piece"], url)}"', reason)


def place_of(parameters: dict[str, Any], told: Mapping[str, str]) -> dict[str, Any]:
    """What the session itself tells of where it leads, where the URL names no host: a service or the environment did.

    Else two databases would have one name, and one series of snapshots.
    """
    if parameters.get("host") or parameters.get("hostaddr"):
        return parameters
    found = {part: told[part] for part in ("user", "host", "hostaddr", "port", "dbname") if told.get(part)}
    if "hostaddr" not in found and found.get("host", "/").startswith(("/", "@")):
        found = {part: found[part] for part in ("port", "dbname") if part in found}
    return {**found, **parameters}


def location(parameters: dict[str, Any]) -> str:
    """`user@host:port/name` with the parts that are known."""
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
        return wire.connection_class().connect(
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


PATH = "pg_catalog, pg_temp"


def pinned(
    session: psycopg.Connection[Any], parameters: dict[str, Any], path: str = PATH, *, local: bool = False
) -> None:
    """Settles what a name means and whom this session acts as, for its transaction or for good.

    Whoever owns the database may set both for everybody who logs in (ALTER DATABASE … SET), and a schema of the user's name may
    hold operators that fit better than the server's own: functions of theirs would run with our rights. What the URL itself
    asks for (`options`) is the user's wish.

    source: PostgreSQL manual, "Writing SECURITY DEFINER Functions Safely", CVE-2018-1058
    """
    session.execute(pinning(parameters, path, local=local).encode())


def pinning(parameters: dict[str, Any], path: str = PATH, *, local: bool = False) -> str:
    """The statements of `pinned`, to be sent with others."""
    scope = "local " if local else ""
    settings = [f"set {scope}search_path = {path}"]
    if "role" not in str(parameters.get("options", "")):
        settings.append(f"set {scope}role none")
    return "; ".join(settings)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns the driver's errors during a reading into ours."""
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        id = _kind(error)
        if wire.overrun(error) == "slow":
            raise reading_given_up(where) from error
        slow = id == "database-cancelled"
        raise reading_refused("database-slow" if slow else id, where, one_line(str(error)), _HINTS) from error


def working_failure(error: Exception, where: str) -> WorldError:
    """What the server refused a proof, as an error of ours."""
    full = isinstance(error, driver().errors.DiskFull)
    return working_refused("database-full" if full else _kind(error), where, one_line(str(error)))


def _kind(error: Exception) -> str:
    psycopg = driver()
    if wire.overrun(error) is not None:
        return f"database-{wire.overrun(error)}"
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "database-cancelled"
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return "database-locked"
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return "database-lost"
    rights = isinstance(error, psycopg.errors.InsufficientPrivilege)
    return "database-rights" if rights else "database-refused"


def _refusal(error: Exception, parameters: dict[str, Any]) -> PlimsollError:
    """Why there is no session: nobody answered, the password is missing or wrong, or the server said no."""
    where, reason = location(parameters), _reason(str(error))
    if _needs_password(error):
        hint = "Put it into ~/.pgpass or PGPASSWORD, or run the command on a terminal, where it is asked for."
        return WorldError(
            "database-password-missing", f"could not log in to {where}: it wants a password", hint
        )
    if _answered(str(error)) and _used_password(error) and _is_about_password(reason):
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


def _is_about_password(reason: str) -> bool:
    """Not so when the password was right and something else is wrong. In other languages the word may not be there."""
    return "password" in reason or not reason.isascii()


def _answered(text: str) -> bool:
    return "FATAL:" in text


def _reason(text: str) -> str:
    """The reason within libpq's several lines: what stands after the last `failed:` of the first line that has one."""
    found = _REASON.search(_ERRNO.sub("", text))
    return one_line(found["reason"] if found else text)


def one_line(text: str) -> str:
    """First line, in our manner: without severity, lower case at the start, no full stop; and without passwords."""
    line = (text.strip().splitlines() or ["no reason given"])[0].strip()
    line = redact(_SEVERITY.sub("", line).rstrip("."), location=True)
    return line[:1].lower() + line[1:]

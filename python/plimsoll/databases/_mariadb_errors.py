"""Connecting with PyMySQL, and its refusals as errors of ours: one line with the reason, a hint, never a password.

Numbers of errors are those of the MariaDB knowledge base, "MariaDB error code reference"; MySQL's are the same below 1900.
"""

from __future__ import annotations

import configparser
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from plimsoll.base import limits, settings
from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.base.redact import redact, shown_of
from plimsoll.databases import _mariadb_wire as wire
from plimsoll.databases._drivers import load
from plimsoll.databases._kind import AskPassword
from plimsoll.databases._refusals import reading_given_up, reading_refused, working_refused
from plimsoll.databases._urls import parts_of, unreadable
from plimsoll.ports import files

if TYPE_CHECKING:
    import pymysql

PASSWORD = settings.Setting("MYSQL_PWD", "Password for MariaDB and MySQL where the URL has none.")
_OPTIONS = {"socket": "unix_socket", "unix_socket": "unix_socket", "ssl_ca": "ssl_ca", "ssl_cert": "ssl_cert",
            "ssl_key": "ssl_key"}  # fmt: skip
_EXAMPLE = "Write it like mysql://user@host:3306/name, or mysql://user@/name?socket=/run/mysqld/mysqld.sock."
_OPTION_FILE_BYTES_MAX = 1 << 20
"""An option file has some lines for each program."""
_NETWORK_S_MAX = limits.STATEMENT_TIMEOUT_S + limits.CONNECT_TIMEOUT_S
"""The server itself ends a statement that lasts too long; only a network that is gone needs this."""

_DENIED = frozenset({1045, 1698})
_RIGHTS = frozenset({1044, 1142, 1143, 1227, 1370, 1419, 4135})
_LOST = frozenset({0, 1053, 1927, 2006, 2013, 2014, 2055})
_TOO_LONG = frozenset({1969, 3024})
_CANCELLED = frozenset({1317})
_FULL = frozenset({1021, 1114, 1041, 1878})
_NO_SPACE = re.compile(r"\b(?:errno|errcode): 28\b", re.IGNORECASE)
_UNREACHED = frozenset({2002, 2003, 2005, 2006, 2013, 2014})
_INNER = re.compile(r".*\((?:\[Errno -?\d+\] )?(?P<reason>[^()]+)\)\s*\Z")
_WITHOUT_PASSWORD = "using password: NO"


def driver() -> Any:
    """The pymysql module. Raises WorldError `driver-missing` with the command that installs it."""
    return load("pymysql", "mariadb and mysql", "mariadb")


def parse_url(url: str) -> dict[str, Any]:
    """Connection parameters from a URL, filled up from `~/.my.cnf` and MYSQL_PWD. Raises UsageError `database-url`."""
    parts = parts_of(url, _EXAMPLE)
    options = parse_qsl(parts.query, keep_blank_values=True)
    unknown = next((name for name, _ in options if name not in _OPTIONS), None)
    if unknown is not None:
        raise unreadable(url, f"nobody knows its option '{shown_of(unknown, url)}'", _EXAMPLE)
    given: dict[str, Any] = {
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
        "host": unquote(parts.hostname) if parts.hostname else None,
        "port": parts.port,
        "database": unquote(parts.path.removeprefix("/")) or None,
        **{_OPTIONS[name]: value for name, value in options},
    }
    return _filled_up({name: value for name, value in given.items() if value is not None})


def _filled_up(given: dict[str, Any]) -> dict[str, Any]:
    """What the URL leaves out. The environment's password wins over the file's; where a socket is meant no port is."""
    own = _client_options(Path.home() / ".my.cnf")
    if "user" not in given and "user" in own:
        given["user"] = own["user"]
    secret = settings.read(PASSWORD) or own.get("password")
    if "password" not in given and secret:
        given["password"] = secret
    if "host" not in given and "unix_socket" not in given and "socket" in own:
        given["unix_socket"] = own["socket"]
    return given


def _client_options(path: Path) -> dict[str, str]:
    """The group [client] of an option file; empty without one. Lines that include other files are passed over."""
    try:
        text = files.read_input(path, _OPTION_FILE_BYTES_MAX).decode(errors="replace")
    except OSError:
        return {}
    parser = configparser.RawConfigParser(allow_no_value=True, strict=False, inline_comment_prefixes=None)
    try:
        parser.read_string("\n".join(line for line in text.splitlines() if not line.startswith("!")))
    except configparser.Error:
        return {}
    found = dict(parser.items("client")) if parser.has_section("client") else {}
    return {name: _unquoted(value) for name, value in found.items() if value}


def _unquoted(value: str) -> str:
    """Without the quotes around it; a quote at one end alone belongs to the value."""
    around = value[:1] if value[:1] in ("'", '"') and len(value) > 1 and value[0] == value[-1] else ""
    return value.removeprefix(around).removesuffix(around)


def location(parameters: dict[str, Any]) -> str:
    """`user@host:port/name` with the parts that were given."""
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    host = parameters.get("host") or ("local socket" if "unix_socket" in parameters else "localhost")
    port = f":{parameters['port']}" if parameters.get("port") else ""
    name = f"/{parameters['database']}" if parameters.get("database") else ""
    return f"{user}{host}{port}{name}"


def connect(
    parameters: dict[str, Any],
    ask_password: AskPassword | None,
    name: str = "plimsoll",
    statement_s_max: float | None = _NETWORK_S_MAX,
) -> pymysql.connections.Connection[Any]:
    """An open session in autocommit mode; the server shows it under `name` among its connection attributes.

    A password that was asked for is kept in `parameters`, for when the session must be opened again.
    """
    pymysql = driver()
    # As bytes: the driver would send text as Latin-1, which not every password is, and fail with all of it in its words.
    secret = parameters.get("password", "").encode(errors="surrogateescape")
    try:
        made = wire.connection_class()(
            **{**parameters, "password": secret},
            autocommit=True,
            charset="utf8mb4",
            connect_timeout=limits.CONNECT_TIMEOUT_S,
            read_timeout=statement_s_max,
            program_name=name,
            client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS,
            defer_connect=True,
        )
        if statement_s_max is None:
            made.answer_s_max, made.answer_bytes_max = None, limits.ANSWER_BYTES_MAX
        _open(made)
    except (pymysql.Error, OSError, RuntimeError) as error:
        if ask_password is None or not _needs_password(error):
            raise _refusal(error, parameters) from error
    else:
        return made
    parameters["password"] = ask_password(location(parameters))
    return connect(parameters, None, name, statement_s_max)


def _open(made: Any) -> None:
    """A local socket is opened here: the driver leaves it open when nobody answers there."""
    if not made.unix_socket:
        made.connect()
        return
    local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        local.settimeout(limits.CONNECT_TIMEOUT_S)
        local.connect(made.unix_socket)
        # What the driver itself notes of such a socket: passwords may be sent through it as they are.
        made._secure = True
        made.connect(local)
    except BaseException:
        local.close()
        raise


def number_of(error: Exception) -> int | None:
    """The server's or the driver's number of an error."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, int) else None


def lacks_rights(error: Exception) -> bool:
    """Whether the server refused because of missing rights."""
    return number_of(error) in _RIGHTS


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns the driver's errors during a reading into ours."""
    try:
        yield
    except driver().Error as error:
        id = _kind(error)
        if getattr(error, "overrun", None) == "slow":
            raise reading_given_up(where) from error
        slow = number_of(error) in _TOO_LONG or id == "database-cancelled"
        raise reading_refused("database-slow" if slow else id, where, reason(error)) from error


def working_failure(error: Exception, where: str) -> WorldError:
    """What the server refused a proof, as an error of ours."""
    full = number_of(error) in _FULL or _NO_SPACE.search(str(error))
    return working_refused("database-full" if full else _kind(error), where, reason(error))


def _kind(error: Exception) -> str:
    number = number_of(error)
    overrun = getattr(error, "overrun", None)
    if overrun is not None:
        return f"database-{overrun}"
    if number in _CANCELLED:
        return "database-cancelled"
    if number in _LOST:
        return "database-lost"
    return "database-rights" if number in _RIGHTS else "database-refused"


def _refusal(error: Exception, parameters: dict[str, Any]) -> PlimsollError:
    """Why there is no session: nobody answered, the password is missing or wrong, or the server said no."""
    where, why = location(parameters), reason(error)
    if _needs_password(error):
        hint = "Put it into ~/.my.cnf or MYSQL_PWD, or run the command on a terminal, where it is asked for."
        return WorldError(
            "database-password-missing", f"could not log in to {where}: it wants a password", hint
        )
    if isinstance(error, RuntimeError):
        hint = f"{extra_hint('mariadb')} Or connect through TLS or a socket."
        return WorldError("driver-missing", f"could not log in to {where}: {why}", hint)
    if number_of(error) in _DENIED:
        hint = "Look at the URL, MYSQL_PWD and ~/.my.cnf: the first that has a password is used."
        return WorldError("database-password-wrong", f"could not log in to {where}: {why}", hint)
    if number_of(error) in _UNREACHED or isinstance(error, OSError):
        hint = (
            "Check host and port, and whether the server runs and listens there: mariadb-admin ping -h HOST."
        )
        return WorldError("database-unreachable", f"could not reach the database at {where}: {why}", hint)
    hint = "The server answered and refused; check the name of the database, and the user's grants."
    return WorldError("database-refused", f"could not log in to {where}: {why}", hint)


def _needs_password(error: Exception) -> bool:
    """Also for a user whom the server does not know: it answers both alike, so that names cannot be guessed."""
    return number_of(error) in _DENIED and _WITHOUT_PASSWORD in str(error)


def reason(error: Exception) -> str:
    """The reason within the driver's words: of a failed connection what the system said, which stands last in brackets."""
    text = (
        error.strerror
        if isinstance(error, OSError) and error.strerror
        else str(error.args[-1] if error.args else "")
    )
    inner = _INNER.match(text) if number_of(error) in (2002, 2003) else None
    return one_line(inner["reason"] if inner else text) or "the connection is closed"


def one_line(text: str) -> str:
    """First line, in our manner: lower case at the start, no full stop; and without passwords."""
    line = redact((text.strip().splitlines() or [""])[0].strip().rstrip("."), location=True)
    return line[:1].lower() + line[1:]

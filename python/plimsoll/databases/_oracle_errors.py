"""Connecting with python-oracledb in thin mode, and its refusals as errors of ours: one line, a hint, never a password.

Numbers are those of "Oracle Database error messages" (ORA-) and of the driver's own list (DPY-).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, unquote

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.redact import redact, shown_of
from plimsoll.databases._drivers import load
from plimsoll.databases._kind import AskPassword
from plimsoll.databases._refusals import reading_refused, working_refused
from plimsoll.databases._urls import parts_of, unreadable

PORT = 1521
_EXAMPLE = "Write it like oracle://user@host:1521/service."
_MODES = {"sysdba": "AUTH_MODE_SYSDBA", "default": "AUTH_MODE_DEFAULT"}

_NO_PASSWORD = frozenset({"DPY-4001"})
_DENIED = frozenset({"ORA-01017", "ORA-01005"})
_UNREACHED = frozenset(
    {"DPY-6005", "DPY-6000", "DPY-4011", "DPY-6002", "ORA-12170", "ORA-12541", "ORA-12545", "ORA-12547"}
)
_LOST = frozenset({
    "DPY-1001", "DPY-4011", "DPY-4027", "ORA-00028", "ORA-01012", "ORA-01033", "ORA-01034", "ORA-01089", "ORA-01092",
    "ORA-02396", "ORA-03113", "ORA-03114", "ORA-03135", "ORA-12537", "ORA-12547", "ORA-12570",
})  # fmt: skip
_TOO_LONG = frozenset({"DPY-4024", "DPI-1067", "ORA-03136"})
_CANCELLED = frozenset({"ORA-01013"})
_FULL = frozenset({
    "ORA-01536", "ORA-01650", "ORA-01652", "ORA-01653", "ORA-01654", "ORA-01658", "ORA-01659", "ORA-01688", "ORA-01691",
    "ORA-30036", "ORA-00257", "ORA-19809", "ORA-27072",
})  # fmt: skip
_RIGHTS = frozenset({"ORA-01031", "ORA-01950", "ORA-01045", "ORA-41900"})
_NOT_SEEN = frozenset({"ORA-00942"})
"""What a user may not see looks as if it were not there; of the views of the server it can mean nothing else."""
_HINTS = {
    "database-lost": "See the alert log; start the instance, then repeat the command.",
    "database-rights": "Grant the role select_catalog_role to this user.",
    "database-refused": "See the alert log for the whole message.",
}
_CONNECTION = re.compile(r" *\(CONNECTION_ID=[^)]*\)")
"""The driver's own number of an attempt, which says nothing to anybody who has no trace of it."""
_CODE = re.compile(r"\A(?P<code>[A-Z]{3}-\d{4,5}): *(?P<rest>.*)", re.DOTALL)


def driver() -> Any:
    """The oracledb module. Raises WorldError `driver-missing` with the command that installs it."""
    return load("oracledb", "oracle", "oracle")


def parse_url(url: str) -> dict[str, Any]:
    """Connection parameters from a URL. Raises UsageError `database-url`."""
    parts = parts_of(url, _EXAMPLE)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    mode = options.pop("mode", "default").lower()
    if options or mode not in _MODES:
        unknown = next(iter(options), f"mode={mode}")
        raise unreadable(url, f"nobody knows its option '{shown_of(unknown, url)}'", _EXAMPLE)
    service = unquote(parts.path.removeprefix("/"))
    if not parts.hostname or not service:
        raise unreadable(url, "it needs a host and a service", _EXAMPLE)
    found: dict[str, Any] = {
        "host": unquote(parts.hostname),
        "port": parts.port or PORT,
        "service_name": service,
        "mode": mode,
    }
    if parts.username:
        found["user"] = unquote(parts.username)
    if parts.password:
        found["password"] = unquote(parts.password)
    return found


def location(parameters: dict[str, Any]) -> str:
    """`user@host:port/service`."""
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    return f"{user}{parameters['host']}:{parameters['port']}/{parameters['service_name']}"


def connect(parameters: dict[str, Any], ask_password: AskPassword | None, name: str = "plimsoll") -> Any:
    """An open session that commits by itself; the server shows `name` as its module.

    A password that was asked for is kept in `parameters`, for when the session must be opened again.
    """
    oracledb = driver()
    # Long answers as text, not as a handle that each take another call.
    oracledb.defaults.fetch_lobs = False
    given = {key: value for key, value in parameters.items() if key != "mode"}
    try:
        if not given.get("user") or not given.get("password"):
            raise oracledb.DatabaseError("DPY-4001: no credentials specified")
        made = oracledb.connect(
            **given,
            mode=getattr(oracledb, _MODES[parameters["mode"]]),
            tcp_connect_timeout=limits.CONNECT_TIMEOUT_S,
        )
    except (oracledb.Error, OSError) as error:
        if ask_password is None or not _needs_password(error, parameters):
            raise _refusal(error, parameters) from error
    else:
        made.autocommit = True
        made.module = name
        return made
    parameters["password"] = ask_password(location(parameters))
    return connect(parameters, None, name)


def code_of(error: Exception) -> str:
    """`ORA-01017` or `DPY-4011`; empty for what has none."""
    first = error.args[0] if error.args else ""
    full = getattr(first, "full_code", None)
    found = _CODE.match(str(first))
    return full or (found["code"] if found else "")


def lacks_rights(error: Exception) -> bool:
    """Whether the server refused because of missing rights, or showed nothing because of them."""
    return code_of(error) in _RIGHTS | _NOT_SEEN


def is_refusal(error: Exception) -> bool:
    """Whether the server refused a statement, or took too long for it, and goes on answering others."""
    code = code_of(error)
    return code in _TOO_LONG or (code.startswith("ORA-") and code not in _LOST)


def printed_line(error: Exception) -> str:
    """The line that SQL*Plus prints for it."""
    code = code_of(error)
    return f"{code}: {reason(error).removesuffix(f' ({code})')}"


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns the driver's errors during a reading into ours."""
    try:
        yield
    except driver().Error as error:
        id = "database-rights" if lacks_rights(error) else _kind(error)
        slow = id == "database-cancelled"
        raise reading_refused("database-slow" if slow else id, where, reason(error), _HINTS) from error


def working_failure(error: Exception, where: str) -> WorldError:
    """What the server refused a proof, as an error of ours."""
    id = "database-full" if code_of(error) in _FULL else _kind(error)
    return working_refused(id, where, reason(error), _HINTS)


def _kind(error: Exception) -> str:
    code = code_of(error)
    if code in _CANCELLED or code in _TOO_LONG:
        return "database-cancelled"
    if code in _LOST:
        return "database-lost"
    return "database-rights" if code in _RIGHTS else "database-refused"


def _refusal(error: Exception, parameters: dict[str, Any]) -> PlimsollError:
    """Why there is no session: nobody answered, the password is missing or wrong, or the server said no."""
    where, why, code = location(parameters), reason(error), code_of(error)
    if not parameters.get("user"):
        return UsageError("database-url", f"cannot log in to {where}: the url names no user", _EXAMPLE)
    if _needs_password(error, parameters):
        hint = "Put it into the URL, or run the command on a terminal, where it is asked for."
        return WorldError(
            "database-password-missing", f"could not log in to {where}: it wants a password", hint
        )
    if code in _DENIED:
        hint = "Look at the user and the password in the URL."
        return WorldError("database-password-wrong", f"could not log in to {where}: {why}", hint)
    if code in _UNREACHED or isinstance(error, OSError):
        hint = "Check host and port, and whether the listener runs there: lsnrctl status."
        return WorldError("database-unreachable", f"could not reach the database at {where}: {why}", hint)
    hint = "The server answered and refused; check the service's name and the account: lsnrctl services."
    return WorldError("database-refused", f"could not log in to {where}: {why}", hint)


def _needs_password(error: Exception, parameters: dict[str, Any]) -> bool:
    return code_of(error) in _NO_PASSWORD and bool(parameters.get("user"))


def reason(error: Exception) -> str:
    """First line, in our manner: lower case at the start, no full stop, no passwords; the number stands behind."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    text = str(error.args[0] if error.args else error)
    line = _CONNECTION.sub("", (text.strip().splitlines() or ["no reason given"])[0]).strip()
    line = redact(line, location=True)
    found = _CODE.match(line)
    if found is None:
        return line[:1].lower() + line[1:].rstrip(".")
    rest = found["rest"].rstrip(".")
    return f"{rest[:1].lower()}{rest[1:]} ({found['code']})"

"""What holds for the URL of any database: it is read in one way or not at all, and no piece of its password is ever shown.

A password that was typed without escaping may hold the signs that end it. A driver would then take the rest for the host, and
ask the network for it; so where the driver's reading ends a password elsewhere than the redaction does, the URL is refused.
"""

from __future__ import annotations

from urllib.parse import SplitResult, unquote, urlsplit

from plimsoll.base.errors import UsageError
from plimsoll.base.redact import HIDDEN, login_secret, redact_database

_ESCAPES = "In a password or a name write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25, a blank as %20."


def unreadable(typed: str, reason: str, example: str) -> UsageError:
    """The refusal of a URL; where it has a password the hint says how one is written."""
    url = redact_database(typed)
    hint = f"{example} {_ESCAPES}" if HIDDEN in url else example
    return UsageError("database-url", f"cannot read '{url}' as a database url: {reason}", hint)


def check_text(url: str, example: str) -> None:
    """That all of it is text: bytes of another kind would reach a server as something else, or make a driver fail."""
    try:
        unquote(url, errors="strict").encode()
    except UnicodeError as error:
        raise unreadable(url, "it holds bytes that are not utf-8", example) from error


def check_login(url: str, secret: str | None, example: str) -> None:
    """`secret` is the password as the driver reads it from the login, undecoded. Raises UsageError `database-url`."""
    if login_secret(url) != secret:
        raise unreadable(url, "where its password ends is not clear", example)


def parts_of(url: str, example: str) -> SplitResult:
    """The URL in its parts: text whose host, port and login can be read in one way. Raises UsageError `database-url`."""
    check_text(url, example)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        # The parser's own words would show what it took for a port, which may be a part of a password.
        raise unreadable(url, "its host or port cannot be read", example) from error
    check_login(url, parts.password, example)
    return parts

"""What is asked of the person at the terminal."""

from __future__ import annotations

import sys

from plimsoll.base.errors import WorldError
from plimsoll.ports.files import open_terminal


def ask_line(question: str) -> str | None:
    """What the person at the terminal types; None where nobody can type."""
    if not sys.stdin.isatty():
        return None
    # Not to standard error, which may go to a log.
    with open_terminal(sys.stdin.fileno()) as terminal:
        terminal.write(question)
    return sys.stdin.readline().strip()


def ask_password(location: str) -> str:
    """The password for a database, typed unseen. Raises WorldError `database-password-missing` where nobody can type."""
    if not sys.stdin.isatty():
        hint = "Put it where the database's own tools look for it, such as ~/.pgpass or ~/.my.cnf, or into the URL."
        raise WorldError(
            "database-password-missing", f"{location} asks for a password, and there is no terminal", hint
        )
    from getpass import getpass

    return getpass(f"password for {location}: ")

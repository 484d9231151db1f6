"""What is asked of the person at the terminal."""

from __future__ import annotations

import sys

from plimsoll.base.errors import WorldError


def ask_password(location: str) -> str:
    """The password for a database, typed unseen. Raises WorldError `database-password-missing` where nobody can type."""
    if not sys.stdin.isatty():
        hint = "Put it into PGPASSWORD or ~/.pgpass."
        raise WorldError(
            "database-password-missing", f"{location} asks for a password, and there is no terminal", hint
        )
    from getpass import getpass

    return getpass(f"password for {location}: ")

"""A stand-in for the driver of Oracle: it knows the text of each query that we send, and answers as the manuals say a server would.

It proves that our side of the driver's interface is used as its manual says (cursors, binds, implicit results, errors with a code).
It proves nothing about a server: what a query of ours would give on one is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

LOGIN = {
    "user_name": "SCOTT", "container_name": "SHOP", "database_name": "SHOPDB", "system_identifier": "4711/1",
    "database_role": "PRIMARY", "is_cluster": "NO", "started_at": datetime(2026, 3, 1, 6, 0), "asm_files": 0,  # noqa: DTZ001
    "data_files": 4,
}  # fmt: skip
SETTINGS = {
    "db_block_size": "8192", "filesystemio_options": "SETALL", "timed_statistics": "TRUE", "commit_wait": None,
    "control_management_pack_access": "DIAGNOSTIC+TUNING",
}  # fmt: skip
"""What a session learns of an instance when it begins."""
AUTH_MODE_DEFAULT, AUTH_MODE_SYSDBA = 0, 2
defaults = SimpleNamespace(fetch_lobs=True)


class Error(Exception):
    """As PEP 249 has it."""


class DatabaseError(Error):
    """As PEP 249 has it."""


class OperationalError(DatabaseError):
    """As PEP 249 has it."""


class InterfaceError(Error):
    """As PEP 249 has it."""


class Message(SimpleNamespace):
    """What stands in an error's first argument."""

    def __str__(self) -> str:
        return f"{self.full_code}: {self.message}"


def failure(code: str, message: str, kind: type[Error] = DatabaseError) -> Error:
    """An error as the driver raises it."""
    return kind(Message(full_code=code, message=message))


Answer = Sequence[dict[str, Any]] | Error | Callable[[list[Any]], Any]
"""Rows by column; an error to raise; or a function of the binds that gives either."""


class Server:
    """What the stand-in answers. `answers` goes by the whole text of a statement, or by a part of it that is named here."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.password = "tiger"
        self.version = "19.3.0.0.0"
        self.connect_failure: Exception | None = None
        self.said: list[tuple[str, list[Any]]] = []
        self.given: dict[str, Any] = {}
        self.open = 0
        self.cancelled = 0

    def answer(self, text: str, binds: list[Any]) -> list[dict[str, Any]]:
        self.said.append((text, binds))
        found = self.answers.get(text)
        if found is None:
            found = next((answer for part, answer in self.answers.items() if part in text), [])
        if callable(found):
            found = found(binds)
        if isinstance(found, Error):
            raise found
        return list(found)


class Connection:
    """An open session."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.version = server.version
        self.autocommit = False
        self.module = ""
        self.call_timeout = 0
        self._open = True
        server.open += 1

    def cursor(self) -> Cursor:
        if not self._open:
            raise failure("DPY-1001", "not connected to database", InterfaceError)
        return Cursor(self._server)

    def cancel(self) -> None:
        self._server.cancelled += 1

    def close(self) -> None:
        if not self._open:
            raise failure("DPY-1001", "not connected to database", InterfaceError)
        self._open = False
        self._server.open -= 1


class Cursor:
    """Rows of a query, or those that a block hands back as implicit results."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.description: list[tuple[Any, ...]] | None = None
        self._rows: list[tuple[Any, ...]] = []
        self._implicit: list[Cursor] = []

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.description = None

    def execute(self, text: str, binds: Sequence[Any] = ()) -> None:
        assert text.count(":1") == (1 if binds else 0), "binds must be named in the text"
        assert "%s" not in text
        bare = re.sub(r"--[^\n]*\n", "", text).strip().lower()
        is_block = bare.startswith(("begin", "declare"))
        holds_block = is_block or bare.startswith("create or replace procedure")
        assert bare.endswith(";") is holds_block, "a block ends with a semicolon, a statement without"
        rows = self._server.answer(text, list(binds))
        found = [tuple(row.values()) for row in rows]
        names = [(name.upper(), None) for name in rows[0]] if rows else []
        if bare.startswith("select"):
            self.description, self._rows = names, found
        elif rows:
            result = Cursor(self._server)
            result.description, result._rows = names, found
            self._implicit = [result]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows

    def getimplicitresults(self) -> list[Cursor]:
        return self._implicit


SERVER = Server()


def connect(**given: Any) -> Connection:
    """Opens a session, or refuses as the driver does."""
    SERVER.given = given
    if SERVER.connect_failure is not None:
        raise SERVER.connect_failure
    if given.get("password") != SERVER.password:
        raise failure("ORA-01017", "invalid credential or not authorized; logon denied")
    return Connection(SERVER)

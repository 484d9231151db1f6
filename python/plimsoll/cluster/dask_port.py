"""Whose process listens at a port of this host, as the kernel has it."""

from __future__ import annotations

from plimsoll.ports import files

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENS = "0A"
_ADDRESS, _STATE, _USER = 1, 3, 7
"""Columns of those tables."""


def owners_of(port: int) -> frozenset[int]:
    """The users who listen there; none where the kernel does not say it."""
    tables = (files.read_text(table) or "" for table in _TABLES)
    return frozenset(user for table in tables for user in _owners(table, port))


def _owners(table: str, port: int) -> list[int]:
    rows = [line.split() for line in table.splitlines()[1:]]
    return [
        int(row[_USER])
        for row in rows
        if len(row) > _USER and row[_STATE] == _LISTENS and int(row[_ADDRESS].rpartition(":")[2], 16) == port
    ]

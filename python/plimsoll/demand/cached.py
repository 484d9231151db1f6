"""Whose reads may be answered by the operating system's cache, so that their count is an upper bound."""

from __future__ import annotations

from plimsoll.facts import Database
from plimsoll.facts.demand import SEVERAL

_KINDS = ("postgresql", "mariadb", "mysql", SEVERAL)


def may_be_cached(database: Database) -> bool:
    """Whether it reads through the operating system's cache, as far as is known."""
    return database.kind in _KINDS and database.direct_io is not True

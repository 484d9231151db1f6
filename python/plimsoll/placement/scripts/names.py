"""Names of objects in a plan, and how SQL writes them. Whatever a name holds, it stays one name: it is always quoted.

A plan names an object as the catalogue does, parts joined by dots: `sales.orders`. Where a part holds a dot itself, the plan
writes it as SQL does, in double quotes: `sales."orders.2024"`.
"""

from __future__ import annotations

import re

_PART = re.compile(r'"(?P<quoted>(?:[^"]|"")+)"|(?P<plain>[^".]+)')


def parts(name: str) -> tuple[str, ...] | None:
    """The parts of a name; None where they cannot be told apart."""
    found: list[str] = []
    at = 0
    while match := _PART.match(name, at):
        quoted = match["quoted"]
        found.append(match["plain"] if quoted is None else quoted.replace('""', '"'))
        at = match.end()
        if at == len(name):
            return tuple(found)
        if name[at] != ".":
            return None
        at += 1
    return None


def quoted(*of: str) -> str:
    """As an identifier of SQL: `"sales"."orders"`. What no catalogue takes as a name is our mistake, or somebody's trick."""
    assert all(one and "\0" not in one for one in of), "no identifier holds nothing, or a NUL"
    return ".".join('"' + one.replace('"', '""') + '"' for one in of)


def is_plain(name: str) -> bool:
    """Whether it can stand in a script, where a line break would end a comment, and what cannot be seen would be read over."""
    return name.isprintable()


def comment(text: str) -> str:
    """A line of comment; what would end it is taken out."""
    return f"-- {''.join(one if one.isprintable() else '?' for one in text)}".rstrip()


def literal(text: str) -> str:
    """As a string of SQL. A backslash means itself in both databases' standard strings."""
    return "'" + text.replace("'", "''") + "'"

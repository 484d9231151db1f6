"""How the report words things: objectives, instants, and what is unknown."""

from __future__ import annotations

import re
from datetime import datetime

from plimsoll.base.sentences import capital
from plimsoll.base.units import format_bytes, format_share
from plimsoll.facts import Database

UNKNOWN = "unknown"
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|×|µs|ms|s|min|h|I/Os|[KMGT]i?B|B)(?![\w/]))")


def or_unknown(value: object) -> str:
    """The value as text; `unknown` for None or nothing; yes and no for truth values."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return UNKNOWN if value is None or value == "" else str(value)


def bytes_text(count: int | None) -> str:
    """`8 KiB`, or `unknown`."""
    return UNKNOWN if count is None else format_bytes(count)


def number(value: float | None, digits: int = 1, unit: str = "") -> str:
    """`1,234.5 MB`, or `unknown`."""
    return UNKNOWN if value is None else f"{value:,.{digits}f}{unit}"


percent = format_share


def instant(moment: datetime) -> str:
    """Date and time to the second with the zone; one without a zone says so."""
    text = f"{moment:%Y-%m-%d %H:%M:%S}"
    return f"{text} {moment:%Z}" if moment.tzinfo else f"{text} (local time, zone unknown)"


def product(database: Database) -> str:
    """`PostgreSQL 18.4`: the product's name, which its version does not always carry, and the version."""
    titles = {"postgres": "PostgreSQL", "postgresql": "PostgreSQL", "oracle": "Oracle Database"}
    title = titles.get(database.kind, database.kind)
    return database.version if title.lower() in database.version.lower() else f"{title} {database.version}"


def name(identifier: str) -> str:
    """A class's name as people say it: `redo write`."""
    return identifier.replace("_", " ")


def counted(count: int, what: str) -> str:
    """`1 interval`, `60 intervals`."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def sentence(text: str) -> str:
    """The text with a capital at its start, unless a name stands there, and a stop at its end."""
    text = text.strip()
    if not text:
        return ""
    return capital(text) + ("" if text[-1] in ".!?" else ".")


def glued(text: str) -> str:
    """The text with spaces between figures and their units that no line breaks at."""
    return _BEFORE_UNIT.sub("\u00a0", text).replace("per s", "per\u00a0s")

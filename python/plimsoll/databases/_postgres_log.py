"""PostgreSQL's log: the entries that a proof must know of, from text as `log_destination = stderr` writes it.

An entry begins with whatever `log_line_prefix` says, then `ERROR:  ` and the like; lines that begin with a tab go on with it, and
`STATEMENT:`, `DETAIL:` and so on are entries of their own that are passed over. What a server says of its own trouble has the
severity LOG: of those some are taken, as warnings.

Source: PostgreSQL manual, "Error reporting and logging", table "Message severity levels".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plimsoll.databases import _logs
from plimsoll.facts import LogLine

_ENTRY = re.compile(
    r"(?P<prefix>[^\t].{0,300}?|)\b(?P<severity>LOG|WARNING|ERROR|FATAL|PANIC):  (?P<message>.*)"
)
_OTHER = re.compile(r"[^\t].{0,300}?\b(?:STATEMENT|DETAIL|HINT|CONTEXT|QUERY|LOCATION|BACKTRACE):  ")
_AT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z+-][\w:+-]{0,7})?")
_TROUBLE = re.compile(
    r"checkpoints are occurring too frequently|could not |was terminated by|terminating any other active|"
    r"all server processes terminated|still waiting for |was not properly shut down|archive command failed|out of memory"
)
_CRASH = re.compile(
    r"was terminated by (?:signal|exception)|all server processes terminated|was not properly shut down"
)
"""The server's own words: in a warning or an error they are what somebody's function says."""
_DAMAGE = re.compile(
    r"invalid page in block|page verification failed|could not read blocks|missing chunk number|unexpected zero page"
)
_ENGLISH = ("c", "posix", "en")


def is_english(language: str) -> bool:
    """Whether severities are written in words that are known here: they are translated with the messages."""
    name = language.casefold()
    return not name or name.startswith(_ENGLISH)


def entries(text: str) -> Iterator[LogLine]:
    """Warnings and worse, in their order."""
    for line in text.split("\n"):
        found = _ENTRY.match(line)
        if found is None or _OTHER.match(found["prefix"]):
            continue
        severity, message = found["severity"], found["message"]
        if severity == "LOG" and not _TROUBLE.search(message):
            continue
        at = _AT.search(found["prefix"])
        told = _CRASH if severity == "LOG" else _DAMAGE
        grave = severity == "PANIC" or told.search(message) is not None
        kind = "warning" if severity == "LOG" else severity.lower()
        yield _logs.entry(kind, message, at[0] if at else "", grave)

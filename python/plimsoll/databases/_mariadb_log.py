"""MariaDB's and MySQL's error log: warnings and worse, from its text.

Sources: MariaDB knowledge base, "Error log", section "Format"; MySQL 8.0 reference manual, "Error log output format".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plimsoll.databases import _logs
from plimsoll.facts import LogLine

_ENTRY = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d[ T] ?\d{1,2}:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?) +\d+ "
    r"\[(?P<severity>Warning|ERROR|System)\] (?P<message>.*)"
)
_CRASH = re.compile(r"(?P<at>\d{6} {1,2}\d{1,2}:\d\d:\d\d) +\[ERROR\] (?P<message>.*got signal \d+.*)")
_FATAL = re.compile(r"\[FATAL\]|Assertion failure")
_GRAVE = re.compile(r"got signal \d+|\[FATAL\]|Assertion failure|corrupt|checksum mismatch", re.IGNORECASE)


def entries(text: str) -> Iterator[LogLine]:
    """Warnings and worse, in their order."""
    for line in text.split("\n"):
        found = _CRASH.match(line) or _ENTRY.match(line)
        if found is None or found.groupdict().get("severity") == "System":
            continue
        message = found["message"]
        severity = "warning" if found.groupdict().get("severity") == "Warning" else "error"
        if _FATAL.search(message) or found.re is _CRASH:
            severity = "panic"
        yield _logs.entry(
            severity, message, found["at"], severity != "warning" and _GRAVE.search(message) is not None
        )

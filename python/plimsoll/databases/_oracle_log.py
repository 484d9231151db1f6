"""Oracle's alert log: warnings and worse, from rows of V$DIAG_ALERT_EXT. Written by the manual and not tried against a server.

Source: Oracle Database Reference, V$DIAG_ALERT_EXT (columns ORIGINATING_TIMESTAMP, MESSAGE_TYPE, MESSAGE_TEXT).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.databases import _logs
from plimsoll.facts import LogLine

_INCIDENT = 2
_GRAVE = re.compile(r"ORA-0*(?:600|7445|1578|1110|27072)\b|terminating the instance", re.IGNORECASE)
_CODE = re.compile(r"ORA-\d+")


def entries(rows: Sequence[dict[str, Any]]) -> Iterator[LogLine]:
    """In their order. An incident is fatal to what met it; ORA-00600, ORA-07445 and blocks that are corrupt are grave."""
    for row in rows:
        message = next(iter(str(row["message"] or "").strip().splitlines()), "")
        if int(row["kind"] or 0) == _INCIDENT:
            severity = "fatal"
        else:
            severity = "error" if _CODE.search(message) or int(row["kind"] or 0) == 3 else "warning"
        yield _logs.entry(severity, message, str(row["at"] or ""), _GRAVE.search(message) is not None)

"""Answers of the extension's reader that no small report would bring about: a "report" is JSON that says what is in it.

`{"kind": "awr", "header": {…}, "views": {"latches": [{"name": "redo", "gets": 5}]}, "problems": […]}`. For the one
step from answer to facts; all else is tried with reports (`latch_reports`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from plimsoll import _core

VIEWS = [
    {
        "name": "latches",
        "about": "a latch",
        "columns": [
            {"name": "name", "type": "utf8", "unit": None, "about": "Which latch."},
            {"name": "gets", "type": "float64", "unit": None, "about": ""},
        ],
    },
    {
        "name": "instances",
        "about": "an instance of a cluster",
        "columns": [
            {"name": "instance", "type": "utf8", "unit": None, "about": "Its name."},
            {"name": "elapsed_s", "type": "float64", "unit": "s", "about": ""},
        ],
    },
]
_STATUSES = ("typed", "text", "blank", "overflow", "failed")


class MadeReport:
    """What the extension would answer."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self._views: dict[str, list[dict[str, Any]]] = told.get("views", {})

    def summary(self) -> str:
        told = {
            "kind": self._told.get("kind", "awr"), "form": "text", "encoding": "utf-8", "decimal": "point",
            "header": self._told.get("header", {}), "section_count": len(self._views), "cells": self._counts(),
            "problems": self._told.get("problems", []),
        }  # fmt: skip
        return json.dumps(told)

    def table_list(self) -> bytes:
        tables = [
            {
                "title": name.title(), "name": name, "typed": True, "columns": list(rows[0]) if rows else [],
                "row_count": len(rows), "line": 10, "cells": self._counts(),
            }
            for name, rows in self._views.items()
        ]  # fmt: skip
        return json.dumps(tables).encode()

    def _counts(self) -> dict[str, int]:
        typed = sum(len(row) for rows in self._views.values() for row in rows)
        counts = {**dict.fromkeys(_STATUSES, 0), "typed": typed, **self._told.get("cells", {})}
        return {**counts, "total": sum(counts.values())}


def read_made(data: bytes) -> Any:
    """`_core.read_report` of a made report; anything else is of no known kind."""
    try:
        return MadeReport(json.loads(data))
    except ValueError:
        return MadeReport({"kind": "unknown"})


def install(monkeypatch: pytest.MonkeyPatch, read: Callable[[bytes], Any] = read_made) -> None:
    """Puts the stand-in in the extension's place."""
    monkeypatch.setattr(_core, "read_report", read, raising=False)
    monkeypatch.setattr(_core, "report_sections", lambda: json.dumps(VIEWS), raising=False)


def made(
    db: str | None = "ORCL",
    instance: str | None = "orcl1",
    begin: str = "2016-01-31T00:00:00",
    hours: int = 1,
    **more: Any,
) -> bytes:
    """A made report; `more` are header fields, or `kind`, `views`, `problems` and `cells`."""
    told = {name: more.pop(name) for name in ("kind", "views", "problems", "cells") if name in more}
    day, hour = begin[:11], int(begin[11:13])
    header = {
        "release": "19.0.0.0.0", "db_name": db, "instance": instance, "begin_snap": hour, "end_snap": hour + hours,
        "begin_time": begin, "end_time": f"{day}{hour + hours:02}{begin[13:]}", "elapsed_s": 3600.0 * hours,
        "db_time_s": 100.5, "startup_time": "2016-01-01T00:00:00",
    }  # fmt: skip
    told.setdefault("views", {"latches": [{"name": "redo", "gets": 5.0}, {"name": "cache", "gets": None}]})
    return json.dumps({**told, "header": {**header, **more}, "footer": "End of Report"}).encode()

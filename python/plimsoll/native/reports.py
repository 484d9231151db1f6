"""The reader of database reports."""

from __future__ import annotations

import json
from typing import Any

from plimsoll import _core

Report = _core.Report
Table = _core.Table


def read_report(data: bytes) -> Report:
    """Reads one file's bytes. Whatever they are, there is an answer: what cannot be read is a problem in its summary."""
    return _core.read_report(data)


def find_words(data: bytes, words: bytes, begin: int) -> int | None:
    """Where the words stand first from a place on; None where they do not."""
    return _core.find_words(data, words, begin)


def report_sections() -> list[dict[str, Any]]:
    """Every typed view: name, title, columns with units."""
    return json.loads(_core.report_sections())

"""Real reports that tests hold the reader against. They are nobody's to copy, so they stand outside of the project.

`PLIMSOLL_CORPUS` names their folder; without it, `../shared/corpus` beside the project. Tests are skipped where it is not there.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core

_ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("PLIMSOLL_CORPUS") or _ROOT.parent / "shared/corpus")
"""Taken when tests are collected: each test clears the user's settings."""
HEADERS: dict[str, dict[str, Any]] = json.loads(
    (_ROOT / "tests/golden/reports/headers.json").read_text(encoding="utf-8")
)
"""What the head of each report says, checked by eye: short facts, and nothing else of the report."""


def needs(name: str) -> Path:
    """The report's file; skips the test where it is not there."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"no real reports in {FOLDER}; PLIMSOLL_CORPUS names another folder")
    return path


def named(*, form: str) -> list[str]:
    """The reports of a form."""
    return [name for name, golden in HEADERS.items() if golden["form"] == form]


@cache
def read(path: Path) -> tuple[_core.Report, dict[str, Any]]:
    """The report, and its summary with the list of its tables."""
    report = _core.read_report(path.read_bytes())
    return report, {**json.loads(report.summary()), "tables": json.loads(report.table_list())}

"""What users are told to install is ours: `plimsoll` on the Python package index belongs to somebody else."""

from __future__ import annotations

import re
import tomllib

from documents import ROOT
from plimsoll.base import installing

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_NAMED = re.compile(r"[\"'`](plimsoll[\w-]*)\[([\w,]+)\]")
_HINTED = re.compile(r"extra_hint\([\"'](\w+)[\"']\)")
_INSTALLED = re.compile(r"\b(?:install|add|uvx) (?:-[\w-]+ )*['\"]?(plimsoll[\w-]*)")


def test_every_hint_and_page_names_our_distribution() -> None:
    paths = [
        ROOT / "README.md",
        ROOT / "pyproject.toml",
        *(ROOT / "python").rglob("*.py"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    found = 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for named, extras in _NAMED.findall(text):
            assert named == PROJECT["name"], path
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), path
            found += 1
        hinted = _HINTED.findall(text)
        assert set(hinted) <= set(PROJECT["optional-dependencies"]), path
        found += len(hinted)
        assert set(_INSTALLED.findall(text)) <= {PROJECT["name"]}, path
    assert found > 20
    assert PROJECT["name"] == installing.DISTRIBUTION != "plimsoll"

"""The page on databases names each gap of the contract suite, with the reason that stands there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from database_kinds import GAPS
from plimsoll import databases
from plimsoll.base import registry

PAGE = (Path(__file__).parents[2] / "docs" / "databases.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("gap", sorted(GAPS), ids=" ".join)
def test_a_gap_is_told(gap: tuple[str, str]) -> None:
    assert f"| {gap[1].replace('_', ' ')} | {GAPS[gap]} |" in PAGE


def test_no_gap_is_told_that_is_none() -> None:
    table = PAGE.partition("| in the test suite | why |\n|---|---|\n")[2].partition("\n\n")[0]
    assert len(table.splitlines()) == len(GAPS)


def test_each_scheme_is_shown() -> None:
    for name in databases.names():
        kind = registry.load(sys.modules["plimsoll.databases"], name, "DATABASE")
        assert not kind.schemes or any(f"`{scheme}://" in PAGE for scheme in kind.schemes)

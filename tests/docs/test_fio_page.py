"""The page for those who come from fio lists exactly the keys that the parser knows, as the parser knows them."""

from __future__ import annotations

import pytest

from documents import ROOT
from plimsoll.dialects.fio.options import KEYS, OPTIONS, Option

PAGE = (ROOT / "docs" / "fio.md").read_text(encoding="utf-8")


def row(option: Option) -> str:
    """An option's line of the table."""
    names = ", ".join(f"`{name}`" for name in (option.name, *(alias for alias, _ in option.aliases)))
    return f"| {names} | {option.takes} | {option.says} |"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_key_stands_in_the_table_as_the_parser_has_it(option: Option) -> None:
    assert f"\n{row(option)}\n" in PAGE


def test_the_table_has_nothing_else() -> None:
    section = PAGE.partition("## Supported keys\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [row(option) for option in OPTIONS]


def test_no_key_is_listed_twice() -> None:
    assert len(KEYS) == sum(1 + len(option.aliases) for option in OPTIONS)

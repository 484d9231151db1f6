"""Words of make: each that it claims to know does something, and those that contributors are told of are among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
(_phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
RULES = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
TOLD = re.findall(
    r"^\| `make ([a-z-]+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_a_word_without_a_file_of_its_name_has_a_rule() -> None:
    """make says of one without that there is nothing to be done, and ends well."""
    assert set(_phony.split()) == RULES


@pytest.mark.parametrize("word", TOLD)
def test_a_word_that_contributors_are_told_of_is_there(word: str) -> None:
    assert word in RULES

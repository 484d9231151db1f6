"""The scripts for SQL*Plus: Oracle's grammar takes each of their statements, and each line that they print is read whole."""

from __future__ import annotations

import re

import pytest
import sqlglot

from plimsoll.placement.objects.oracle_samples import FILE_COUNTS, MARK, SEGMENT_COUNTS, script
from plimsoll.requests.place_query import QueryName

VALUES = {
    "H": 2, "I": 12, "S": 2, "W": 3, "T": 2, "O": 2, "G": 5 + len(SEGMENT_COUNTS), "B": 6, "C": 5, "P": 7, "X": 3,
    "F": 1 + len(FILE_COUNTS), "L": 2, "D": 9 + len(SEGMENT_COUNTS), "E": 1,
}  # fmt: skip
"""How many values follow each letter."""
_ESCAPED = re.compile(r"replace\(([\w.]+), '\|', '\\7c'\)")
_FORBIDDEN = re.compile(
    r"\b(insert|update|delete|merge|drop|create|grant|truncate|execute|begin|declare|host)\b", re.I
)


def statements(name: QueryName) -> list[str]:
    """The queries of a script."""
    lines = [
        line
        for line in script(name).splitlines()
        if not line.startswith(("--", "set ", "alter session", "exit"))
    ]
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


@pytest.mark.parametrize("name", ["oracle", "oracle-awr"])
def test_each_statement_is_a_query_of_oracle(name: QueryName) -> None:
    for text in statements(name):
        assert text.lower().startswith("select "), text
        assert not _FORBIDDEN.search(text), text
        assert sqlglot.parse_one(text, dialect="oracle").sql(dialect="oracle")


@pytest.mark.parametrize("name", ["oracle", "oracle-awr"])
def test_each_line_has_as_many_values_as_are_read(name: QueryName) -> None:
    letters = []
    for text in statements(name):
        literals = re.findall(r"'([^']*)'", _ESCAPED.sub(r"\1", text))
        letter = literals[0][0]
        bars = sum(literal.count("|") for literal in literals)
        assert bars == VALUES[letter], (letter, text)
        letters.append(letter)
    assert letters[0] == "H"
    assert letters[-1] == "E"
    assert MARK in script(name)


def test_history_is_read_from_views_that_need_no_pack() -> None:
    """Oracle's licensing manual excepts these from the Diagnostics Pack."""
    excepted = {"dba_hist_seg_stat", "dba_hist_seg_stat_obj", "dba_hist_snapshot"}
    assert "dba_hist" not in script("oracle")
    assert set(re.findall(r"dba_hist_\w+", "\n".join(statements("oracle-awr")))) == excepted

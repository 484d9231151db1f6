"""Names of columns in the style sheet's variables: only where a table is too wide, and never more than a string."""

from __future__ import annotations

import pytest

from plimsoll.charts import Table
from plimsoll.pages._stacked import is_tight, stacked


def table(columns: int, name: str = "p99", cell: str = "1.25 ms") -> Table:
    return Table((name,) * columns, ((cell,) * columns,), (True,) * columns)


@pytest.mark.parametrize(("columns", "stacks"), [(3, False), (5, False), (6, True), (14, True), (15, False)])
def test_only_a_table_that_is_too_wide_stacks(columns: int, stacks: bool) -> None:
    assert bool(stacked(table(columns))) is stacks


def test_a_name_stays_a_string_whatever_is_in_it() -> None:
    made = stacked(table(8, 'a"};</style>\\2\n'))
    assert made.startswith('--c1:"a\\22 \\7d \\3b \\3c /style\\3e \\5c 2\\a ";--c2:')


def test_a_comparison_of_two_runs_stacks() -> None:
    columns = ("figure", "A", "B", "change", "95 %", "told")
    row = ("p99 from submission", "735 µs", "1.02 ms", "+39 %", "–", "one run each")
    assert stacked(Table(columns, (row,), (False, True, True, True, True, False)))


@pytest.mark.parametrize(("letters", "tight"), [(8, False), (60, True)])
def test_words_break_only_in_a_table_that_is_wider_than_the_page(letters: int, tight: bool) -> None:
    columns = ("report", "verdict", "DB time", "cause")
    row = ("x" * letters, "storage-bound", "12 h 1 min", "latches, mutexes and hot blocks, and more words")
    assert is_tight(Table(columns, (row,), (False, False, True, False))) is tight


def test_figures_count_though_nothing_breaks_them() -> None:
    assert is_tight(table(14))
    assert not is_tight(table(6))

"""A sentence begins with a capital, and a name stays as it is."""

from __future__ import annotations

import pytest

from plimsoll.base.sentences import capital


@pytest.mark.parametrize(
    "name", ["db3 was lost", "p99 rose", "io_uring works", "/data is full", "db.example is away"]
)
def test_a_name_stays_as_it_is(name: str) -> None:
    assert capital(name) == name


@pytest.mark.parametrize(
    ("words", "said"),
    [("the rate fell", "The rate fell"), ("non-temporal stores.", "Non-temporal stores."), ("", "")],
)
def test_a_word_begins_with_a_capital(words: str, said: str) -> None:
    assert capital(words) == said

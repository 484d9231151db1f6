"""A sentence begins with a capital, and a name stays as it is."""

from __future__ import annotations

import pytest

from plimsoll.base.sentences import all_of, capital, listed, names_as_given, the_other, those_left


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


@pytest.mark.parametrize("words", ["d did 25 %", "d: no answer", "d, e are one machine", "d"])
def test_a_name_that_was_given_stays_as_it_is_while_it_is_known(words: str) -> None:
    with names_as_given(["d", "orders"]):
        assert capital(words) == words
        with names_as_given(["x"]):
            assert capital("orders and x fit") == "orders and x fit"
        assert capital("days later") == "Days later"
    assert capital(words) == f"D{words[1:]}"


def test_several_are_told_as_people_do() -> None:
    assert [all_of(number) for number in (1, 2, 3)] == ["the host", "both hosts", "all 3 hosts"]
    assert [the_other(number) for number in (1, 2)] == ["the other host", "the other 2 hosts"]
    assert [listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert those_left(["a", "b", "c"]) == "a, b and c"
    assert those_left(["a", "b", "c", "d"]) == "the 4 hosts that were not lost"

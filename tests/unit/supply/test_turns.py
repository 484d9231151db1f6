"""Turns: everything in turns, and what is kept when one is cut short."""

from __future__ import annotations

import pytest

import facts_builder
from plimsoll.base.errors import WorldError
from plimsoll.facts import Cell
from plimsoll.supply.turns import Turns


def cell(**changes: object) -> Cell:
    return facts_builder.cell(None).model_copy(update={"errors": 0, "ended_early": ""} | changes)


def made(
    answers: list[Cell | Exception], repeats: int = 2, cancel_after: int = 99
) -> tuple[Turns[str], list[str]]:
    asked: list[str] = []

    def measure(key: str) -> Cell:
        asked.append(key)
        answer = answers[len(asked) - 1] if len(asked) <= len(answers) else cell()
        if isinstance(answer, Exception):
            raise answer
        return answer

    found: Turns[str] = Turns(
        ("a", "b", "c"), measure, lambda: len(asked) >= cancel_after, lambda key, cell, number: None
    )
    found.make(repeats)
    return found, asked


def test_everything_in_turns() -> None:
    found, asked = made([])
    assert asked == ["a", "b", "c", "a", "b", "c"]
    assert (found.whole, found.interrupted, found.notes) == (2, False, ())
    assert len(found.of("b")) == 2


def test_a_repeat_that_was_cut_short_is_not_whole() -> None:
    found, _ = made([], cancel_after=5)
    assert (found.whole, found.interrupted) == (1, True)
    assert [len(found.of(key)) for key in "abc"] == [2, 2, 1]


def test_a_measurement_that_was_stopped_does_not_count() -> None:
    found, asked = made([cell(), cell(ended_early="stopped")])
    assert (found.whole, found.interrupted, len(asked)) == (0, True, 2)
    assert found.of("b") == []


@pytest.mark.parametrize(
    "bad", [cell(errors=3), cell(errors=9, ended_early="errors"), WorldError("gone", "it is gone", "Look.")]
)
def test_storage_that_fails_ends_it_and_is_told(bad: Cell | Exception) -> None:
    found, asked = made([cell(), bad])
    assert len(asked) == 2
    assert [note.code for note in found.notes] == ["point-failed"]
    assert not found.interrupted


def test_what_the_first_one_raises_is_raised() -> None:
    with pytest.raises(WorldError):
        made([WorldError("gone", "it is gone", "Look.")])

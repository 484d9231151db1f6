"""What a plan moves, in which order, and back."""

from __future__ import annotations

import pytest

from moved_plans import row
from plimsoll.base.errors import UsageError
from plimsoll.placement.scripts.moves import kept, moves_of, spaces_of

ROWS = [
    row("s.a", "disk", "flash"),
    row("s.b", "disk", "disk"),
    row("s.c", "flash", "disk", gain_s=0.0),
    row("s.d", "disk", "flash"),
]


def test_what_makes_room_goes_first_and_what_stays_is_left_out() -> None:
    assert [(one.object, one.source, one.target) for one in moves_of(ROWS, {"flash": "FAST"})] == [
        ("s.c", "FAST", "disk"),
        ("s.a", "disk", "FAST"),
        ("s.d", "disk", "FAST"),
    ]


def test_back_is_the_same_the_other_way_round() -> None:
    there, back = moves_of(ROWS, {}), moves_of(ROWS, {}, reverse=True)
    assert [(one.object, one.target, one.source) for one in reversed(back)] == [
        (one.object, one.source, one.target) for one in there
    ]


def test_tiers_on_one_tablespace_move_nothing() -> None:
    assert moves_of(ROWS, {"flash": "x", "disk": "x"}) == ()


def test_what_is_kept_in_memory_stays() -> None:
    assert [(one.object, one.target) for one in kept(ROWS, ["s.a", "s.b", "s.x"])] == [("s.b", "disk")]


@pytest.mark.parametrize(
    ("word", "id"),
    [
        ("flash", "tablespace-unreadable"),
        ("=x", "tablespace-unreadable"),
        ("flash=", "tablespace-unreadable"),
        ("gold=x", "tier-unknown"),
    ],
)
def test_a_tablespace_that_is_none(word: str, id: str) -> None:
    with pytest.raises(UsageError) as caught:
        spaces_of([word], ["flash", "disk"])
    assert caught.value.id == id


def test_tablespaces_of_tiers() -> None:
    assert spaces_of(["flash=FAST=1"], ["flash"]) == {"flash": "FAST=1"}

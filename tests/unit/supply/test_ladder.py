"""Targets added one by one: the share of the sum, and from which on more bring nothing."""

from __future__ import annotations

import pytest

import facts_builder
from plimsoll.facts import Cell, LadderCurve, LinkBound
from plimsoll.supply.ladder import Group, curve, flat_from, groups, with_link

REPEATS = (1.0, 1.02, 0.98)


def cells(rate: float) -> list[Cell]:
    return [
        facts_builder.cell(None).model_copy(update={"iops": rate * each, "mb_per_s": rate * each})
        for each in REPEATS
    ]


def measured(alone: list[float], together: list[float]) -> LadderCurve:
    found: dict[Group, list[Cell]] = {(at,): cells(rate) for at, rate in enumerate(alone)}
    found |= {tuple(range(many)): cells(rate) for many, rate in enumerate(together, start=2)}
    names = [f"/dev/sd{chr(97 + at)}" for at in range(len(alone))]
    return curve(names, dict(found), "large", 1 << 20, 4)


def test_each_alone_and_then_one_more_each_time() -> None:
    assert groups(3) == [(0,), (1,), (2,), (0, 1), (0, 1, 2)]


def test_targets_that_add_up_are_linear() -> None:
    found = measured([100, 200, 300], [300, 600])
    assert [step.linearity for step in found.steps] == [1.0, 1.0, 1.0]
    low, high = found.steps[-1].linearity_ci95 or (0, 0)
    assert low == pytest.approx(1.0)
    assert high == pytest.approx(1.0)
    assert found.flat_from is None
    assert found.reason == (
        "3 targets together give 600.0 MB/s, 100 % (95 % interval 100 % to 100 %) of what each gives alone, added up."
    )


@pytest.mark.parametrize(
    ("together", "flat"),
    [
        ((200, 300, 400), None),
        ((200, 300, 310), 4),
        ((200, 205, 210), 3),
        ((105, 110, 110), 2),
        ((150, 150, 150), 3),
        ((200, 180, 160), 3),
        ((120, 220, 320), None),
    ],
)
def test_from_which_target_on_nothing_is_won(together: tuple[float, ...], flat: int | None) -> None:
    assert measured([100] * 4, list(together)).flat_from == flat


def test_one_repeat_that_grew_keeps_it_open() -> None:
    sums = {1: [100.0, 100.0], 2: [200.0, 200.0]}
    assert flat_from([[100.0, 100.0], [110.0, 110.0]], sums) == 2
    assert flat_from([[100.0, 100.0], [110.0, 160.0]], sums) is None


def test_where_it_ends_is_held_against_the_links() -> None:
    found = measured([100] * 4, [200, 205, 210])

    def words(share: float) -> str:
        bound = LinkBound(stated=True, words="1 × X", mb_per_s=210 / share, used_share=share, reason="")
        return with_link(found, bound).reason

    assert "from target 3 on, more bring next to nothing: 2 gave 200.0 MB/s" in found.reason
    assert words(0.97).endswith("the links are full.")
    assert words(0.4).endswith("so the links are not what holds them back.")
    assert words(1.3).endswith("so it says nothing of them.")
    assert with_link(found, None) == found
    assert (
        with_link(
            measured([100] * 2, [200]), LinkBound(stated=True, mb_per_s=1.0, used_share=1.0, reason="")
        ).flat_from
        is None
    )

"""The treemap: areas are bytes and fill the picture, and shades are gain per byte."""

from __future__ import annotations

from typing import Any

import pytest

import facts_placement
import facts_runs
from facts_placement import GIB
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts.gain_density import FRAME_PX, HEIGHT_PX
from plimsoll.facts import Placement, PlanRow, Run

CHART = charts.load("gain-density")
WIDTH_PX = 766


def run_of(found: Placement) -> Run:
    return facts_runs.place_run().model_copy(update={"placement": found})


def fields(run: Run) -> list[dict[str, Any]]:
    return CHART.draw(Subject(run), WIDTH_PX).to_dict()["layer"][0]["data"]["values"]


def rows(sizes: list[int], gains: list[float]) -> tuple[PlanRow, ...]:
    base = facts_placement.placement().plan[0]
    return tuple(
        base.but(object=f"o{number}", bytes=size, gain_s=gain, tier="flash" if gain else "disk")
        for number, (size, gain) in enumerate(zip(sizes, gains, strict=True))
    )


def test_areas_are_in_proportion_and_fill_the_picture() -> None:
    sizes = [40 * GIB, 25 * GIB, 20 * GIB, 10 * GIB, 4 * GIB, GIB]
    shown = fields(run_of(facts_placement.placement().but(plan=rows(sizes, [9.0, 0.0, 0.0, 90.0, 0.0, 0.0]))))
    areas = [(one["x2"] - one["x"]) * (one["y2"] - one["y"]) for one in shown]
    assert sum(areas) == pytest.approx((WIDTH_PX - FRAME_PX) * HEIGHT_PX, rel=1e-3)
    for area, size in zip(areas, sizes, strict=True):
        assert area / sum(areas) == pytest.approx(size / sum(sizes), abs=1e-3)
    overlaps = [
        (a["label"], b["label"])
        for index, a in enumerate(shown)
        for b in shown[index + 1 :]
        if min(a["x2"], b["x2"]) - max(a["x"], b["x"]) > 0.1
        and min(a["y2"], b["y2"]) - max(a["y"], b["y"]) > 0.1
    ]
    assert overlaps == []
    shades = [one["shade"] for one in shown]
    assert shades[3] > shades[0] > 0
    assert shades[1] == shades[2] == shades[4] == 0


def test_many_objects_become_two_areas_of_the_small_ones() -> None:
    count = 200
    plan = rows(
        [(count - number) * GIB for number in range(count)], [float(number % 2) for number in range(count)]
    )
    table = CHART.table(Subject(run_of(facts_placement.placement().but(plan=plan))))
    assert len(table.rows) == 62
    assert {row[0] for row in table.rows} >= {"70 smaller ones that move", "70 smaller ones that stay"}


def test_what_is_a_few_pixels_small_is_grouped() -> None:
    sizes = [40 * GIB, 30 * GIB, 4 << 20, 3 << 20, 2 << 20]
    run = run_of(facts_placement.placement().but(plan=rows(sizes, [9.0, 0.0, 1.0, 1.0, 0.0])))
    names = [row[0] for row in CHART.table(Subject(run)).rows]
    assert names == ["o0", "o1", "2 smaller ones that move", "o4"]
    assert CHART.words(Subject(run)).endswith("2 smaller ones that move are one area.")


def test_a_name_that_does_not_fit_keeps_both_of_its_ends_or_is_left_out() -> None:
    base = facts_placement.placement().plan[0]
    plan = tuple(
        base.but(object=f"SALES.LINES_OF_ORDERS_{number}", bytes=size * GIB, gain_s=9.0)
        for number, size in enumerate((60, 20, 10, 1))
    )
    run = run_of(facts_placement.placement().but(plan=plan))
    labels = [one["label"] for one in CHART.draw(Subject(run), 356).to_dict()["layer"][0]["data"]["values"]]
    assert labels == ["SALES.LINES_OF_ORDERS_0", "LINES_…DERS_1", "LINES…DERS_2", ""]


def test_the_legend_says_what_the_darkest_is() -> None:
    layers = CHART.draw(Subject(facts_runs.place_run()), 356).to_dict()["layer"]
    texts = [value["label"] for value in layers[-1]["data"]["values"]]
    assert texts == ["stays", "saves up to 6 min 40 s for each GiB"]


def test_words_name_the_densest() -> None:
    assert "Most per byte: SALES.ORDERS_PK, 6 min 40 s for each GiB." in CHART.words(
        Subject(facts_runs.place_run())
    )
    assert not CHART.applies(Subject(facts_runs.place_run("nothing to gain")))

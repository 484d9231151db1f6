"""Ticks, bounds and the moving apart of labels."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.charts._chart import altair_module
from plimsoll.charts._scales import (
    duration_labels,
    duration_ticks,
    log_domain,
    log_pixels,
    log_ticks,
    spread,
    waits_axis,
)

LATENCIES = st.lists(st.floats(0.1, 1e8), min_size=1, max_size=20)


@given(LATENCIES)
def test_a_logarithmic_axis_holds_its_values_with_round_bounds(values: list[float]) -> None:
    low, high = log_domain(values)
    assert low <= min(values)
    assert high >= max(values)
    assert min(values) / low <= 5 / 0.95 + 1e-6
    for bound in (low, high):
        assert f"{bound:.0e}"[0] in "125"


@given(LATENCIES)
def test_ticks_lie_on_the_axis_and_are_few(values: list[float]) -> None:
    domain = log_domain(values)
    ticks = log_ticks(*domain)
    assert 1 <= len(ticks) <= 12
    assert all(domain[0] * 0.99 <= tick <= domain[1] * 1.01 for tick in ticks)


def test_nothing_to_show_still_has_an_axis() -> None:
    assert log_domain([]) == (1.0, 10.0)


def test_pixels_run_from_the_top() -> None:
    assert log_pixels([1000.0, 100.0, 10.0], (10.0, 1000.0), 300) == pytest.approx([0, 150, 300])


@given(st.lists(st.floats(0, 500), min_size=1, max_size=8), st.floats(1, 30))
def test_labels_move_apart_and_keep_their_order_and_their_middle(
    positions: list[float], least: float
) -> None:
    moved = spread(positions, least)
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    placed = [moved[index] for index in order]
    assert all(after - before >= least - 1e-6 for before, after in pairwise(placed))
    assert sum(moved) == pytest.approx(sum(positions), abs=1e-6)


def test_labels_far_apart_stay() -> None:
    assert spread([100.0, 10.0, 50.0], 15) == [100.0, 10.0, 50.0]


@given(st.floats(0.05, 40 * 86_400), st.integers(3, 12))
def test_instants_are_few_and_within_the_span(span_s: float, count_max: int) -> None:
    ticks = duration_ticks(span_s, count_max)
    assert ticks[0] == 0
    assert ticks[-1] <= span_s
    assert len(ticks) <= count_max + 1


@pytest.mark.parametrize(
    ("span_s", "unit"), [(60, "seconds"), (600, "minutes"), (20_000, "hours"), (900_000, "days")]
)
def test_spans_are_told_in_a_fit_unit(span_s: float, unit: str) -> None:
    assert duration_labels(span_s)[0] == f"{unit} since the start"


@pytest.mark.parametrize(
    ("top_s", "title", "ticks"),
    [
        (96_000.0, "hours of waits saved", [0, 5, 10, 15, 20, 25]),
        (10_700.0, "minutes of waits saved", [0, 50, 100, 150]),
        (150.0, "seconds of waits saved", [0, 50, 100, 150]),
        (0.04, "seconds of waits saved", [0, 0.01, 0.02, 0.03, 0.04]),
        (9e6, "hours of waits saved", [0, 500, 1000, 1500, 2000, 2500]),
    ],
)
def test_waits_are_told_in_a_unit_that_people_say(top_s: float, title: str, ticks: list[float]) -> None:
    axis = waits_axis(altair_module(), top_s, "of waits saved").to_dict()["axis"]
    assert axis["title"] == title
    size_s = {"hours": 3600, "minutes": 60, "seconds": 1}[title.split()[0]]
    assert [tick / size_s for tick in axis["values"]] == pytest.approx(ticks)
    assert f"datum.value / {size_s}," in axis["labelExpr"]

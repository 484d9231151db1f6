"""The budget curve: each point, the knee, and the plan."""

from __future__ import annotations

from typing import Any

import facts_placement
import facts_runs
from facts_placement import GIB
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.facts import Run

CHART = charts.load("budget-curve")


def marks(run: Run, kind: str) -> list[list[dict[str, Any]]]:
    layers = CHART.draw(Subject(run), 766).to_dict()["layer"]
    return [layer["data"]["values"] for layer in layers if layer["mark"]["type"] == kind]


def test_points_knee_and_plan() -> None:
    run = facts_runs.place_run()
    curve = facts_placement.placement().curve
    assert marks(run, "line") == [[{"x": point.bytes, "y": point.gain_s} for point in curve]]
    texts = {value["text"] for values in marks(run, "text") for value in values}
    assert texts == {"knee: 3 GiB", "the plan"}
    assert "The knee is at 3 GiB, which save 20 min, 92 % of it." in CHART.words(Subject(run))
    assert CHART.table(Subject(run)).rows[1] == ("3 GiB", "20 min", "0.51", "SALES.ORDERS_PK")


def test_where_nothing_is_to_be_gained_there_is_no_curve() -> None:
    assert not CHART.applies(Subject(facts_runs.place_run("nothing to gain")))
    assert not CHART.applies(Subject(facts_runs.io_run()))


def test_without_a_knee_none_is_drawn() -> None:
    run = facts_runs.place_run()
    flat = facts_placement.placement().but(knee_bytes=None, knee_gain_s=None)
    texts = {
        value["text"]
        for values in marks(run.model_copy(update={"placement": flat}), "text")
        for value in values
    }
    assert texts == {"the plan"}
    assert facts_placement.placement().moved_bytes == 3 * GIB

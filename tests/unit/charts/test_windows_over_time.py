"""The windows of a measurement: steps from each start to the last end, unknown values left open."""

from __future__ import annotations

import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts._course import steps

CHART = charts.load("windows-over-time")


def test_steps_reach_the_end_of_the_last_window() -> None:
    run = facts_runs.io_run()
    assert run.cell is not None
    made = steps(run.cell.windows, "iops")
    assert [step["x"] for step in made[:-1]] == [window.start_s for window in run.cell.windows]
    assert made[-1]["x"] == 2.0
    assert made[-1]["y"] == made[-2]["y"]


def test_unknown_latency_is_no_point() -> None:
    run = facts_runs.io_run()
    assert run.cell is not None
    windows = [window.model_copy(update={"latency_us_p99": None}) for window in run.cell.windows]
    assert {step["y"] for step in steps(windows, "latency_us_p99")} == {None}
    blind = run.model_copy(update={"cell": run.cell.model_copy(update={"windows": tuple(windows)})})
    assert "p99" not in CHART.words(Subject(blind))
    assert CHART.draw(Subject(blind), 600).to_dict()


def test_rates_alone_are_drawn_where_no_latency_is_known() -> None:
    run = facts_runs.io_run()
    assert run.cell is not None
    update = {"latency_us_p99": None, "latency_us_p50": None}
    windows = tuple(window.model_copy(update=update) for window in run.cell.windows)
    blind = run.model_copy(update={"cell": run.cell.model_copy(update={"windows": windows})})
    assert len(CHART.draw(Subject(blind), 600).to_dict()["vconcat"]) == 1

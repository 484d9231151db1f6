"""Throughput by sessions: the points with their intervals, the law, and the knee where it was found."""

from __future__ import annotations

from typing import Any

import pytest

import facts_proofs
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject, peak_words
from plimsoll.charts.sweep_knee import law_at
from plimsoll.facts import Run, Scalability

CHART = charts.load("sweep-knee")


def run_with(**changes: Any) -> Run:
    return facts_runs.sweep_run().model_copy(
        update={"sweep": facts_proofs.sweep().model_copy(update=changes)}
    )


def marks(run: Run, kind: str, panel: int = 0) -> list[list[dict[str, Any]]]:
    layers = CHART.draw(Subject(run), 766).to_dict()["vconcat"][panel]["layer"]
    return [layer["data"]["values"] for layer in layers if layer["mark"]["type"] == kind]


def texts(run: Run) -> set[str]:
    return {value["text"] for values in marks(run, "text") for value in values}


def test_each_number_of_sessions_is_a_point_with_its_interval() -> None:
    points = facts_proofs.sweep().points
    dots = [(point.sessions, point.operations_per_s) for point in points]
    assert [(value["x"], value["y"]) for value in marks(run_with(), "point")[0]] == dots
    intervals = [(point.sessions, *(point.ci95 or ())) for point in points]
    assert [(value["x"], value["y"], value["y2"]) for value in marks(run_with(), "rule")[0]] == intervals


def test_the_curve_is_the_law_from_the_first_point_to_the_last() -> None:
    law = facts_proofs.sweep().scalability
    assert law is not None
    (curve,) = marks(run_with(), "line")
    assert (curve[0]["x"], curve[-1]["x"]) == (1, 64)
    assert all(value["y"] == pytest.approx(law_at(law, value["x"]), abs=0.1) for value in curve)


def test_the_law_has_its_peak_where_it_says() -> None:
    law = Scalability(
        per_session=100, contention=0.05, coherency=0.001, peak_sessions=(0.95 / 0.001) ** 0.5, r2=None
    )
    assert law_at(law, 1) == 100
    peak = law.peak_sessions or 0
    assert law_at(law, peak) > max(law_at(law, peak * 0.9), law_at(law, peak * 1.1))


def test_the_knee_is_named_and_without_one_it_is_not() -> None:
    assert texts(run_with()) == {"knee: 16 sessions", "scalability law"}
    assert texts(run_with(knee_sessions=None, scalability=None)) == set()
    assert "knee" not in CHART.words(Subject(run_with(knee_sessions=None)))


def test_latencies_and_intervals_that_are_not_known_are_not_drawn() -> None:
    points = tuple(
        point.model_copy(update={"latency_us_p99": None, "ci95": None})
        for point in facts_proofs.sweep().points
    )
    run = run_with(points=points)
    assert len(CHART.draw(Subject(run), 766).to_dict()["vconcat"]) == 1
    assert marks(run, "rule") == []
    assert {row[2] for row in CHART.table(Subject(run)).rows} == {"unknown"}


def test_one_number_of_sessions_is_no_course() -> None:
    assert not CHART.applies(Subject(run_with(points=facts_proofs.sweep().points[:1])))


@pytest.mark.parametrize(
    ("peak", "coherency", "ci95", "said"),
    [
        (30.8, 0.001, (0.0009, 0.0011), "31 sessions (29 to 33)"),
        (30.8, 0.001, (0.0, 0.002), "31 sessions (22 to more than 64, the most that were tried)"),
        (None, 0.0001, (0.00005, 0.00015), "not within the 64 sessions that were tried; try 128"),
        (None, 0.0, None, "nothing bends the curve down up to 64 sessions"),
    ],
)
def test_the_peak_is_said_as_far_as_it_was_measured(
    peak: float | None, coherency: float, ci95: tuple[float, float] | None, said: str
) -> None:
    law = Scalability(
        per_session=100,
        contention=0.05,
        contention_ci95=(0.04, 0.06),
        coherency=coherency,
        coherency_ci95=ci95,
        peak_sessions=peak,
        r2=1.0,
    )
    assert peak_words(law, facts_proofs.sweep().points) == said

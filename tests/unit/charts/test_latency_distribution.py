"""The latency distribution: quantiles of buckets, and the curve out to the last I/O."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts.latency_distribution import _curve, _Shown, quantile
from plimsoll.facts import Bucket

COUNTS = st.lists(st.integers(1, 50), min_size=1, max_size=30)


def buckets(counts: list[int]) -> list[Bucket]:
    return [
        Bucket(lower_us=10.0 * index, upper_us=10.0 * (index + 1), ios=ios)
        for index, ios in enumerate(counts)
    ]


@given(COUNTS, st.sampled_from([0.5, 0.9, 0.99, 0.999]))
def test_a_quantile_is_the_bucket_of_the_io_at_its_rank(counts: list[int], share: float) -> None:
    found = quantile(buckets(counts), share)
    latencies = sorted(10.0 * (index + 1) for index, ios in enumerate(counts) for _ in range(ios))
    if len(latencies) * (1 - share) < 1 - 1e-9:
        assert found is None
    else:
        rank = min(rank for rank in range(1, len(latencies) + 1) if rank >= len(latencies) * share)
        assert found == latencies[rank - 1]


@given(COUNTS)
def test_the_curve_rises_to_the_slowest_io(counts: list[int]) -> None:
    points = _curve(_Shown(buckets(counts), None))
    assert points[0][0] == 1.0
    assert points[-1] == (float(sum(counts)), 10.0 * len(counts))
    assert points == sorted(points)


def test_the_picture_is_told_in_figures() -> None:
    subject = Subject(facts_runs.io_run(), {"taken in": buckets([50, 40, 9, 1])})
    chart = charts.load("latency-distribution")
    expected = "Taken in: half of 100 I/Os took up to 10.0 µs, 99 % up to 30 µs, the slowest 40 µs."
    assert expected.replace("10.0", "10") in chart.words(subject)
    rows = {row[0]: row[1] for row in chart.table(subject).rows}
    assert rows["90 %"] == "20 µs"
    assert rows["99.9 %"] == "unknown"
    assert rows["slowest"] == "40 µs"


def test_figures_and_ends_of_a_curve_are_those_of_the_facts_and_not_of_wider_buckets() -> None:
    run = facts_runs.io_run()
    assert run.cell is not None
    latency = run.cell.latency_us.model_copy(update={"min": 90.0, "p50": 151.0, "p99": 605.0, "max": 1_470.0})
    run = run.model_copy(update={"cell": run.cell.model_copy(update={"latency_us": latency})})
    wide = [
        Bucket(lower_us=0.0, upper_us=200.0, ios=60_000),
        Bucket(lower_us=200.0, upper_us=2e3, ios=60_000),
    ]
    subject, chart = Subject(run, {"all I/Os": wide}), charts.load("latency-distribution")
    assert "half of 120,000 I/Os took up to 151 µs, 99 % up to 605 µs, the slowest 1.47 ms" in chart.words(
        subject
    )
    assert {"50 %": "151 µs", "99 %": "605 µs", "slowest": "1.47 ms"}.items() <= {
        row[0]: row[1] for row in chart.table(subject).rows
    }.items()
    curve = _curve(_Shown(wide, latency))
    assert (curve[0], curve[-1]) == ((1.0, 90.0), (120_000.0, 1_470.0))


def test_curves_differ_in_stroke_and_their_names_show_it() -> None:
    found = {"held": buckets([5, 3]), "missed": buckets([2, 9]), "void": buckets([1, 1])}
    layers = (
        charts.load("latency-distribution").draw(Subject(facts_runs.io_run(), found), 700).to_dict()["layer"]
    )
    for mark in ("line", "rule"):
        strokes = [str(layer["mark"]["strokeDash"]) for layer in layers if layer["mark"]["type"] == mark]
        assert len(strokes) == len(set(strokes)) == 3


def test_empty_distributions_are_left_out() -> None:
    empty = {"none": [], "void": [Bucket(lower_us=1, upper_us=2, ios=0)]}
    assert not charts.load("latency-distribution").applies(Subject(facts_runs.io_run(), empty))


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("io", ["all I/Os"]),
        ("io_at_a_rate", ["all I/Os", "storage alone"]),
        ("demo", ["held at 32,000/s", "held at 56,000/s", "missed at 57,900/s"]),
        ("never_held", ["missed at 500/s"]),
        ("demand", []),
        ("sparse", []),
    ],
)
def test_the_distributions_worth_drawing(name: str, labels: list[str]) -> None:
    run = facts_runs.all_runs()[name]
    assert list(charts.distribution_sources(run)) == labels

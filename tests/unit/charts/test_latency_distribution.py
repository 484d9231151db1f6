"""The latency distribution: quantiles of buckets, and the curve out to the last I/O."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts.latency_distribution import _curve, quantile
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
    points = _curve(buckets(counts))
    assert points[0][0] == 1.0
    assert points[-1] == (float(sum(counts)), 10.0 * len(counts))
    assert points == sorted(points)


def test_the_picture_is_told_in_figures() -> None:
    subject = Subject(facts_runs.io_run(), {"all I/Os": buckets([50, 40, 9, 1])})
    chart = charts.load("latency-distribution")
    expected = "All I/Os: half of 100 I/Os took up to 10.0 µs, 99 % up to 30 µs, the slowest 40 µs."
    assert expected.replace("10.0", "10") in chart.words(subject)
    rows = {row[0]: row[1] for row in chart.table(subject).rows}
    assert rows["90 %"] == "20 µs"
    assert rows["99.9 %"] == "unknown"
    assert rows["slowest"] == "40 µs"


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

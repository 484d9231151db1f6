"""Answers of CloudWatch: metrics and what they are of, out of labels."""

from __future__ import annotations

from pathlib import Path

import pytest

import exports_made as made

SERIES = {
    "shop ReadIOPS": lambda step: 100.0 + step,
    "shop WriteIOPS": lambda _: 50.0,
    "shop ReadLatency": lambda _: 0.002,
    "shop ReadThroughput": lambda _: 8e6,
    "shop FreeStorageSpace": lambda _: 5e10,
}


def test_units_sums_and_weights(tmp_path: Path) -> None:
    found = made.read(tmp_path, made.cloudwatch(SERIES, 3))
    assert sorted(made.values(found, "shop", "iops")) == [150.0, 151.0, 152.0]
    assert sorted(made.begins(found, "shop", "iops")) == [0, 1, 2]
    assert made.values(found, "shop", "read_latency_us") == [2_000.0] * 3
    assert sorted(made.weights(found, "shop", "read_latency_us")) == [
        one * made.STEP_S for one in (100, 101, 102)
    ]
    assert made.values(found, "shop", "read_mb_per_s") == [8.0] * 3
    assert made.values(found, "shop", "free_gb") == [50.0] * 3
    assert {"statistic-unknown", "averages", "sizes-unknown"} <= made.codes(found)
    assert "iops" in {key.metric for key in found.asked}


def test_without_a_word_for_it_a_series_is_named_after_its_file(tmp_path: Path) -> None:
    answer = made.cloudwatch({"ReadIOPS": lambda _: 1.0, "Queue of mine": lambda _: 2.0}, 2)
    found = made.read(tmp_path, answer, name="crm.json")
    assert sorted((key.database, key.metric) for key in found.points) == [
        ("crm", "Queue of mine"),
        ("crm", "read_per_s"),
    ]


def test_latencies_without_counts_are_told(tmp_path: Path) -> None:
    found = made.read(tmp_path, made.cloudwatch({"ReadLatency": lambda _: 0.002}, 2))
    assert "latency-unweighted" in made.codes(found)


def test_one_label_of_two_queries_is_two_series(tmp_path: Path) -> None:
    answer = made.cloudwatch(SERIES, 2)
    for number in (0, 1):
        answer["MetricDataResults"][number]["Label"] = "shop ReadIOPS"
    found = made.read(tmp_path, answer)
    assert {"shop (m0)", "shop (m1)"} <= {key.database for key in found.points}


def test_two_pages_of_one_moment_are_one(tmp_path: Path) -> None:
    answer = made.cloudwatch(SERIES, 3)
    found = made.read(tmp_path, answer, answer)
    assert sorted(made.values(found, "shop", "iops")) == [150.0, 151.0, 152.0]
    assert "told-twice" not in made.codes(found)
    other = made.cloudwatch({"shop ReadIOPS": lambda _: 7.0}, 3)
    found = made.read(tmp_path, answer, other)
    assert "told-twice" in made.codes(found)
    assert sorted(made.values(found, "shop", "iops")) == [150.0, 151.0, 152.0]


def test_of_one_value_nobody_knows_the_period(tmp_path: Path) -> None:
    found = made.read(tmp_path, made.cloudwatch({"shop ReadIOPS": lambda _: 1.0}, 1))
    assert str(made.lengths(found, "shop", "read_per_s")) == "{nan}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"StatusCode": "PartialData"}, "MetricDataResults[0]: its StatusCode is PartialData"),
        ({"Timestamps": []}, "MetricDataResults[0]: it has 0 Timestamps and 2 Values"),
        ({"Values": [1, "x"]}, "MetricDataResults[0].value 1: value 'x' is no number"),
        ({"Timestamps": ["soon", "2026-03-02T00:00:00Z"]}, "MetricDataResults[0].value 0: 'soon' is no time"),
        ({"Label": None, "Id": None}, "MetricDataResults[0]: it has no Label"),
    ],
)
def test_a_broken_part_is_told_with_its_path(tmp_path: Path, change: dict, told: str) -> None:
    answer = made.cloudwatch(SERIES, 2)
    answer["MetricDataResults"][0] |= change
    found = made.read(tmp_path, answer)
    assert told in made.unread(found)[0]
    assert made.values(found, "shop", "write_per_s") == [50.0, 50.0]


def test_a_page_of_several_is_told(tmp_path: Path) -> None:
    answer = {**made.cloudwatch(SERIES, 2), "NextToken": "abc"}
    (told,) = made.unread(made.read(tmp_path, answer))
    assert "one page of several" in told
    assert "abc" not in told

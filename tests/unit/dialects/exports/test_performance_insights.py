"""Answers of Performance Insights: where a period's time stands, and what is a part of something else."""

from __future__ import annotations

from pathlib import Path

import pytest

import exports_made as made

SERIES = {
    "db.load.avg": lambda step: 3.0 + step,
    "os.diskIO.rdsdev.readIOsPS.avg": lambda _: 100.0,
    "os.diskIO.rdsdev.writeIOsPS.avg": lambda _: 50.0,
    "os.diskIO.rdsdev.await.avg": lambda _: 2.5,
    "db.Cache.blks_hit.avg": lambda _: 9.0,
}
NAME = "db-SHOP"


@pytest.mark.parametrize("ends", [True, False])
def test_a_time_stands_at_the_end_of_its_period_or_at_its_beginning(tmp_path: Path, ends: bool) -> None:
    found = made.read(tmp_path, made.performance_insights(SERIES, 3, ends=ends))
    assert made.values(found, NAME, "db_load") == [3.0, 4.0, 5.0]
    assert made.begins(found, NAME, "db_load") == [0, 1, 2]
    assert made.values(found, NAME, "iops") == [150.0] * 3
    assert made.values(found, NAME, "io_latency_us") == [2_500.0] * 3
    assert made.values(found, NAME, "db.Cache.blks_hit.avg") == [9.0] * 3
    assert {"load-sampled", "averages"} <= made.codes(found)


def test_parts_by_dimension_are_left_out(tmp_path: Path) -> None:
    answer = made.performance_insights(SERIES, 2)
    part = made.performance_insights({"db.load.avg": lambda _: 1.0}, 2)["MetricList"][0]
    part["Key"]["Dimensions"] = {"db.wait_event.name": "CPU"}
    answer["MetricList"].append(part)
    found = made.read(tmp_path, answer)
    assert made.values(found, NAME, "db_load") == [3.0, 4.0]
    assert "parts-left-out" in made.codes(found)


def test_a_value_that_is_not_there_makes_a_gap(tmp_path: Path) -> None:
    answer = made.performance_insights(SERIES, 3)
    del answer["MetricList"][0]["DataPoints"][1]["Value"]
    found = made.read(tmp_path, answer)
    assert made.begins(found, NAME, "db_load") == [0, 2]
    assert found.off_files == 0


def test_broken_parts_are_told(tmp_path: Path) -> None:
    answer = {**made.performance_insights(SERIES, 3), "NextToken": "x"}
    answer["MetricList"][0]["DataPoints"][0]["Timestamp"] = "soon"
    answer["MetricList"][1]["Key"] = {}
    (told,) = made.unread(made.read(tmp_path, answer))
    assert "MetricList[0].value 0: 'soon' is no time, and 2 more parts" in told

"""Points of reports and of kept demands: gaps make none, means have their weight, sums of other things are left out."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.demand.points import AllPoints, SeriesKey, moment_of, points_of_demands, points_of_reports
from plimsoll.demand.series import demand_of
from plimsoll.facts import Note, ReportedInterval
from tiny_reports import TOTALS, activity, interval


def at(hour: int, busy: float = 1.0, **changes: Any) -> ReportedInterval:
    counts = {name: round(total * busy) for name, total in TOTALS.items()}
    times = {
        "begin_time": f"2024-05-01T{hour:02}:00:00",
        "end_time": f"2024-05-01T{hour:02}:16:40",
        "file": f"{hour}.html",
    }
    return interval(activity(counts), **(times | changes))


def of(*intervals: ReportedInterval) -> tuple[AllPoints, list[Note]]:
    return points_of_reports(demand_of(intervals))


def test_intervals_are_points_with_their_length() -> None:
    found, notes = of(at(10), at(11, busy=2.0))
    (points,) = found[SeriesKey("SHOP", "iops")].values()
    assert [moment_of(one) for one in points.begin_s] == ["2024-05-01T10:00:00", "2024-05-01T11:00:00"]
    assert list(points.duration_s) == [1_000.0, 1_000.0]
    assert points.value[1] == pytest.approx(2 * points.value[0])
    assert [note.code for note in notes if note.code == "gap"] == []


def test_a_gap_makes_no_point_and_is_said() -> None:
    found, notes = of(at(10), at(11, startup_time="2024-05-01T11:05:00"))
    (points,) = found[SeriesKey("SHOP", "iops")].values()
    assert len(points.value) == 1
    assert (
        "1 interval without known rates or times"
        in next(note for note in notes if note.code == "gap").message
    )


def test_two_databases_of_one_name_are_told_apart_by_their_numbers() -> None:
    """One report without a number goes with neither: which of the two it is of is not known."""
    found, _ = of(at(10, db_id=7), at(10, busy=2.0, db_id=8), at(11, db_id=None))
    iops = {key.database for key in found if key.metric == "iops"}
    assert iops == {"SHOP (7)", "SHOP (8)", "SHOP"}
    found, _ = of(at(10, db_id=7), at(11, db_id=None))
    assert {key.database for key in found} == {"SHOP"}


def test_instances_of_a_cluster_are_told_apart() -> None:
    found, _ = of(at(10, rac=True, instance="shop1"), at(10, rac=True, instance="shop2", instance_number=2))
    assert sorted(found[SeriesKey("SHOP", "iops")]) == ["shop1", "shop2"]


def test_single_instances_are_left_out_beside_their_cluster() -> None:
    whole = at(10).model_copy(update={"scope": "cluster"})
    found, notes = of(whole, at(10, rac=True, instance="shop1"))
    assert list(found[SeriesKey("SHOP", "iops")]) == [""]
    assert "instances-left-out" in {note.code for note in notes}


def test_time_in_the_database_and_on_cpus_is_a_rate() -> None:
    found, _ = of(at(10, db_time_s=2_500.0, db_cpu_s=500.0), at(11))
    for metric, value in (("db_time_s_per_s", 2.5), ("db_cpu_s_per_s", 0.5)):
        (points,) = found[SeriesKey("SHOP", metric)].values()
        assert list(points.value) == [value]


def test_instances_of_one_snapshot_add_up() -> None:
    """AWR-Miner prints a row for each instance, whose snapshots begin at one minute."""
    rows = [
        at(10, rac=True, instance=None, instance_number=number, db_time_s=1_000.0 * number)
        for number in (1, 2)
    ]
    found, _ = of(*rows)
    points = found[SeriesKey("SHOP", "db_time_s_per_s")]
    assert {name: list(one.value) for name, one in points.items()} == {"1": [1.0], "2": [2.0]}


def test_containers_are_series_of_their_own() -> None:
    found, _ = of(at(10, container="ONE"), at(10, container="TWO"))
    assert {key.database for key in found} == {"SHOP/ONE", "SHOP/TWO"}


def test_a_sum_of_fewer_classes_than_usual_is_left_out_and_said() -> None:
    fewer = at(12)
    name = next(name for name, one in fewer.classes.items() if one.ops_per_s is not None)
    without = {key: one for key, one in fewer.classes.items() if key != name}
    found, notes = of(at(10), at(11), fewer.model_copy(update={"classes": without}))
    (points,) = found[SeriesKey("SHOP", "iops")].values()
    assert len(points.value) == 2
    assert "iops of SHOP: 1 of 3 intervals count other classes" in " ".join(note.message for note in notes)


def test_a_latency_weighs_what_it_is_a_mean_of() -> None:
    demand = facts_builder.demand()
    found, _ = points_of_demands([demand])
    first = next(one for one in demand.intervals if one.gap is None)
    name, timed = next(
        (name, one)
        for name, one in first.classes.items()
        if one.latency_us_mean is not None and one.ops_per_s
    )
    (points,) = found[SeriesKey(demand.database.name, f"{name}_latency_us")].values()
    assert points.value[0] == timed.latency_us_mean
    assert points.weight[0] == pytest.approx((timed.ops_per_s or 0) * first.duration_s)


def test_an_interval_that_two_demands_hold_is_there_once() -> None:
    demand = facts_builder.demand()
    once, _ = points_of_demands([demand])
    twice, _ = points_of_demands([demand, demand])
    key = SeriesKey(demand.database.name, "iops")
    assert list(twice[key][""].value) == list(once[key][""].value)


def test_two_databases_of_one_name_are_two_series() -> None:
    demand = facts_builder.demand()
    other = demand.but(database=demand.database.but(system_identifier="77"))
    found, _ = points_of_demands([demand, other])
    assert len({key.database for key in found}) == 2


def test_an_instance_of_which_one_report_tells_only_the_number_is_the_same() -> None:
    """AWR-Miner's rows beside AWR reports: as two instances they would be added up."""
    named = at(10, rac=True, instance="shop1", instance_number=1)
    numbered = at(11, rac=True, instance=None, instance_number=1)
    found, _ = of(named, numbered)
    assert {name: len(one.value) for name, one in found[SeriesKey("SHOP", "iops")].items()} == {"shop1": 2}

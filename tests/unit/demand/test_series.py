"""Intervals of many reports as one demand, and as a demand that storage is held against."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.demand.series import as_demand, busiest_series, check_single, demand_of
from plimsoll.demand.workload import workload_of
from plimsoll.facts import Note, ReportedInterval
from tiny_reports import TOTALS, activity, interval


def at(hour: int, busy: float = 1.0, **changes: object) -> ReportedInterval:
    """An interval of a thousand seconds in that hour, so many times as busy."""
    counts = {name: round(total * busy) for name, total in TOTALS.items()}
    times = {
        "begin_time": f"2024-05-01T{hour:02}:00:00",
        "end_time": f"2024-05-01T{hour:02}:16:40",
        "file": f"{hour}.html",
    }
    return interval(activity(counts), **(times | changes))


def test_intervals_stand_in_order_and_the_busiest_is_the_peak() -> None:
    found = demand_of([at(12), at(10), at(11, busy=2.0)])
    assert [one.file for one in found.intervals] == ["10.html", "11.html", "12.html"]
    assert found.peak == found.intervals[1]
    assert found.resolution_s == 1000.0
    (series,) = found.series
    assert (series.interval_count, series.gap_count, series.peak_begin_time) == (3, 0, "2024-05-01T11:00:00")
    assert found.notes == ()


def test_the_longest_interval_is_the_resolution() -> None:
    assert demand_of([at(10), at(11, elapsed_s=3600.0)]).resolution_s == 3600.0
    assert demand_of([]).resolution_s is None


def test_an_interval_that_must_not_be_used_is_no_peak() -> None:
    restarted = at(11, busy=9.0, startup_time="2024-05-01T11:05:00")
    found = demand_of([at(10), restarted])
    assert found.peak is not None
    assert found.peak.file == "10.html"
    assert [note.code for note in found.notes] == ["gap"]
    assert found.series[0].gap_count == 1


def test_flags_and_doubts_are_told_once_for_each_kind() -> None:
    flag = Note(code="interval-overlap", message="the interval overlaps")
    flagged = [at(hour).model_copy(update={"flags": (flag,)}) for hour in range(8, 14)]
    (note,) = demand_of(flagged).notes
    assert note.message.startswith("8.html: the interval overlaps; 9.html")
    assert note.message.endswith("and 3 more")


def test_several_databases_are_no_single_demand() -> None:
    both = demand_of([at(10), at(10, busy=2.0, db_name="CRM", db_id=8)])
    assert [note.code for note in both.notes] == ["several-databases"]
    assert [one.db_name for one in both.series] == ["CRM", "SHOP"]
    with pytest.raises(UsageError) as caught:
        check_single(both)
    assert caught.value.id == "demand-several"
    assert "CRM shop1, SHOP shop1" in caught.value.message
    assert [one.db_name for one in busiest_series(both).intervals] == ["CRM"]
    check_single(demand_of([at(10), at(11)]))


def test_containers_of_one_database_are_kept_apart() -> None:
    both = demand_of([at(10, container="CRM"), at(11, container="HR", busy=2.0), at(12, container="CRM")])
    assert [(one.container, one.interval_count) for one in both.series] == [("CRM", 2), ("HR", 1)]
    assert [note.code for note in both.notes] == ["several-databases"]
    with pytest.raises(UsageError) as caught:
        check_single(both)
    assert "SHOP/CRM shop1, SHOP/HR shop1" in caught.value.message
    part = busiest_series(both)
    assert [one.container for one in part.intervals] == ["HR"]
    assert as_demand(part).database.name == "SHOP/HR"


def test_one_of_several_says_that_it_is_a_share() -> None:
    codes = {note.code for note in demand_of([at(10, rac=True)]).notes}
    assert codes == {"instance-share"}
    assert {note.code for note in demand_of([at(10, kind="awr-pdb")]).notes} == {"container-share"}


def test_a_demand_for_storage_counts_nothing_twice() -> None:
    demand = as_demand(demand_of([at(10), at(11, busy=2.0)]))
    assert demand.peak is not None
    assert set(demand.peak.classes) == {
        "small_read",
        "large_read",
        "small_write",
        "large_write",
        "redo_write",
    }
    assert demand.peak.iops == pytest.approx(14_000.0, rel=1e-3)
    assert demand.peak.begin_time == datetime(2024, 5, 1, 11, tzinfo=UTC)
    assert (demand.database.kind, demand.database.name) == ("oracle", "SHOP")
    assert demand.database.version_number == 192_400
    assert {"local-times", "bytes-parted"} <= {note.code for note in demand.notes}
    mix = workload_of(demand)
    assert mix.workload is not None
    assert mix.iops == pytest.approx(14_000.0, rel=0.1)
    redo = next(io for io in mix.workload.classes if io.name == "redo_write")
    assert (redo.sync, redo.block_bytes) == (True, 4096)


def test_without_a_known_interval_the_reason_goes_along() -> None:
    blank = interval(activity(TOTALS), elapsed_s=None, begin_time=None, end_time=None, kind="ash")
    demand = as_demand(demand_of([blank]))
    assert (demand.peak, demand.intervals) == (None, ())
    mix = workload_of(demand)
    assert mix.workload is None
    assert "samples sessions" in mix.notes[-1].message

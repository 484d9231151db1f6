"""Order of reports, and the doubts about their intervals that only show when they lie side by side."""

from __future__ import annotations

from typing import Any

from plimsoll.facts import Report, ReportInstance, ReportProblem
from plimsoll.reports.intervals import beside_others, flags, order
from plimsoll.reports.spool import KIND as COLLECTOR


def report(begin: str, end: str, file: str = "", **more: Any) -> Report:
    day = "2016-01-31T"
    known: dict[str, Any] = {"kind": "awr", "db_name": "ORCL", "instance": "orcl1", "status": "ok", **more}
    return Report(
        file=file or f"{begin}.txt", begin_time=f"{day}{begin}:00", end_time=f"{day}{end}:00", **known
    )


def codes(*reports: Report) -> dict[str, list[str]]:
    return {reports[place].file: [note.code for note in notes] for place, notes in flags(reports).items()}


def test_the_order_is_database_instance_interval_and_the_nameless_last() -> None:
    nameless = Report(file="a", status="unreadable")
    second = report("00:00", "01:00", "b", instance="orcl2")
    later = report("01:00", "02:00", "c")
    first = report("00:00", "01:00", "d")
    other = report("00:00", "01:00", "e", db_name="AAA")
    untimed = Report(file="f", status="empty", db_name="ORCL", instance="orcl1")
    in_order = [other, first, later, untimed, second, nameless]
    assert sorted([nameless, second, later, first, other, untimed], key=order) == in_order


def test_those_beside_others_are_found_where_they_stand() -> None:
    here = [report("00:00", "01:00"), report("00:30", "01:30")]
    other = [report("00:00", "01:00", instance="orcl2"), report("00:00", "01:00", kind="ash")]
    assert beside_others([here[0], *other, here[1]]) == [0, 3]
    assert beside_others(other) == []


def test_intervals_that_meet_do_not_overlap() -> None:
    assert codes(report("00:00", "01:00"), report("01:00", "02:00"), report("02:00", "03:00")) == {}


def test_an_overlap_is_told_with_the_later_report_whatever_the_order() -> None:
    late, early = report("00:30", "01:30"), report("00:00", "01:00")
    assert codes(late, early) == {"00:30.txt": ["interval-overlap"]}
    (note,) = flags([late, early])[0]
    assert note.message == (
        "the interval overlaps with that of 00:00.txt, 2016-01-31T00:00:00 to 2016-01-31T01:00:00"
    )


def test_a_day_among_hours_overlaps_with_each_of_them() -> None:
    day = report("00:00", "23:00", "day.txt")
    assert codes(report("01:00", "02:00"), day, report("05:00", "06:00"), report("23:00", "23:30")) == {
        "01:00.txt": ["interval-overlap"],
        "05:00.txt": ["interval-overlap"],
    }


def test_one_interval_twice_is_told_as_that() -> None:
    assert codes(report("00:00", "01:00", "a.html"), report("00:00", "01:00", "b.txt")) == {
        "b.txt": ["interval-twice"]
    }


def test_other_instances_databases_and_kinds_do_not_count() -> None:
    some = [{"instance": "orcl2"}, {"db_name": "OTHER"}, {"kind": "awr-global"}, {"db_id": 5}]
    others = [report("00:00", "01:00", str(number), **one) for number, one in enumerate(some)]
    assert codes(report("00:00", "01:00", "first"), *others) == {}


def test_containers_of_one_database_are_not_one_interval_twice() -> None:
    first, second = (report("00:00", "01:00", name, kind="awr-pdb", container=name) for name in ("CRM", "HR"))
    assert codes(first, second) == {}
    again = report("00:00", "01:00", "again", kind="awr-pdb", container="HR")
    assert codes(first, second, again) == {"again": ["interval-twice"]}


def test_duplicates_and_reports_without_an_interval_are_left_out() -> None:
    twice = report("00:00", "01:00", "b", duplicate_of="a")
    assert codes(report("00:00", "01:00", "a"), twice, Report(file="c", status="empty", db_name="ORCL")) == {}


def test_a_restart_inside_and_between() -> None:
    old, new = "2016-01-30T00:00:00", "2016-01-31T00:59:00"
    inside = report("00:00", "01:00", "inside", startup_time=new)
    assert codes(inside) == {"inside": ["instance-restart"]}
    before = report("00:00", "00:30", "before", startup_time=old)
    after = report("01:00", "02:00", "after", startup_time=new)
    assert codes(before, after) == {"after": ["instance-restart"]}
    assert codes(before, report("00:30", "00:50", startup_time=old)) == {}


def test_one_interval_twice_is_no_restart_in_between() -> None:
    """The text of a report and its HTML may have been printed from two snapshots of the start."""
    times = ("2016-01-30T00:00:00", "2016-01-30T00:03:00")
    twins = [report("00:00", "01:00", f"{n}", startup_time=time) for n, time in enumerate(times)]
    assert codes(*twins) == {"1": ["interval-twice"]}


def test_each_instance_of_a_cluster_may_have_been_restarted() -> None:
    instances = (
        ReportInstance(instance="a1"),
        ReportInstance(instance="a2", startup_time="2016-01-31T00:30:00"),
    )
    (note,) = flags([report("00:00", "01:00", instances=instances)])[0]
    assert note.message == "the instance a2 was started at 2016-01-31T00:30:00, inside the interval"


def test_a_restart_that_the_report_tells_of_is_not_told_again() -> None:
    problem = ReportProblem(code="instance-restart", message="snapshots span a shutdown", loses=False)
    inside = {"startup_time": "2016-01-31T00:30:00"}
    assert codes(report("00:00", "01:00", "a", **inside)) == {"a": ["instance-restart"]}
    assert codes(report("00:00", "01:00", "a", problems=(problem,), **inside)) == {}


def test_time_that_runs_backwards() -> None:
    assert codes(report("02:00", "01:00", "a")) == {"a": ["interval-negative"]}
    assert codes(report("01:00", "02:00", "b", elapsed_s=-5.0)) == {"b": ["interval-negative"]}


def test_a_negative_elapsed_time_is_told_as_what_it_is() -> None:
    (note,) = flags([report("01:00", "02:00", elapsed_s=-86_400.0)])[0]
    assert note.message == "the report prints an elapsed time of -86,400 s"
    (note,) = flags([report("01:00", "02:00", elapsed_s=-90_000.6)])[0]
    assert note.message == "the report prints an elapsed time of -90,000.6 s"
    (note,) = flags([report("02:00", "01:00", elapsed_s=-3600.0)])[0]
    assert note.message == (
        "the interval ends at 2016-01-31T01:00:00, before it begins at 2016-01-31T02:00:00"
    )


def test_a_clock_that_is_set_back_makes_no_interval_of_the_collector_negative() -> None:
    assert codes(report("02:00", "01:00", "a", kind=COLLECTOR, elapsed_s=3600.0)) == {}
    (note,) = flags([report("02:00", "01:00", kind=COLLECTOR, elapsed_s=-3600.0)])[0]
    assert "before it begins" in note.message

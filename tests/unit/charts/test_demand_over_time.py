"""The demand over time: stacks, gaps left open, peaks kept when there are more intervals than steps."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

import facts_builder
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts import demand_over_time as module
from plimsoll.facts import Demand, Run

CHART = charts.load("demand-over-time")


def run_with(demand: Demand) -> Run:
    return facts_runs.demand_run().model_copy(update={"demand": demand})


def frame(demand: Demand, width_px: int = 700) -> module._Frame:
    return module._frame(Subject(run_with(demand)), width_px)


def test_each_stack_is_as_high_as_the_demand() -> None:
    demand = facts_builder.demand()
    shown = frame(demand)
    values, top = module._stack(shown, module._OPERATIONS)
    for interval, x in zip(demand.intervals, range(60), strict=True):
        corners = [value for value in values if value["x"] == x]
        assert max(value["y2"] for value in corners) == pytest.approx(interval.iops, abs=1)
        assert all(below["y2"] == above["y"] for below, above in pairwise(corners))
    assert demand.peak is not None
    assert top == pytest.approx(demand.peak.iops, abs=1)


def test_bytes_are_stacked_as_mb() -> None:
    demand = facts_builder.demand()
    _, top = module._stack(frame(demand), module._BYTES)
    assert top == pytest.approx(max(interval.mb_per_s or 0 for interval in demand.intervals), rel=1e-3)


def test_a_gap_parts_the_picture_and_is_never_zero() -> None:
    shown = frame(facts_builder.demand(gap_at=20))
    assert shown.gaps == ((20.0, 23.0),)
    assert [(segment[0].begin_s, segment[-1].end_s) for segment in shown.segments] == [(0, 20), (23, 60)]
    values, _ = module._stack(shown, module._OPERATIONS)
    assert not [value for value in values if 20 < value["x"] < 23]
    rows = CHART.table(Subject(run_with(facts_builder.demand(gap_at=20)))).rows
    assert set(rows[20][1:]) == {"unknown"}
    assert "the server was restarted" in rows[20][0]


def test_several_gaps_stand_apart() -> None:
    demand = facts_builder.demand(gap_at=20)
    gap = demand.intervals[20]
    moved = [
        interval.model_copy(update={"gap": gap.gap, "classes": {}, "iops": None})
        if index in (0, 40)
        else interval
        for index, interval in enumerate(demand.intervals)
    ]
    shown = frame(demand.model_copy(update={"intervals": tuple(moved)}))
    assert shown.gaps == ((0.0, 1.0), (20.0, 23.0), (40.0, 41.0))
    assert len(shown.segments) == 3


def test_thinning_keeps_every_peak() -> None:
    demand = facts_builder.demand(seconds=1000)
    shown = frame(demand)
    steps = [step for segment in shown.segments for step in segment]
    assert len(steps) <= module.STEPS_MAX
    assert max(step.interval.iops or 0 for step in steps) == demand.peak.iops  # type: ignore[union-attr]
    assert all(before.end_s == after.begin_s for before, after in pairwise(steps))
    assert steps[-1].end_s == 1000


def test_thinning_keeps_the_most_bytes_too() -> None:
    """A scan in a second of few I/Os is no peak of I/Os."""
    demand = facts_builder.demand(seconds=1000)
    scan = facts_builder.demand(seconds=1000).intervals[501]
    few = scan.classes["large_read"].model_copy(update={"ops_per_s": 10.0, "bytes_per_s": 9e9})
    scan = scan.model_copy(update={"classes": {"large_read": few}, "iops": 10.0, "mb_per_s": 9e3})
    intervals = (*demand.intervals[:501], scan, *demand.intervals[502:])
    shown = frame(demand.model_copy(update={"intervals": intervals}))
    assert module._stack(shown, module._BYTES)[1] == pytest.approx(9e3)
    assert module._stack(shown, module._OPERATIONS)[1] == pytest.approx(demand.peak.iops, abs=1)  # type: ignore[union-attr]


def test_a_class_that_asked_for_nothing_is_left_out_and_an_unknown_one_adds_nothing() -> None:
    demand = facts_builder.demand(seconds=3)
    assert frame(demand).names == ("small_read", "large_read", "small_write", "redo_write", "temp_write")
    first = demand.intervals[0]
    unknown = first.classes["temp_write"].model_copy(update={"ops_per_s": None})
    changed = first.model_copy(update={"classes": first.classes | {"temp_write": unknown}})
    values, _ = module._stack(
        frame(demand.model_copy(update={"intervals": (changed, *demand.intervals[1:])})), module._OPERATIONS
    )
    (corner,) = [value for value in values if value["x"] == 0 and value["class"] == "temp write"]
    assert corner["y"] == corner["y2"]


def test_a_line_far_above_is_told_in_words_alone() -> None:
    small = facts_runs.demo_run().model_copy(update={"demand": facts_builder.demand(1000.0)})
    words = CHART.words(Subject(small))
    assert (
        "the line of the storage is 56,000, which lies above this picture; for the others at least" in words
    )
    assert "above this picture" not in CHART.words(Subject(facts_runs.demo_run()))


def test_the_table_of_a_long_demand_holds_its_busiest_intervals() -> None:
    demand = facts_builder.demand(seconds=500)
    rows = CHART.table(Subject(run_with(demand))).rows
    assert len(rows) == module.ROWS_MAX
    assert "24,500" in {row[-2] for row in rows}
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_the_moments_that_decide_are_marked() -> None:
    run = facts_runs.demo_run()
    shown = module._frame(Subject(run), 700)
    assert shown.moments == (29.0, 41.0)
    begun = facts_builder.STARTED_AT + timedelta(seconds=29)
    assert f"The verdict is decided at {begun:%H:%M:%S}; the other mixes are marked at " in CHART.words(
        Subject(run)
    )
    assert frame(facts_builder.demand()).moments == ()


def test_beside_a_demand_without_its_bursts_the_line_is_divided_by_their_factor() -> None:
    run = facts_runs.demo_run()
    assert run.verdict is not None
    bursts = run.verdict.model_copy(update={"burst_factor": 2.0, "asked_iops": 49_000.0})
    subject = Subject(run.model_copy(update={"verdict": bursts}))
    assert [line.text for line in module._frame(subject, 700).lines] == [
        "line 56,000 ÷ 2 = 28,000/s", "line ≥ 43,400 ÷ 2 = 21,700/s",
    ]  # fmt: skip
    assert "the line of the storage is 56,000 ÷ 2 = 28,000;" in CHART.words(subject)


def test_of_several_mixes_each_line_stands_at_its_own_moment() -> None:
    """A line says nothing of seconds with another mix."""
    run = facts_runs.demo_run()
    decides, other = module._frame(Subject(run), 700).lines
    assert (decides.begin_s, decides.end_s) == pytest.approx((29 - 5.4, 29 + 5.4))
    assert (other.begin_s, other.end_s) == pytest.approx((41 - 5.4, 41 + 5.4))
    assert run.verdict is not None
    single = run.model_copy(
        update={"verdict": run.verdict.model_copy(update={"mixes": run.verdict.mixes[:1]})}
    )
    (line,) = module._frame(Subject(single), 700).lines
    assert (line.begin_s, line.end_s, line.iops) == (0.0, 60.0, 56_000.0)
    assert "The line of the storage is 56,000." in CHART.words(Subject(single))


def test_moments_have_their_date_where_the_demand_passes_midnight() -> None:
    demand, move = facts_builder.demand(), timedelta(hours=14, minutes=33)
    later = tuple(
        one.model_copy(update={"begin_time": one.begin_time + move, "end_time": one.end_time + move})
        for one in demand.intervals
    )
    assert CHART.table(Subject(run_with(demand))).rows[0][0] == "09:26:53"
    shown = run_with(demand.model_copy(update={"intervals": later}))
    rows = CHART.table(Subject(shown)).rows
    assert (rows[0][0], rows[-1][0]) == ("2025-03-14 23:59:53", "2025-03-15 00:00:52")
    assert module._frame(Subject(shown), 700).start.startswith("2025-03-14 23:59:53")

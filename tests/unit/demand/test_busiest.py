"""The costliest stretches are those that a search through all of them finds, and their I/O is what was counted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demand_snapshots import START, database
from plimsoll.demand.busiest import busiest, series_of
from plimsoll.facts import ClassDemand, DemandInterval

Counted = tuple[float, float, float, bool]
COUNTED: st.SearchStrategy[Counted] = st.tuples(
    st.sampled_from([0.5, 1.0, 1.0, 7.0, 120.0]), st.integers(0, 2000).map(float), st.integers(0, 300).map(float), st.booleans()
)  # fmt: skip


def series(counted: list[Counted]) -> list[DemandInterval]:
    """Seconds, small and large reads per second, and whether it is a gap."""
    found, begin = [], START
    for seconds, small, large, is_gap in counted:
        end = begin + timedelta(seconds=seconds)
        classes: Any = {
            "small_read": ClassDemand(ops_per_s=small, bytes_per_s=small * 8192, source="counters"),
            "large_read": ClassDemand(ops_per_s=large, bytes_per_s=large * 131_072, source="counters"),
        }
        moved = small * 8192 + large * 131_072
        found.append(
            DemandInterval(
                begin_time=begin, end_time=end, duration_s=seconds, classes={} if is_gap else classes,
                iops=None if is_gap else small + large, mb_per_s=None if is_gap else moved / 1e6,
                gap="restart" if is_gap else None,
            )
        )  # fmt: skip
        begin = end
    return found


def cost(interval: DemandInterval) -> float:
    return (interval.iops or 0.0) + 10 * (interval.mb_per_s or 0.0)


@given(st.lists(COUNTED, min_size=1, max_size=30), st.sampled_from([1.0, 10.0, 60.0]))
def test_no_other_stretch_of_the_length_costs_more(counted: list[Counted], length_s: float) -> None:
    intervals = series([(seconds, small, large, False) for seconds, small, large, _ in counted])
    found = busiest(intervals, cost, (length_s,))
    whole_s = sum(interval.duration_s for interval in intervals)
    if not any(map(cost, intervals)):
        assert found == ()
        return
    (best,) = found
    assert best.duration_s == pytest.approx(min(length_s, whole_s), abs=0.01)
    most = sum(cost(part) * seconds for part, seconds in best.parts)
    for first in range(len(intervals)):
        room, work = length_s, 0.0
        for interval in intervals[first:]:
            taken = min(room, interval.duration_s)
            work, room = work + taken * cost(interval), room - taken
        assert work <= most * (1 + 1e-6) + 1e-6


@given(st.lists(COUNTED, min_size=1, max_size=30))
def test_no_gap_takes_part(counted: list[Counted]) -> None:
    for stretch in busiest(series(counted), cost):
        assert all(part.gap is None for part, _ in stretch.parts)
        times = [stretch.begin_time]
        for part, seconds in stretch.parts:
            assert part.begin_time <= times[-1] + timedelta(milliseconds=2)
            times.append(times[-1] + timedelta(seconds=seconds))
            assert times[-1] <= part.end_time + timedelta(milliseconds=2)


@given(st.lists(COUNTED, min_size=1, max_size=30), st.sampled_from([0.5, 1.0, 3.0]))
def test_the_ios_and_bytes_are_those_that_were_counted(counted: list[Counted], factor: float) -> None:
    for stretch in busiest(series(counted), cost):
        made = series_of(stretch, database(), factor)
        assert made is not None
        assert made.arrivals.steps is not None
        names = [io.name for io in made.workload.classes]
        for step, (part, seconds) in zip(made.arrivals.steps, stretch.parts, strict=True):
            assert step.duration_s == seconds
            for name, rate in zip(names, step.rates_per_s, strict=True):
                assert rate == pytest.approx(factor * (part.classes[name].ops_per_s or 0.0))  # type: ignore[index]
        moved = sum(io.weight * io.block_bytes for io in made.workload.classes) / 1e6
        assert moved == pytest.approx(made.mb_per_s, rel=1e-6)


def test_scans_of_changing_size_keep_their_bytes() -> None:
    intervals = series([(1.0, 100.0, 0.0, False), (1.0, 0.0, 100.0, False)])
    large = (
        intervals[0]
        .classes["small_read"]
        .model_copy(update={"ops_per_s": 10.0, "bytes_per_s": 10 * 1_048_576.0})
    )
    intervals[0] = intervals[0].model_copy(
        update={"classes": {"large_read": large}, "iops": 10.0, "mb_per_s": 10.48576}
    )
    (stretch,) = busiest(intervals, cost, (2.0,))
    made = series_of(stretch, database())
    assert made is not None
    assert made.arrivals.steps is not None
    (io,) = (io for io in made.workload.classes if io.name == "large_read")
    number = made.workload.classes.index(io)
    bytes_per_s = [step.rates_per_s[number] * io.block_bytes for step in made.arrivals.steps]
    assert bytes_per_s == pytest.approx([10 * 1_048_576, 100 * 131_072])

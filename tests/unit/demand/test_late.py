"""What was handed in late: even work that shows in lumps is even again, and what really rose stays a rise."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from demand_snapshots import START
from plimsoll.demand.intervals import mean, peak
from plimsoll.demand.late import sure, with_late_pairs
from plimsoll.facts import ClassDemand, DemandInterval


def series(*rates: float, late: dict[int, float] | None = None) -> list[DemandInterval]:
    """Seconds with so many reads, and as many commits; some with a lateness."""
    return [second(number, rate, (late or {}).get(number, 0.0)) for number, rate in enumerate(rates)]


def second(number: int, rate: float, late_s: float = 0.0, **more: Any) -> DemandInterval:
    begin = START + timedelta(seconds=number)
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, iops=rate, mb_per_s=rate * 8192 / 1e6,
        classes={"small_read": ClassDemand(ops_per_s=rate, bytes_per_s=rate * 8192, source="counters")},
        commits_per_s=rate, doubt="late" if late_s else None, late_s_max=late_s, **more,
    )  # fmt: skip


def rates(found: list[DemandInterval]) -> list[float]:
    return [one.iops or 0.0 for one in sure(found)]


def test_a_second_without_commits_and_one_with_twice_as_many_are_even() -> None:
    """As a PostgreSQL with one client at an even rate showed it."""
    found = with_late_pairs(series(960, 955, 963, 17, 1903, 960, 951))
    assert [one.late_s_max for one in found] == [0, 0, 0, 0, 1, 0, 0]
    assert "17 commits per second were counted before it and 1,903 in it" in (found[4].doubt or "")
    assert rates(found) == [960, 955, 963, 17, 960, 960, 951]
    assert peak(found) is found[2]


@pytest.mark.parametrize(
    "rises",
    [
        (960, 955, 963, 960, 4053, 960, 951),
        (960, 955, 963, 0, 4053, 960, 951),
        (960, 955, 963, 0, 0, 0, 951),
        (100, 120, 1900, 2000, 1900, 110, 100),
    ],
)
def test_a_rise_beyond_what_is_usual_stays_one(rises: tuple[float, ...]) -> None:
    found = with_late_pairs(series(*rises))
    assert all(one.late_s_max == 0 for one in found)
    assert rates(found) == list(rises)


def test_across_a_gap_nothing_is_handed_in() -> None:
    found = series(960, 955, 963, 17, 1903, 960, 951)
    found[3] = found[3].model_copy(
        update={"gap": "restart", "classes": {}, "iops": None, "commits_per_s": None}
    )
    assert all(one.late_s_max == 0 for one in with_late_pairs(found))


def spans(*found: tuple[float, float], late_s: float) -> list[DemandInterval]:
    """Intervals of so many seconds with so many reads per second; the last one is late."""
    made, begin = [], START
    for number, (duration_s, rate) in enumerate(found):
        one = second(0, rate, late_s if number == len(found) - 1 else 0.0)
        end = begin + timedelta(seconds=duration_s)
        made.append(one.model_copy(update={"begin_time": begin, "end_time": end, "duration_s": duration_s}))
        begin = end
    return made


def test_time_that_a_late_interval_reaches_into_is_not_held_to_be_idle() -> None:
    """Two seconds before the last half one begin within the first interval, of which 4,400 are known."""
    found = spans((1.0, 4400.0), (1.5, 6306.0), (0.5, 12_314.0), late_s=2.0)
    assert rates(found)[-1] == pytest.approx((4400 + 1.5 * 6306 + 0.5 * 12_314) / 3)
    assert peak(found) is found[-1]


@given(
    st.lists(st.tuples(st.floats(0.3, 2.0), st.floats(0.0, 1e5)), min_size=1, max_size=8),
    st.floats(0.1, 20.0),
)
@example([(1.0, 4400.0), (1.5, 6306.0), (0.5, 12_314.0)], 2.0)
@example([(1.0, 990.0), (1.0, 990.0), (1.0, 1020.0)], 1.0625)
def test_no_peak_lies_below_the_mean(found: list[tuple[float, float]], late_s: float) -> None:
    made = spans(*found, late_s=late_s)
    busiest, whole = peak(made), mean(made)
    assert busiest is not None
    assert whole is not None
    if late_s <= whole.duration_s - made[-1].duration_s:
        assert (busiest.iops or 0.0) >= (whole.iops or 0.0) * (1 - 1e-9)


def test_a_transaction_of_some_seconds_is_spread_over_them() -> None:
    assert rates(series(100, 100, 100, 3700, late={3: 3.0})) == [100, 100, 100, 1000]


def test_where_little_lies_before_it_the_share_within_is_sure() -> None:
    assert rates(series(4000, late={0: 3.0})) == [1000]


@given(
    st.floats(1, 1e5),
    st.lists(st.tuples(st.integers(1, 5), st.floats(0, 0.5)), min_size=1, max_size=6),
)
def test_even_work_in_lumps_is_even(rate: float, lumps: list[tuple[int, float]]) -> None:
    """However long the counters were held back, and whatever share of them showed before: the peak is the rate."""
    counted: list[float] = []
    late: dict[int, float] = {}
    for length, early in lumps:
        counted += [rate] + [early * rate] * (length - 1)
        late[len(counted)] = float(length)
        counted.append(rate * (length + 1) - sum(counted[-length:]))
    found = rates(series(*counted, late=late))
    assert max(found) == pytest.approx(rate)
    assert all(found[number] == pytest.approx(rate) for number in late)

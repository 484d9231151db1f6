"""Peak and mean: gaps take no part, lumps of late counters are no peak, and the mean is of time, not of intervals."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demand_snapshots import RESET, database, row, snapshot
from plimsoll.demand import intervals
from plimsoll.facts import DemandInterval, Snapshot


def series(
    reads: list[int], moments: list[dict[str, float]] | None = None, passed_s: float = 1.0
) -> list[DemandInterval]:
    """Intervals with so many reads each."""
    total, shots = 0, []
    for number, count in enumerate([0, *reads]):
        total += count
        changes = {"moment": moments[number]} if moments else {}
        shots.append(snapshot(number * passed_s, (row(reads=total, read_bytes=total * 8192),), **changes))
    return between(shots)


def between(shots: list[Snapshot]) -> list[DemandInterval]:
    return [intervals.between(one, other, database())[0] for one, other in pairwise(shots)]


def moment(sessions: float = 10.0, age_s: float = 0.0, long: float = 0.0) -> dict[str, float]:
    return {"databases": 3.0, "sessions": sessions, "transaction_age_s_max": age_s, "long_transactions": long}


def test_peak_is_the_busiest() -> None:
    found = series([100, 900, 300])
    assert intervals.peak(found) is found[1]
    assert found[1].iops == 900
    assert found[1].mb_per_s == pytest.approx(900 * 8192 / 1e6)


def test_nothing_known_has_no_peak_and_no_mean() -> None:
    gap = intervals.gap(snapshot(0), snapshot(3), "the server was restarted")
    assert (gap.duration_s, gap.iops, gap.mb_per_s, gap.classes) == (3.0, None, None, {})
    assert intervals.peak([gap]) is None
    assert intervals.mean([gap]) is None
    assert intervals.peak([]) is None


def test_sessions_that_end_together_make_a_lump_not_a_peak() -> None:
    found = series([600, 400, 700], [moment(), moment(), moment(), moment(sessions=0)])
    assert "10 of 10 sessions ended" in (found[2].doubt or "")
    assert found[2].late_s_max == 1.0
    assert intervals.peak(found) is found[0], "the last two seconds asked for 550 on average"


def test_what_cannot_have_been_done_earlier_is_a_peak() -> None:
    found = series([500, 500, 700], [moment(), moment(), moment(), moment(sessions=0)])
    assert intervals.peak(found) is found[2], "the last two seconds asked for 600 on average"


def test_a_lump_that_is_all_there_is_stays_the_peak() -> None:
    found = series([0, 1300], [moment(), moment(), moment(sessions=0)])
    assert intervals.peak(found) is found[1]


def test_some_sessions_come_and_go_without_doubt() -> None:
    assert all(one.doubt is None for one in series([1, 1], [moment(100), moment(95), moment(90)]))


@pytest.mark.parametrize(
    ("before", "after", "doubtful"),
    [
        (moment(age_s=30, long=1), moment(age_s=0), True),
        (moment(age_s=30, long=1), moment(age_s=31, long=1), False),
        (moment(age_s=30, long=2), moment(age_s=31, long=1), True),
        (moment(age_s=1.0), moment(age_s=0.2), False),
    ],
)
def test_a_long_transaction_hands_in_its_io_when_it_ends(before: dict, after: dict, doubtful: bool) -> None:
    (found,) = series([5000], [before, after])
    assert (found.doubt is not None) is doubtful
    assert found.late_s_max == (before["transaction_age_s_max"] if doubtful else 0.0)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.booleans()), min_size=1, max_size=12))
def test_mean_keeps_the_whole_and_leaves_gaps_out(parts: list[tuple[int, bool]]) -> None:
    total, shots, known = 0, [snapshot(0)], 0
    started = RESET
    for number, (count, restart) in enumerate(parts):
        if restart:
            started = shots[-1].taken_at
        else:
            known += count
        total += count
        shots.append(snapshot(number + 1, (row(reads=total, read_bytes=total * 8192),), started_at=started))
    found = between(shots)
    mean = intervals.mean(found)
    if all(restart for _, restart in parts):
        assert mean is None
        return
    assert mean is not None
    assert mean.duration_s == pytest.approx(sum(not restart for _, restart in parts))
    assert (mean.iops or 0) * mean.duration_s == pytest.approx(known)
    peak = intervals.peak(found)
    assert peak is not None
    assert (peak.iops or 0) >= (mean.iops or 0) * (1 - 1e-9)


def test_mean_latency_is_weighted_by_ios() -> None:
    shots = [
        snapshot(0),
        snapshot(1, (row(reads=10, read_bytes=81920, read_time_ms=10.0),)),
        snapshot(2, (row(reads=40, read_bytes=327680, read_time_ms=16.0),)),
    ]
    mean = intervals.mean(between(shots))
    assert mean is not None
    assert mean.classes["small_read"].latency_us_mean == pytest.approx(16.0 / 40 * 1000)


def test_mean_of_known_and_unknown_is_unknown() -> None:
    shots = [snapshot(0), snapshot(1, totals={"pg_stat_database.temp_bytes": 8192.0})]
    shots.append(snapshot(2, totals={"pg_stat_database.temp_bytes": 8192.0}))
    found = between(shots)
    mean = intervals.mean(found)
    assert found[1].classes["temp_read"].ops_per_s == 0
    assert mean is not None
    assert mean.classes["temp_read"].ops_per_s is None
    assert mean.classes["temp_write"].bytes_per_s == 4096

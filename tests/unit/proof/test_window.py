"""The window: rates without bias, and each way in which sessions can miss it.

Two of these cases are defects of other tools. SLOB 2.5.3 reads its counters 30 s before and after sessions that run for
less, so that half of its interval may be idle. pgio 1.0 reads them before its sessions are launched, and divides by the time after.
"""

from __future__ import annotations

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.facts import Snapshot
from plimsoll.proof.crew import Track
from plimsoll.proof.sessions import Drove, Schedule
from plimsoll.proof.slices import Counted, Slice, bucket_of
from plimsoll.proof.window import agreement, instant, uneven, unsteady, windowed

US = 1_000_000
START = 1_700_000_000 * US
SCHEDULE = Schedule(warm_up_s=2, run_s=10)
READY = Snapshot.model_construct()


def piece(begin_s: float, end_s: float, operations: int, **more: object) -> Slice:
    counted = {"select": Counted(operations, 64 * operations, 0, {100: operations})}
    return Slice(START + round(begin_s * US), START + round(end_s * US), counted, **more)  # type: ignore[arg-type]


def steady(name: str = "1.1", per_slice: int = 100, first: int = 1, last: int = 12) -> Track:
    """At work in each second from `first` to `last`."""
    slices = [
        (number, piece(number - 1 + 0.001, number + 0.004, per_slice)) for number in range(first, last + 1)
    ]
    return Track(name, 7, slices, None, True)


def drove(*tracks: Track, schedule: Schedule = SCHEDULE) -> Drove:
    return Drove(tracks, schedule, START, READY, (), True, False, None)


def made(*tracks: Track, pauses: bool = False, work_loop: bool = False, schedule: Schedule = SCHEDULE):
    return windowed(drove(*tracks, schedule=schedule), pauses, work_loop)


def test_warm_up_is_left_out() -> None:
    found = made(steady(), steady("1.2"))
    assert found.window.start == instant(START + 2 * US)
    assert found.window.excluded_warm_up_s == 2
    assert sum(session.operations for session in found.sessions) == 2000
    assert found.operations_per_s == pytest.approx(200, rel=0.001)
    assert all(session.whole for session in found.sessions)


def test_each_session_begins_and_ends_inside_the_window() -> None:
    found = made(steady(), steady("1.2"))
    for session in found.sessions:
        assert session.start is not None
        assert session.end is not None
        assert found.window.start <= session.start < session.end <= found.window.end


def test_long_operations_do_not_bend_the_rate() -> None:
    """Each lasts 0.8 s, so slices end up to 0.8 s late; 1.25 per second it is all the same."""
    slices, end_s = [], 0.0
    for number in range(1, 13):
        begin_s, count = end_s, 0
        while end_s < number:
            end_s, count = end_s + 0.8, count + 1
        if count:
            slices.append((number, piece(begin_s, end_s, count)))
    found = made(Track("1.1", 7, slices, None, True))
    assert found.operations_per_s == pytest.approx(1.25, rel=1e-6)
    assert found.sessions[0].whole


def test_a_session_that_comes_late_fails() -> None:
    """pgio's launch: its last sessions begin long after its first counters were read."""
    late = Track("1.2", 7, [(number, piece(number - 1, number, 9)) for number in range(9, 13)], None, True)
    found = made(steady(), late)
    assert [session.whole for session in found.sessions] == [True, False]
    assert found.sessions[1].reason == "it did nothing for 6.0 s of the window's 10 s"


def test_a_session_that_ends_half_way_fails() -> None:
    """SLOB's window: sessions are over when half of the interval is still to come."""
    found = made(steady(), steady("1.2", last=7))
    assert not found.sessions[1].whole
    assert found.sessions[1].reason == "it stopped 5 s before the window's end"


def test_an_idle_half_in_the_middle_fails() -> None:
    gap = [steady().slices[number] for number in (0, 1, 2, 3, 4)] + steady().slices[9:]
    found = made(Track("1.1", 7, gap, None, True))
    assert not found.sessions[0].whole
    assert "did nothing for" in found.sessions[0].reason


def pausing(pause_s: float, slowest_bucket: int) -> Track:
    """At work in each second but for its first part."""
    slices = []
    for number in range(1, 13):
        counted = {"select": Counted(9, 9, 0, {slowest_bucket: 9})}
        begin_us, end_us = (START + round((number - 1 + s) * US) for s in (pause_s, 1.0))
        slices.append((number, Slice(begin_us, end_us, counted)))
    return Track("1.1", 7, slices, None, True)


def test_a_pause_as_long_as_an_operation_is_no_idleness() -> None:
    assert made(pausing(0.05, bucket_of(60_000))).sessions[0].whole
    assert not made(pausing(0.05, bucket_of(10_000))).sessions[0].whole
    assert made(pausing(0.015, 100)).sessions[0].whole


def test_a_session_that_never_came_back_fails() -> None:
    found = made(steady(), steady("1.2", last=2))
    assert found.sessions[1].reason == "it handed in nothing in the window"
    assert found.sessions[1].operations == 0


def test_a_session_that_broke_says_why() -> None:
    broken = steady("1.2", last=5)
    broken.error = WorldError("database-lost", "could not go on at x: the server went away", None)
    assert "the server went away" in made(steady(), broken).sessions[1].reason


def test_idleness_of_its_own_will_is_none() -> None:
    pauses = Track(
        "1.1", 7, [(number, piece(number - 0.5, number - 0.4, 1)) for number in range(1, 13)], None, True
    )
    assert made(pauses, pauses=True).sessions[0].whole
    assert not made(pauses).sessions[0].whole


def test_with_a_number_of_operations_a_session_may_end_early() -> None:
    short = steady(last=6)
    number, last = short.slices[-1]
    short.slices[-1] = (number, Slice(last.began_us, last.ended_us, last.counted, done=True))
    found = made(short, work_loop=True)
    assert found.sessions[0].whole
    assert found.operations_per_s == pytest.approx(100, rel=0.01)


def test_slices_of_the_window_add_up_to_it() -> None:
    found = made(steady(), steady("1.2"))
    assert [piece.start_s for piece in found.slices] == list(range(10))
    assert sum(piece.operations for piece in found.slices) == 2000


@pytest.mark.parametrize(
    ("ours", "theirs", "holds"),
    [(100, 101.9, True), (100, 98.1, True), (100, 103, False), (0, 0, True), (0, 5, False)],
)
def test_counts_agree_within_two_percent(ours: float, theirs: float, holds: bool) -> None:
    assert agreement("blocks", ours, theirs, "rows").holds is holds


def test_what_the_server_does_not_count_is_unknown() -> None:
    found = agreement("blocks", 100, None, "no such counter")
    assert found.holds is None
    assert found.difference_share is None


def ending_late(late_s: float) -> Track:
    """As `steady`, but its last operation lasts that long."""
    track = steady("1.2")
    track.slices[-1] = (12, piece(11.001, 12 + late_s, 100))
    return track


def test_rates_of_sessions_that_end_long_after_others_are_doubted() -> None:
    assert list(uneven(made(steady(), ending_late(0.5)))) == []
    (doubt,) = uneven(made(steady(), ending_late(3.0)))
    assert "each session's own time gives 177 operations per second" in doubt
    assert "the window of 13.0 s gives 154" in doubt


def test_where_a_session_failed_that_is_doubt_enough() -> None:
    assert list(uneven(made(ending_late(5.0), steady(last=3)))) == []


def of_rates(*rates: int) -> Track:
    """One session that did so many operations in each second; the first two are warm-up."""
    slices = [(number, piece(number - 0.999, number - 0.001, rate)) for number, rate in enumerate(rates, 1)]
    return Track("1.1", 7, slices, None, True)


STEADY = (100,) * 12


@pytest.mark.parametrize(
    "rates",
    [STEADY, (1, 1, *STEADY[2:]), (100, 100, 40, 160, 90, 110, 60, 140, 100, 20, 80, 120), (3, 0) * 6],
)
def test_a_rate_that_stays_about_itself_is_one(rates: tuple[int, ...]) -> None:
    assert list(unsteady(made(of_rates(*rates)))) == []


def test_a_rate_that_fell_for_good_was_never_the_mean() -> None:
    (doubt,) = unsteady(made(of_rates(*(3800,) * 7, *(800,) * 5)))
    assert "fell from 3,800 to 800 after 5 s" in doubt


def test_seconds_far_apart_have_no_mean_that_stands_for_them() -> None:
    """206 to 3,980 operations a second within one window passed as agreed."""
    (doubt,) = unsteady(made(of_rates(1000, 1000, 3980, 206, 3900, 1500, 210, 3700, 1400, 220, 1500, 1600)))
    assert "from 206 to 3,980" in doubt
    assert "3 of 10 seconds" in doubt


def test_too_short_a_window_says_nothing_of_steadiness() -> None:
    brief = Schedule(warm_up_s=1, run_s=5)
    assert list(unsteady(made(of_rates(100, 1000, 1000, 1000, 10, 10), schedule=brief))) == []

"""Sums over hosts: only of the time that they had in common, and who is odd among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.cluster.merge import (
    Amount,
    Course,
    Slice,
    amount_within,
    common_window,
    judge_clocks,
    judge_standing,
    judge_storage,
    judge_stragglers,
    judge_window,
    steady_window,
    together,
)
from plimsoll.native.latency import latency, latency_of_counts


def _hdr(us: float, ios: int = 100) -> bytes:
    hdr = latency_of_counts([(us, ios)]).hdr
    assert hdr is not None
    return hdr


def _course(
    host: str, from_s: float, slices: int, ios: int = 1000, us: float = 100, whole: bool = True
) -> Course:
    made = tuple(Slice(from_s + number, 1.0, ios, ios * 8192, _hdr(us, ios)) for number in range(slices))
    return Course(host, made, whole)


def test_the_steady_window_is_what_all_have_in_common() -> None:
    courses = [_course("a", 0.0, 5), _course("b", 0.5, 5), _course("c", 0.25, 4)]
    assert steady_window(courses) == (0.5, 4.25)


def test_a_lost_host_neither_shortens_the_window_nor_counts() -> None:
    courses = [_course("a", 0.0, 5), _course("b", 0.0, 2, whole=False)]
    assert steady_window(courses) == (0.0, 5.0)
    assert steady_window([_course("b", 0.0, 2, whole=False)]) is None
    assert common_window(courses) == (0.0, 2.0), "what all did is of the time before the loss"
    assert common_window([*courses, Course("c", (), False)]) is None


def test_the_rate_of_a_lost_host_is_of_the_time_in_which_it_was_there() -> None:
    amount = amount_within(_course("b", 0.0, 2, whole=False), (0.0, 5.0))
    assert amount is not None
    assert amount.iops == pytest.approx(1000)


def test_hosts_without_a_common_time_have_no_sum() -> None:
    window = steady_window([_course("a", 0.0, 2), _course("b", 3.0, 2)])
    assert window is None
    check = judge_window(window, 2.0, 2)
    assert (check.passed, check.reason) == (False, "there was no time in which both hosts measured")


def test_a_window_that_is_too_short_fails() -> None:
    assert judge_window((0.0, 7.9), 10.0, 2).passed is False
    check = judge_window((0.0, 8.0), 10.0, 2)
    assert (check.passed, check.reason) == (True, "both hosts measured at the same time for 8 s of 10 s")
    assert judge_window((0.0, 8.0), 10.0, 1).reason == "the host measured for 8 s of 10 s"


def test_slices_count_by_the_part_that_lies_within() -> None:
    amount = amount_within(_course("a", 0.0, 4), (0.5, 2.0))
    assert amount is not None
    assert amount.iops == pytest.approx(1000)
    assert amount.mb_per_s == pytest.approx(8.192)
    assert len(amount.hdrs) == 1, "a slice that lies in it in part has I/Os outside of it"
    assert amount_within(_course("a", 5.0, 4), (0.5, 2.0)) is None


def test_seconds_without_io_before_a_loss_count() -> None:
    told = _course("b", 0.0, 8, whole=False).slices
    stalled = Course("b", (*told[:3], *told[6:]), False)
    amount = amount_within(stalled, (0.0, 8.0))
    assert amount is not None
    assert amount.iops == pytest.approx(5000 / 8)
    then_stalled = Course("b", told[:3], False, there_until_s=8.0)
    amount = amount_within(then_stalled, (0.0, 10.0))
    assert amount is not None
    assert amount.iops == pytest.approx(3000 / 8)
    assert common_window([_course("a", 0.0, 10), then_stalled]) == (0.0, 8.0)


@given(st.lists(st.tuples(st.floats(0, 0.9), st.integers(1, 5000)), min_size=1, max_size=5))
def test_the_sum_is_that_of_its_parts(hosts: list[tuple[float, int]]) -> None:
    courses = [_course(str(number), from_s, 3, ios) for number, (from_s, ios) in enumerate(hosts)]
    window = steady_window(courses)
    assert window is not None
    amounts = [amount for course in courses if (amount := amount_within(course, window)) is not None]
    assert together(amounts).iops == pytest.approx(sum(ios for _, ios in hosts), rel=1e-9)


def test_percentiles_of_all_are_those_of_all_samples() -> None:
    amounts = [Amount(1, 1, (_hdr(100, 900),)), Amount(1, 1, (_hdr(5000, 100),))]
    spread, samples = together(amounts).latency_us, latency([_hdr(100, 900), _hdr(5000, 100)])
    assert spread == samples
    assert spread is not None
    assert spread.p99 == pytest.approx(5000, rel=0.002)


def _amounts(**rates: tuple[float, float]) -> dict[str, Amount]:
    return {host: Amount(iops, 1.0, (_hdr(us, 1000),)) for host, (iops, us) in rates.items()}


def test_a_host_that_does_half_as_much_or_is_three_times_as_late_is_named() -> None:
    slow = judge_stragglers(_amounts(a=(1000, 100), b=(1010, 100), c=(990, 100), d=(400, 100)))
    assert slow.passed is False
    assert slow.reason.startswith("d did 40 %")
    late = judge_stragglers(_amounts(a=(1000, 100), b=(1000, 110), c=(1000, 90), d=(1000, 400)))
    assert late.passed is False
    assert "d has a p99" in late.reason
    assert judge_stragglers(_amounts(a=(1000, 100), b=(990, 100), c=(900, 120), d=(1100, 90))).passed


def test_among_few_nobody_is_judged() -> None:
    assert judge_stragglers(_amounts(a=(1000, 100), b=(10, 9000), c=(1000, 100))).passed is None


def test_at_a_rate_that_was_asked_for_only_latency_tells() -> None:
    amounts = _amounts(a=(1000, 100), b=(1000, 100), c=(1000, 100), d=(100, 100))
    assert judge_stragglers(amounts, paced=True).passed


def test_a_clock_that_was_set_meanwhile_fails() -> None:
    assert judge_clocks({"a": 3.0, "b": None}, 5.0).passed is True
    stepped = judge_clocks({"a": 3.0, "b": -50_001.0}, 5.0)
    assert stepped.passed is False
    assert "b by 50" in stepped.reason
    assert judge_clocks({"a": None}, 5.0).passed is None
    assert judge_clocks({"a": 0.0}, 5.0).reason == "clocks went on as they were"


def test_a_clock_that_moved_by_little_is_told() -> None:
    moved = judge_clocks({"a": 0.0, "b": -49_000.0}, 5.0)
    assert moved.passed is True
    assert moved.reason.startswith("clocks moved by less than 1.0 % of the time meanwhile: b by 49")


def test_storage_that_is_not_one_fails_unless_it_was_meant() -> None:
    assert [check.passed for one in (True, False, None) for check in judge_storage(one, False, 2)] == [
        True,
        False,
        None,
    ]
    assert judge_storage(False, True, 2) == ()
    assert judge_storage(None, False, 1) == (), "one host has nothing in common with others"


def test_a_host_that_stood_still_is_no_part_of_a_sum() -> None:
    hdr = _hdr(100)
    paused = tuple(Slice(float(at), 1.0, 0 if 2 <= at < 5 else 1000, 0, hdr) for at in range(6))
    check = judge_standing([_course("a", 0.0, 6), Course("b", paused, True)])
    assert check.passed is False
    assert check.reason == "of b no I/O ended for 3 s"
    assert judge_standing([_course("a", 0.0, 6)]).passed is True
    waits = tuple(Slice(float(at), 1.0, 0 if at < 2 else 50, 0, _hdr(2_000_000)) for at in range(6))
    assert judge_standing([Course("c", waits, True)]).passed is True, "a long queue stands still nowhere"
    assert judge_standing([Course("b", paused, True)], paced=True).passed is None
    alone = judge_standing([Course("b", paused, False)])
    assert (alone.passed, alone.reason) == (None, "no host was there to the end"), (
        "a host that was lost is told as such"
    )


@pytest.mark.parametrize(
    ("from_s", "until_s"), [(1.1, 2.95), (2.0, 3.0), (1.05, 4.9), (0.0, 1.5), (4.4, 6.0)]
)
def test_a_host_that_stood_still_across_slices_is_found_to_the_moment(from_s: float, until_s: float) -> None:
    """Of slices alone a gap of nearly two could not be told: none of them would be empty."""
    moments = [at / 1000 for at in range(6000) if not from_s < at / 1000 < until_s]
    slices = []
    for number in range(6):
        own = [at for at in moments if number <= at < number + 1]
        first_s, last_s = (min(own), max(own)) if own else (None, None)
        slices.append(Slice(float(number), 1.0, len(own), 0, _hdr(100), first_s, last_s))
    course = Course("b", tuple(slices), True)
    assert course.still_s == pytest.approx(until_s - from_s, abs=0.002)
    assert judge_standing([_course("a", 0.0, 6), course]).passed is False
    later = Course("b", tuple(one.later(0.5) for one in slices), True)
    assert later.still_s == pytest.approx(course.still_s)


def test_a_host_that_begins_late_measures_from_then_on() -> None:
    late = Course("b", _course("b", 0.0, 2).slices, True, begun_s=0.922)
    window = steady_window([_course("a", 0.0, 2), late])
    assert window == (0.922, 2.0)
    assert judge_window(window, 2.0, 2).passed is False
    early = Course("b", _course("b", 0.0, 2).slices, True, begun_s=-0.3)
    assert steady_window([early]) == (0.0, 2.0), "what warms up begins before the measured time"

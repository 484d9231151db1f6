"""Checks of one question each: were I/Os answered, did the kernel hand them on, was the storage changing."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Cell, Group, HostTime, LatencyUs, Note, Window
from plimsoll.supply import checks
from plimsoll.supply.checks import at_work, cliff, drift, errors, punted
from simulated_cells import reads

TARGET = facts_builder.target()


def cell(**changes: Any) -> Cell:
    return facts_builder.cell(None, reads()).model_copy(update=changes)


@pytest.mark.parametrize(("failed", "ios", "passed"), [(0, 10, True), (1, 10, False), (0, 0, False)])
def test_errors(failed: int, ios: int, passed: bool) -> None:
    check = errors.CHECK.judge(cell(errors=failed, ios=ios), TARGET)
    assert check is not None
    assert check.passed is passed
    assert check.figures["errors"] == failed


def test_punted() -> None:
    note = Note(code="io-wq-punted", message="the kernel handed I/Os to 3 worker threads")
    handed, kept = cell(notes=(note,)), cell()
    found = [punted.CHECK.judge(each, TARGET) for each in (handed, kept)]
    assert [check and check.passed for check in found] == [False, True]
    assert punted.CHECK.judge(cell(engine="psync"), TARGET) is None


def windows(rates: list[float], medians: list[float]) -> tuple[Window, ...]:
    return tuple(
        Window(start_s=0.5 * at, duration_s=0.5, iops=rate, latency_us_p50=p50)
        for at, (rate, p50) in enumerate(zip(rates, medians, strict=True))
    )


@pytest.mark.parametrize(
    ("rates", "medians", "passed"),
    [
        ([100.0, 103.0, 99.0] * 4, [100.0, 98.0, 101.0] * 4, True),
        ([40.0] * 5 + [100.0] * 7, [100.0] * 12, False),
        ([100.0] * 12, [100.0 + 20 * at for at in range(12)], False),
    ],
    ids=["quiet", "rose", "slower-and-slower"],
)
def test_drift(rates: list[float], medians: list[float], passed: bool) -> None:
    check = drift.CHECK.judge(cell(windows=windows(rates, medians), runtime_s=6.0), TARGET)
    assert check is not None
    assert check.passed is passed


FELL = windows([100.0] * 5 + [40.0] * 7, [100.0] * 12)


def test_the_moment_of_the_fall_is_told() -> None:
    check = cliff.CHECK.judge(cell(windows=FELL, runtime_s=6.0), TARGET)
    assert check is not None
    assert check.passed is False
    assert checks.deciding([check]) == (check,)
    assert check.figures == {
        "cliff_at_s": 2.5,
        "before_iops": 100.0,
        "after_iops": 40.0,
        "held_from_s": 3.0,
    }


def test_a_rate_that_was_asked_for_does_not_fall_by_itself() -> None:
    at_rate = facts_builder.cell(100.0, reads()).model_copy(
        update={"windows": windows([100.0] * 5 + [40.0] * 7, [100.0] * 12)}
    )
    assert cliff.CHECK.judge(at_rate, TARGET) is None


def test_on_a_busy_machine_a_fall_is_left_open() -> None:
    """Another program may have begun its work at that moment."""
    fell = cell(windows=FELL, runtime_s=6.0, host=HostTime(user_s=0.1, system_s=0.1, steal_s=9.0))
    check = cliff.CHECK.judge(fell, TARGET)
    assert check is not None
    assert check.passed is None
    assert "host_noise" in check.reason


def test_a_machine_that_is_a_little_busy_does_not_explain_a_rate_that_falls_to_a_seventieth() -> None:
    deep = windows([700.0] * 5 + [10.0] * 7, [100.0] * 12)
    quiet_cpus = HostTime(user_s=0.1, system_s=0.1, steal_s=0.6)
    (little, much) = (
        cliff.CHECK.judge(cell(windows=deep, runtime_s=6.0, host=host), TARGET)
        for host in (quiet_cpus, quiet_cpus.model_copy(update={"steal_s": 5.0}))
    )
    assert (little and little.passed, much and much.passed) == (False, None)


@pytest.mark.parametrize("changes", [{"windows": ()}, {"ended_early": "stopped"}])
def test_of_a_cut_cell_no_trend_is_told(changes: dict[str, Any]) -> None:
    assert drift.CHECK.judge(cell(**changes), TARGET) is None
    assert cliff.CHECK.judge(cell(**changes), TARGET) is None


@pytest.mark.parametrize(
    ("rates", "runtime_s"),
    [([100.0] * 5 + [40.0] * 7, 3.0), ([100.0] + [20.0] * 11, 6.0), ([100.0] * 11 + [20.0], 6.0)],
    ids=["both-levels", "beginning", "end"],
)
def test_a_level_of_less_than_a_second_may_be_a_neighbours_doing(
    rates: list[float], runtime_s: float
) -> None:
    """Neither passed, for the mean may never have been held, nor failed."""
    check = cliff.CHECK.judge(cell(windows=windows(rates, [100.0] * 12), runtime_s=runtime_s), TARGET)
    assert check is not None
    assert check.passed is None
    assert "measure for longer" in check.reason


def test_a_beginning_of_one_window_that_bends_the_mean_is_a_fall() -> None:
    """1,430 I/Os per second were said of a device that held 500, and that the rate was held to the end."""
    virtual = cell(engine="sim", windows=windows([100.0] + [20.0] * 11, [100.0] * 12), runtime_s=6.0)
    check = cliff.CHECK.judge(virtual, TARGET)
    assert check is not None
    assert check.passed is False
    assert check.figures == {
        "cliff_at_s": 0.5,
        "before_iops": 100.0,
        "after_iops": 20.0,
        "held_from_s": 1.0,
    }
    slight = virtual.model_copy(update={"windows": windows([40.0] + [20.0] * 11, [100.0] * 12)})
    check = cliff.CHECK.judge(slight, TARGET)
    assert check is not None
    assert check.passed is True


def test_a_fall_in_the_last_window_alone_is_left_open() -> None:
    virtual = cell(engine="sim", windows=windows([100.0] * 11 + [20.0], [100.0] * 12), runtime_s=6.0)
    check = cliff.CHECK.judge(virtual, TARGET)
    assert check is not None
    assert check.passed is None


def standing(rates: list[float], **changes: Any) -> Any:
    return at_work.CHECK.judge(cell(windows=windows(rates, [100.0] * len(rates)), **changes), TARGET)


def test_a_rate_over_a_time_in_which_nothing_ended_is_none() -> None:
    """A server that hung for four of six seconds: 45.7 I/Os per second were said, and every check passed."""
    check = standing([100.0] * 3 + [0.0] * 4 + [100.0, 0.0, 100.0])
    assert check.passed is False
    assert checks.deciding([check]) == (check,)
    assert check.figures == {"still_s": 2.0, "longest_s": 2.0}
    assert check.reason.startswith("no I/O ended for 2 s from 1.50 s on: ")


def test_gaps_that_slow_ios_leave_are_none_of_standing_still() -> None:
    slow = LatencyUs(count=20, p50=300_000.0, mean=300_000.0)
    assert standing([100.0] * 3 + [0.0] * 4, latency_us=slow, service_us=None).passed is True
    assert standing([100.0] * 3 + [0.0] * 8, latency_us=slow, service_us=None).passed is False
    assert standing([100.0, 0.0, 100.0, 0.0]).passed is True


def test_at_a_rate_nothing_ends_where_nothing_is_due() -> None:
    still = windows([10.0] * 3 + [0.0] * 4, [100.0] * 7)
    for rate, passed in ((4.0, True), (7.0, False)):
        at_rate = facts_builder.cell(rate, reads()).model_copy(update={"windows": still})
        check = at_work.CHECK.judge(at_rate, TARGET)
        assert check is not None
        assert check.passed is passed


def test_clients_that_think_between_their_ios_leave_gaps() -> None:
    slow = (Group(name="a", engine="psync", classes=("read",), think_us=1_500_000.0),)
    assert standing([100.0] * 3 + [0.0] * 4, groups=slow).passed is True
    assert standing([100.0] * 3 + [0.0] * 6, groups=slow).passed is False


@pytest.mark.parametrize(("from_s", "until_s"), [(1.2, 2.9), (0.4, 1.6), (0.0, 1.2), (4.6, 6.0), (1.0, 4.0)])
def test_standing_still_across_windows_is_found_to_the_moment(from_s: float, until_s: float) -> None:
    """A pause of nearly two windows left none of them empty, and I/Os were said to have ended all the time."""
    ends = [at / 100 for at in range(600) if not from_s < at / 100 < until_s]
    made = []
    for number in range(6):
        own = [at for at in ends if number <= at < number + 1]
        first_s, last_s = (own[0], own[-1]) if own else (None, None)
        made.append(
            Window(
                start_s=float(number),
                duration_s=1.0,
                iops=float(len(own)),
                first_end_s=first_s,
                last_end_s=last_s,
            )
        )
    check = at_work.CHECK.judge(cell(windows=tuple(made)), TARGET)
    assert check is not None
    assert check.passed is False
    assert check.figures["longest_s"] == pytest.approx(until_s - from_s, abs=0.03)

"""Time as the machine has it, and time that moves only when somebody sleeps."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.ports.clock import SystemClock, VirtualClock


def test_the_systems_clock_has_a_zone_and_never_goes_back() -> None:
    clock = SystemClock()
    assert clock.now().utcoffset() == timedelta(0)
    before = clock.monotonic_s()
    clock.sleep(-5.0)
    clock.sleep(0.001)
    assert clock.monotonic_s() - before >= 0.001


def test_time_in_which_the_machine_slept_is_time_that_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The monotonic clock stands still in suspend: eight hours of a night would be the ten minutes around it."""
    slept_s, real = 8 * 3600.0, time.clock_gettime
    read = {time.CLOCK_BOOTTIME: lambda: real(time.CLOCK_BOOTTIME) + slept_s}
    clock = SystemClock()
    before = clock.monotonic_s()
    monkeypatch.setattr(time, "clock_gettime", lambda which: read.get(which, lambda: real(which))())
    assert clock.monotonic_s() - before >= slept_s


@given(st.lists(st.floats(-10, 1000), max_size=20))
def test_virtual_time_passes_by_sleeping_alone(naps: list[float]) -> None:
    clock = VirtualClock(datetime(2025, 1, 1, tzinfo=UTC))
    for seconds in naps:
        clock.sleep(seconds)
    slept_s = 0.0
    for seconds in naps:
        slept_s += max(0.0, seconds)
    assert clock.monotonic_s() == slept_s
    assert clock.now() == datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=slept_s)

"""Threads that measure memory: real ones, whatever their speed."""

from __future__ import annotations

import os

import pytest

from plimsoll.native.memories import Place, has_non_temporal

CPU = min(os.sched_getaffinity(0))
MIB = 1 << 20


def test_each_stream_moves_something_and_the_best_pass_no_less_than_the_median() -> None:
    asked = [
        (kernel, past) for kernel in ("copy", "scale", "add", "triad") for past in (False, has_non_temporal())
    ]
    found = Place((CPU, CPU)).streams(asked, MIB, 0.001)
    assert len(found) == len(asked)
    assert all(0 < median <= best for median, best in found)


def test_a_load_takes_some_time_in_either_size_of_pages() -> None:
    assert Place((CPU,)).chase_ns(MIB, 0.001) > 0
    assert Place((CPU, CPU), is_huge=True).chase_ns(64, 0.001) > 0


def test_each_thread_has_its_updates() -> None:
    assert [rate > 0 for rate in Place((CPU, CPU, CPU), is_huge=True).updates_per_s(MIB, 0.001)] == [True] * 3


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(OSError, match="nvalid"):
        Place((1 << 20,)).chase_ns(MIB, 0.001)
    with pytest.raises(OSError, match="nvalid"):
        Place((CPU,), node=1022).chase_ns(MIB, 0.001)
    with pytest.raises(ValueError, match="no kernel daxpy"):
        Place((CPU,)).streams([("daxpy", False)], MIB, 0.001)
    with pytest.raises(ValueError, match="negative"):
        Place((CPU,)).chase_ns(MIB, -1.0)

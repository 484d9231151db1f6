"""Threads that measure memory: real ones, whatever their speed."""

from __future__ import annotations

import os
from itertools import chain, repeat

import pytest

from plimsoll import _core
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
    small = Place((CPU,)).chase(MIB, 0.001)
    assert small.latency_ns > 0
    assert small.huge_share is None
    huge = Place((CPU, CPU), huge_bytes=2 * MIB).chase(64, 0.001)
    assert huge.latency_ns > 0
    assert huge.huge_share is None or 0 <= huge.huge_share <= 1


def test_the_share_of_huge_pages_is_the_mean_of_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(*shares: float | None) -> float | None:
        monkeypatch.setattr(_core, "memory_chase", lambda *_: [(1, 1.0, share) for share in shares])
        return Place((CPU,)).chase(MIB, 0.001).huge_share

    assert told(1.0, 0.5) == 0.75
    assert told(1.0, None) is None


def test_each_thread_has_its_updates() -> None:
    assert [rate > 0 for rate in Place((CPU, CPU, CPU), huge_bytes=2 * MIB).updates_per_s(MIB, 0.001)] == [
        True
    ] * 3


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(OSError, match="nvalid"):
        Place((1 << 20,)).chase(MIB, 0.001)
    with pytest.raises(OSError, match="nvalid"):
        Place((CPU,), node=1022).chase(MIB, 0.001)
    with pytest.raises(ValueError, match="no kernel daxpy"):
        Place((CPU,)).streams([("daxpy", False)], MIB, 0.001)
    with pytest.raises(ValueError, match="negative"):
        Place((CPU,)).chase(MIB, -1.0)
    with pytest.raises(OSError, match="nvalid"):
        Place((CPU,)).streams([("copy", False)], 0, 0.001)
    with pytest.raises(OSError, match="nvalid"):
        Place((CPU,), huge_bytes=3).chase(MIB, 0.001)


@pytest.mark.parametrize("work", ["streams", "chase", "updates_per_s"])
def test_work_ends_when_somebody_wants_it_to(work: str) -> None:
    asked = chain([False], repeat(True))
    place = Place((CPU, CPU), is_cut=lambda: next(asked))
    words = ([("copy", False)],) if work == "streams" else ()
    with pytest.raises(InterruptedError):
        getattr(place, work)(*words, MIB, 3600.0)


def test_what_is_raised_where_it_is_asked_ends_work_too() -> None:
    def asked() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Place((CPU,), is_cut=asked).chase(MIB, 3600.0)


def test_latency_under_load_has_a_figure_for_each_share() -> None:
    found = Place((CPU, CPU, CPU)).under_load(MIB, MIB, (0.0, 0.5, 1.0), 0.001)
    assert [one.share for one in found] == [0.0, 0.5, 1.0]
    assert all(one.latency_ns > 0 for one in found)
    assert found[0].mb_per_s == 0.0
    assert found[2].mb_per_s > 0.0


def test_a_load_needs_another_cpu() -> None:
    with pytest.raises(OSError, match="nvalid"):
        Place((CPU,)).under_load(MIB, MIB, (1.0,), 0.001)


def test_a_load_ends_when_somebody_wants_it_to() -> None:
    asked = chain([False], repeat(True))
    with pytest.raises(InterruptedError):
        Place((CPU, CPU), is_cut=lambda: next(asked)).under_load(MIB, MIB, (0.0, 0.5, 1.0), 3600.0)

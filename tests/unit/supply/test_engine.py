"""Live figures of a running engine: soon, then once a second, whatever the windows are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from plimsoll.base.limits import LIVE_PERIOD_S, POLL_PERIOD_S
from plimsoll.context import Cancel
from plimsoll.facts import Arrivals, Live, Outage, PlanGroup
from plimsoll.native.outcome import Outcome
from plimsoll.supply.engine import _notes, _watch
from plimsoll.supply.workloads import workload

SECOND = round(LIVE_PERIOD_S / POLL_PERIOD_S)


@dataclass
class Now:
    """What a poll answers."""

    elapsed_s: float
    ios: int
    expected_s: float | None = None
    latency_us_p50_now: float | None = None
    latency_us_p99_now: float | None = None


class Handle:
    """A run that lasts as long as there are answers."""

    def __init__(self, answers: list[Now]) -> None:
        self.answers, self.polled, self.stopped = answers, 0, False

    def wait(self, timeout_s: float) -> bool:
        assert timeout_s == POLL_PERIOD_S
        return self.polled == len(self.answers)

    def poll(self) -> Now:
        self.polled += 1
        return self.answers[self.polled - 1]

    def stop(self) -> None:
        self.stopped = True


def told(answers: list[Now], *rates: float | None) -> list[Live]:
    mix, heard = workload("randread", 8192), []
    arrivals = [
        Arrivals() if rate is None else Arrivals(kind="poisson", rate_per_s=rate) for rate in rates or (None,)
    ]
    groups = [PlanGroup.of(mix, "sim", arrivals=one) for one in arrivals]
    handle: Any = Handle(answers)
    _watch(handle, groups, Cancel(), heard.append, "io")
    return heard


def polls(seconds: float, window_from_s: float, **more: Any) -> list[Now]:
    """A thousand I/Os a second; latency is known from a moment on."""
    count = round(seconds / POLL_PERIOD_S)
    times = [POLL_PERIOD_S * (number + 1) for number in range(count)]
    known = [100.0 if time >= window_from_s else None for time in times]
    return [
        Now(time, round(1000 * time), latency_us_p50_now=p50, latency_us_p99_now=p50, **more)
        for time, p50 in zip(times, known, strict=True)
    ]


def test_once_a_second_also_where_windows_are_long() -> None:
    heard = told(polls(60.0, window_from_s=30.0))
    gaps = [later.elapsed_s - sooner.elapsed_s for sooner, later in pairwise(heard)]
    assert heard[0].elapsed_s == pytest.approx(LIVE_PERIOD_S)
    assert len(heard) == 60
    assert gaps == pytest.approx([LIVE_PERIOD_S] * 59)
    assert all(live.iops == pytest.approx(1000) for live in heard)
    assert heard[0].latency_us_p50 is None
    assert heard[-1].latency_us_p50 == 100.0


def test_a_short_run_tells_as_soon_as_a_window_has_ended() -> None:
    heard = told(polls(0.8, window_from_s=0.4))
    assert [live.elapsed_s for live in heard] == pytest.approx([0.4])
    assert heard[0].latency_us_p99 == 100.0


def test_the_rate_is_that_of_the_last_second() -> None:
    slow = [Now(POLL_PERIOD_S * (n + 1), 10 * (n + 1)) for n in range(SECOND)]
    hanging = [Now(POLL_PERIOD_S * (SECOND + n + 1), 10 * SECOND) for n in range(SECOND)]
    assert [live.iops for live in told(slow + hanging)] == pytest.approx([10 / POLL_PERIOD_S, 0.0])


def test_time_left_and_the_rate_that_was_asked_for() -> None:
    heard = told(polls(2.0, 0.2, expected_s=5.0), 300.0, 200.0)
    assert heard[0].rate_per_s == 500.0
    assert heard[-1].left_s == pytest.approx(5.0 - heard[-1].elapsed_s)
    assert told(polls(2.0, 0.2), 300.0, None)[0].rate_per_s is None, (
        "one that goes as fast as it can has no rate"
    )


def test_a_clock_that_stands_tells_nothing() -> None:
    assert told([Now(0.0, 0)] * 20) == []


def test_who_asks_to_end_is_heard() -> None:
    cancel, handle = Cancel(), Handle(polls(0.4, 9.0))
    cancel.set()
    watched: Any = handle
    _watch(watched, [PlanGroup.of(workload("randread", 8192), "sim")], cancel, lambda live: None, "io")
    assert handle.stopped


@pytest.mark.parametrize(
    ("outages", "words"),
    [
        ((), "the run ended after 20 s, because from then on all I/Os failed"),
        (((2.0, 3.0),), "the run ended after 20 s, because from then on all I/Os failed"),
        (((2.0, 3.0), (8.0, 12.0)), "from 8 s on there was no connection to the server for 12 s"),
    ],
    ids=["none", "came-back", "stayed-away"],
)
def test_only_an_outage_that_lasts_to_the_end_ended_the_run(
    outages: tuple[tuple[float, float], ...], words: str
) -> None:
    away = tuple(Outage(start_s=start, duration_s=lasted, share=1.0) for start, lasted in outages)
    outcome = Outcome.model_construct(
        runtime_s=20.0, ended="errors", outages=away, io_errors=(), completed_in_window_ios=0
    )
    (note,) = _notes([], outcome)
    assert note.code == "storage-lost"
    assert note.message.endswith(words)

"""How far a read is: how long the rest takes is not told of the very first files, which waited for their process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from plimsoll.facts import Event, Progress, Report
from plimsoll.flows.read_progress import Pace
from plimsoll.reports.reader import Reading
from simulated import context


class Late:
    """Three seconds pass each time that it is looked at."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic_s(self) -> float:
        self.now_s += 3.0
        return self.now_s


def test_the_time_left_is_told_from_one_in_a_hundred_on(tmp_path: Path) -> None:
    seen: list[Event] = []
    with context(tmp_path) as made:
        ctx = replace(made, clock=Late(), events=seen.append)
        pace = Pace(ctx, 1000)
        for _ in range(20):
            pace.step(Reading(Report(file="x", status="unreadable"), weight_bytes=1))
    told = [event.left_s is not None for event in seen if isinstance(event, Progress)]
    assert told == [False] * 9 + [True] * 11

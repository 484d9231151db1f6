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


def told_of(tmp_path: Path, readings: int, weight_bytes: int) -> list[Progress]:
    """Of so many readings, of 1,000 bytes together."""
    seen: list[Event] = []
    with context(tmp_path) as made:
        ctx = replace(made, clock=Late(), events=seen.append)
        pace = Pace(ctx, 1000)
        for _ in range(readings):
            pace.step(Reading(Report(file="x", status="unreadable"), weight_bytes=weight_bytes))
    return [event for event in seen if isinstance(event, Progress)]


def test_the_time_left_is_told_from_one_in_ten_on(tmp_path: Path) -> None:
    told = [event.left_s is not None for event in told_of(tmp_path, 20, 10)]
    assert told == [False] * 9 + [True] * 11


def test_no_share_is_told_as_none(tmp_path: Path) -> None:
    """Before one in a hundred it is only said how many were read."""
    told = [event.share is not None for event in told_of(tmp_path, 20, 1)]
    assert told == [False] * 9 + [True] * 11
    assert [event.share for event in told_of(tmp_path, 3, 0)] == [None] * 3

"""The windows of a measurement: whether rate and latency stayed the same while it ran.

Drift, burst credit that ran out, and a device's own housekeeping show here; an average would hide them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.charts._chart import Chart, Subject, Table
from plimsoll.charts._course import course, course_table, course_words
from plimsoll.facts import Window


def applies(subject: Subject) -> bool:
    """Whether there are windows enough to see a course in."""
    return len(_windows(subject)) >= 3


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: I/Os per second above, latency below."""
    return course(_windows(subject), width_px)


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    return course_words(_windows(subject))


def table(subject: Subject) -> Table:
    """Every window."""
    return course_table(_windows(subject))


def _windows(subject: Subject) -> Sequence[Window]:
    return subject.run.cell.windows if subject.run.cell is not None else ()


CHART = Chart(
    title="While it ran",
    help="Rate and latency of each window of a measurement, to see whether it stayed the same.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip

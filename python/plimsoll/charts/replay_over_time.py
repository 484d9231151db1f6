"""A demand's worst stretch driven as it was, second by second: what waited in one and was answered in the next shows here."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_us
from plimsoll.charts._chart import Chart, Subject, Table
from plimsoll.charts._course import course, course_table, course_words
from plimsoll.facts import Replay, ReplayTrial


def applies(subject: Subject) -> bool:
    """Whether a stretch of a few seconds was driven at its own rates."""
    shown = shown_trial(subject.run.replay)
    return shown is not None and len(shown.seconds) >= 3


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: I/Os per second above, latency and its limit below."""
    shown = shown_trial(subject.run.replay)
    assert shown is not None, "the caller has looked"
    return course(shown.seconds, width_px, _limit_us(subject.run.replay))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    shown = shown_trial(subject.run.replay)
    if shown is None:
        return "Nothing was driven as it was."
    limit_us = _limit_us(subject.run.replay)
    limit = "" if limit_us is None else f" The limit of p99 is {format_us(limit_us)}."
    began = f"From {shown.begin_time:%Y-%m-%d %H:%M:%S}: "
    return f"{began}{course_words(shown.seconds)} {shown.reason[0].upper()}{shown.reason[1:]}.{limit}"


def table(subject: Subject) -> Table:
    """Every second."""
    shown = shown_trial(subject.run.replay)
    return course_table(() if shown is None else shown.seconds)


def shown_trial(replay: Replay | None) -> ReplayTrial | None:
    """Of the trials at the demand's own rates the one that missed, else the longest."""
    trials = () if replay is None else replay.as_it_was
    missed = [trial for trial in trials if trial.held is False]
    return max(missed or trials, key=lambda trial: trial.duration_s, default=None)


def _limit_us(replay: Replay | None) -> float | None:
    """The limit of p99 over all I/Os, where the objective has one."""
    objectives = () if replay is None else replay.slo.objectives
    whole = (one.limit_us for one in objectives if one.io_class is None and one.quantile == 0.99)
    return next(whole, None)


CHART = Chart(
    title="The replay",
    help="Rate and latency of a demand's worst stretch, driven as it was.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip

"""A watch while it lasted: I/Os and bytes per second of each role on each other, and how late those of each were.

An average hides the second in which a checkpoint began. Here it shows, and below it whose I/Os were late then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from plimsoll.base.units import format_mb, format_rate, format_seconds, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._lanes import Curve, Lane, Step, drawn, group_size
from plimsoll.charts._theme import finish
from plimsoll.facts import Watch, WatchedStretch

STRETCHES_MIN = 3
ROWS_MAX = 60
"""Rows of the table; of a longer watch it holds the stretches with most I/Os."""
_ROLES = ("middle", "demand", "held", "redo_write", "missed", "low", "temp_read", "void")
_RATE_PX, _LATENCY_PX = 110, 120


def applies(subject: Subject) -> bool:
    """Whether there are stretches enough to see a course in."""
    return len(_begins(subject)) >= STRETCHES_MIN


def draw(subject: Subject, width_px: int) -> Any:
    """The lanes, `width_px` pixels wide, above one axis of time."""
    alt, watch = altair_module(), _watch(subject)
    assert watch is not None, "applies() has looked"
    by_role = _by_role(watch.course)
    group = group_size(len(_begins(subject)), width_px)
    lanes = (
        Lane("I/Os per second", "rate", _RATE_PX, _curves(by_role, _iops, group), stacked=True),
        Lane("MB per second", "rate", _RATE_PX, _curves(by_role, _mb_per_s, group), stacked=True),
        Lane("p99 at the disk", "latency", _LATENCY_PX, _curves(by_role, _p99_us, group)),
    )
    return finish(drawn(alt, lanes, watch.duration_s, width_px))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    watch = _watch(subject)
    if watch is None or not applies(subject):
        return "It was watched for too short a time to show a course."
    rates = {begin_s: sum(_iops([one]) for one in mine) for begin_s, mine in _by_begin(watch.course).items()}
    most_s = max(rates, key=lambda begin_s: rates[begin_s])
    told = (
        f"Between {format_rate(min(rates.values()))} and {format_rate(rates[most_s])} I/Os per second, "
        f"most {format_seconds(most_s)} after the start."
    )
    late = max((one for one in watch.course if one.latency_us_p99), key=_p99_of, default=None)
    if late is None:
        return told
    when = format_seconds(late.begin_s)
    return (
        f"{told} The highest p99, {format_us(late.latency_us_p99)}, had {late.role} {when} after the start."
    )


def table(subject: Subject) -> Table:
    """Every stretch, or those with most I/Os of a long watch."""
    watch = _watch(subject)
    found = {} if watch is None else _by_begin(watch.course)
    most = sorted(found, key=lambda begin_s: -sum(one.ios for one in found[begin_s]))[:ROWS_MAX]
    rows = tuple(
        (
            f"{begin_s:.1f} s", one.role, format_rate(_iops([one])), format_mb(_mb_per_s([one])),
            format_us(one.latency_us_p99),
        )
        for begin_s in sorted(most)
        for one in found[begin_s]
    )  # fmt: skip
    return Table(("from", "who", "I/Os per s", "MB/s", "p99"), rows, (True, False, True, True, True))


def _watch(subject: Subject) -> Watch | None:
    return subject.run.watch


def _begins(subject: Subject) -> set[float]:
    watch = _watch(subject)
    return {one.begin_s for one in watch.course} if watch is not None else set()


def _by_begin(course: Sequence[WatchedStretch]) -> dict[float, list[WatchedStretch]]:
    found: dict[float, list[WatchedStretch]] = {}
    for one in course:
        found.setdefault(one.begin_s, []).append(one)
    return found


def _by_role(course: Sequence[WatchedStretch]) -> dict[str, list[WatchedStretch]]:
    found: dict[str, list[WatchedStretch]] = {}
    for one in course:
        found.setdefault(one.role, []).append(one)
    return found


def _curves(
    by_role: dict[str, list[WatchedStretch]],
    value: Callable[[Sequence[WatchedStretch]], float | None],
    group: int,
) -> tuple[Curve, ...]:
    curves = []
    for (role, course), hue in zip(by_role.items(), _ROLES, strict=False):
        parts = [course[at : at + group] for at in range(0, len(course), group)]
        steps = [Step(part[0].begin_s, _end_s(part[-1]), value(part)) for part in parts]
        curves.append(Curve(role, hue, steps))
    return tuple(curves)


def _end_s(one: WatchedStretch) -> float:
    return one.begin_s + one.duration_s


def _iops(part: Sequence[WatchedStretch]) -> float:
    return sum(one.ios for one in part) / sum(one.duration_s for one in part)


def _mb_per_s(part: Sequence[WatchedStretch]) -> float:
    return sum(one.bytes for one in part) / 1e6 / sum(one.duration_s for one in part)


def _p99_us(part: Sequence[WatchedStretch]) -> float | None:
    return max((one.latency_us_p99 for one in part if one.latency_us_p99 is not None), default=None)


def _p99_of(one: WatchedStretch) -> float:
    return one.latency_us_p99 or 0.0


CHART = Chart(
    title="Who did how much, over time",
    help="I/Os and bytes per second of each role, and how late they were, while it was watched.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip

"""Hosts while they measured together: I/Os per second of each on each other, and how late those of each were.

All stand above one axis of time, which begins with the measured time: who began late, fell behind or was lost is seen there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._lanes import Curve, Lane, Step, drawn, group_size, thinned
from plimsoll.charts._theme import finish
from plimsoll.facts import HostPart, Window

WINDOWS_MIN = 3
ROWS_MAX = 60
"""Rows of the table; of a longer run it holds the first ones of each host."""
_ROLES = ("middle", "demand", "held", "redo_write", "missed", "low", "temp_read", "void")
_RATE_PX, _LATENCY_PX = 150, 120


def applies(subject: Subject) -> bool:
    """Whether there are slices enough to see a course in."""
    return len(_longest(subject)) >= WINDOWS_MIN


def draw(subject: Subject, width_px: int) -> Any:
    """Both lanes, `width_px` pixels wide, above one axis of time."""
    alt, parts = altair_module(), _parts(subject)
    group = group_size(len(_longest(subject)), width_px)
    lanes = (
        Lane("I/Os per second", "rate", _RATE_PX, _curves(parts, lambda one: one.iops, group), stacked=True),
        Lane("p99", "latency", _LATENCY_PX, _curves(parts, lambda one: one.latency_us_p99, group)),
    )
    return finish(drawn(alt, lanes, _span_s(parts), width_px))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    if not applies(subject):
        return "It was measured for too short a time to show a course."
    told = [
        f"{part.host} did between {format_rate(min(rates))} and {format_rate(max(rates))} I/Os per second"
        for part in _parts(subject)
        if (rates := [one.iops for one in part.windows])
    ]
    lost = [
        f"{part.host} was lost {format_seconds(_end_s(part))} after the begin"
        for part in _parts(subject)
        if part.lost_because is not None
    ]
    return f"{'; '.join([*told, *lost])}."


def table(subject: Subject) -> Table:
    """Every slice of every host, or the first ones of a long run."""
    parts = _parts(subject)
    most = max(1, ROWS_MAX // max(1, len(parts)))
    rows = tuple(
        (
            f"{one.start_s:.3f} s",
            part.host,
            format_rate(one.iops),
            format_us(one.latency_us_p50),
            format_us(one.latency_us_p99),
        )
        for part in parts
        for one in part.windows[:most]
    )
    return Table(("from", "host", "I/Os per s", "p50", "p99"), rows, (True, False, True, True, True))


def _parts(subject: Subject) -> Sequence[HostPart]:
    found = subject.run.hosts
    return () if found is None else found.hosts


def _longest(subject: Subject) -> Sequence[Window]:
    return max((part.windows for part in _parts(subject)), key=len, default=())


def _span_s(parts: Sequence[HostPart]) -> float:
    return max(_end_s(part) for part in parts)


def _end_s(part: HostPart) -> float:
    return part.windows[-1].start_s + part.windows[-1].duration_s if part.windows else 0.0


def _curves(
    parts: Sequence[HostPart], value: Callable[[Window], float | None], group: int
) -> tuple[Curve, ...]:
    hues = _ROLES * (1 + len(parts) // len(_ROLES))
    longest = max((part.windows for part in parts), key=len)
    return tuple(
        Curve(part.host, hue, thinned(_steps(part.windows, longest, value), group))
        for part, hue in zip(parts, hues, strict=False)
    )


def _steps(
    windows: Sequence[Window], longest: Sequence[Window], value: Callable[[Window], float | None]
) -> list[Step]:
    """As many for each host, so that they can stand on each other; from its loss on nothing is known of one."""
    known = [_step(one, value(one)) for one in windows]
    return [*known, *(_step(one, None) for one in longest[len(windows) :])]


def _step(one: Window, value: float | None) -> Step:
    return Step(max(0.0, one.start_s), one.start_s + one.duration_s, value)


CHART = Chart(
    title="Hosts over time",
    help="I/Os per second of each host, and how late they were, above one axis of time.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip

"""Which series of a trend are shown first, and how they are called; shared by its charts and by whoever says its answer."""

from __future__ import annotations

from plimsoll.charts._chart import Subject
from plimsoll.facts import Trend, TrendSeries

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def urgency(one: TrendSeries) -> tuple[bool, float, bool, float]:
    """Nearest to its limit first, then what grows most for its size; of what nothing is foretold last."""
    days = one.days_to_limit if one.days_to_limit is not None else one.days_to_limit_low
    share = (one.slope_per_day or 0.0) / abs(one.mean) if one.mean else 0.0
    return days is None, days or 0.0, one.refused, -share


def in_order(found: Trend | None) -> list[TrendSeries]:
    """All series, that which says most first."""
    return [] if found is None else sorted(found.series, key=urgency)


def series_of(subject: Subject) -> list[TrendSeries]:
    """Those of a run, in that order."""
    return in_order(subject.run.trend)


def name_of(one: TrendSeries) -> str:
    """`iops of SHOP`."""
    return f"{one.metric} of {one.database}"

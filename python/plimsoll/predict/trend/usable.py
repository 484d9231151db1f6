"""Which points of an instance a series is made of, and what is said of the others: all of these make gaps."""

from __future__ import annotations

from typing import get_args

import numpy as np

from plimsoll.demand.points import MAIN_METRICS, TIME_METRICS, InstancePoints, SeriesKey
from plimsoll.facts import Note
from plimsoll.facts.demand import DemandClassName
from plimsoll.predict.trend.grid import DAY_S, Points

_ALONE_S = 3_600.0
"""How long a single point counts whose next one nobody knows."""
_OTHERS = (
    "busy_share",
    "db_load",
    "size_gb",
    "free_gb",
    *(f"{name}_per_s" for name in ("read", "write", "flush")),
)
_OF_CLASSES = (
    f"{name}_{unit}" for name in get_args(DemandClassName) for unit in ("per_s", "mb_per_s", "latency_us")
)
NEVER_NEGATIVE = frozenset((*MAIN_METRICS, *TIME_METRICS, *_OTHERS, *_OF_CLASSES))
"""Metrics of which nothing is below 0 but by a counter that went back."""


def usable(key: SeriesKey, found: InstancePoints, weighted: bool) -> tuple[Points, list[Note]]:
    """In the order of time, each with a length: where none is known, the usual time to the next."""
    begin, duration, value, weight = (
        np.array(one, float) for one in (found.begin_s, found.duration_s, found.value, found.weight)
    )
    order = np.argsort(begin, kind="stable")
    begin, duration, value, weight = begin[order], duration[order], value[order], weight[order]
    apart = np.diff(np.unique(begin))
    usual = min(float(np.median(apart)), float(DAY_S)) if len(apart) else _ALONE_S
    made = Points(begin, np.where(np.isnan(duration), usual, duration), value, weight if weighted else None)
    is_bare = np.isnan(weight) & weighted
    is_below = ~is_bare & (value < 0) & (key.metric in NEVER_NEGATIVE)
    kept = made.where(~is_bare & ~is_below)
    notes = [
        *said(key, int(is_bare.sum()), "without a weight, where others have one"),
        *said(key, int(is_below.sum()), "below 0, as a counter that went back makes them"),
    ]
    return kept, notes


def said(key: SeriesKey, count: int, what: str) -> list[Note]:
    """That values of a series are left out; nothing where there are none."""
    if not count:
        return []
    values = "value" if count == 1 else "values"
    message = f"{key.metric} of {key.database}: gaps in place of {count:,} {values} {what}"
    return [Note(code="values-left-out", message=message)]

"""A series of one or several instances, judged: figures of what was, and of what is to come as far as anything can be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plimsoll.base.units import format_rate
from plimsoll.demand.points import InstancePoints, SeriesKey, moment_of
from plimsoll.facts import (
    Note,
    TrendAhead,
    TrendAnomaly,
    TrendDay,
    TrendHour,
    TrendInstance,
    TrendSeries,
    TrendStep,
)
from plimsoll.predict.trend.anomalies import anomalies
from plimsoll.predict.trend.forecast import Ahead, Left, too_little, too_poor, tried
from plimsoll.predict.trend.grid import (
    DAY_S,
    Grid,
    Part,
    Points,
    is_too_long,
    laid,
    span_of,
    step_for,
    together,
)
from plimsoll.predict.trend.model import Fit, fit
from plimsoll.predict.trend.robust import column_means, column_quantiles

HOURS_WEEKS = 8
"""The load by hour and weekday is that of the last weeks: older ones were of another level."""
_BUSY = 0.95
_ALONE_S = 3_600.0
"""How long a single point counts whose next one nobody knows."""


@dataclass(frozen=True)
class Limit:
    """What a metric may not exceed, or fall below, and who says so."""

    value: float
    source: str
    is_floor: bool = False
    """Whether it may not fall below it."""


@dataclass(frozen=True)
class Judged:
    """A series, None where nothing of it is known; and what was left out of it."""

    series: TrendSeries | None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class _Laid:
    """A series on its steps, and what it was made of."""

    grid: Grid
    parts: tuple[Part, ...]
    points: tuple[Points, ...]
    weighted: bool


def judged(key: SeriesKey, instances: Mapping[str, InstancePoints], limit: Limit | None = None) -> Judged:
    """The series of `instances` by name."""
    ordered = sorted(instances.items())
    weighted = any(not np.isnan(np.asarray(one.weight)).all() for _, one in ordered)
    points, notes = [], []
    for name, one in ordered:
        made, dropped = _points(one, weighted)
        notes += _said(key, dropped, "have no weight, where others have")
        points.append((name, made))
    points = [(name, one) for name, one in points if len(one)]
    if not points:
        return Judged(None, tuple(notes))
    found, more = _laid(key, points, weighted)
    notes += more
    return Judged(None if found is None else _series(key, found, limit), tuple(notes))


def _said(key: SeriesKey, count: int, what: str) -> list[Note]:
    if not count:
        return []
    message = (
        f"{key.metric} of {key.database}: {count:,} value{'' if count == 1 else 's'} {what}, and make gaps"
    )
    return [Note(code="values-left-out", message=message)]


def _points(found: InstancePoints, weighted: bool) -> tuple[Points, int]:
    """In the order of time, each with a length: where none is known, the usual time to the next. And how many lack a weight."""
    begin, duration, value, weight = (
        np.array(one, float) for one in (found.begin_s, found.duration_s, found.value, found.weight)
    )
    order = np.argsort(begin, kind="stable")
    begin, duration, value, weight = begin[order], duration[order], value[order], weight[order]
    apart = np.diff(np.unique(begin))
    usual = min(float(np.median(apart)), float(DAY_S)) if len(apart) else _ALONE_S
    made = Points(begin, np.where(np.isnan(duration), usual, duration), value, weight if weighted else None)
    kept = ~np.isnan(weight) if weighted else np.ones(len(begin), bool)
    return made.where(kept), int((~kept).sum())


def _laid(
    key: SeriesKey, points: Sequence[tuple[str, Points]], weighted: bool
) -> tuple[_Laid | None, list[Note]]:
    step_s = step_for([one for _, one in points])
    too_long = [is_too_long(one, step_s) for _, one in points]
    notes = _said(key, int(sum(one.sum() for one in too_long)), "are means over several steps")
    points = [(name, one.where(~long)) for (name, one), long in zip(points, too_long, strict=True)]
    points = [(name, one) for name, one in points if len(one)]
    span = span_of([one for _, one in points], step_s) if points else None
    if span is None:
        return None, [*notes, *_said(key, 1, "lies too many years from the others")] if points else notes
    start_s, count = span
    parts = tuple(Part(name, *laid(one, start_s, step_s, count)) for name, one in points)
    grid = Grid(start_s, step_s, together(parts, weighted))
    if not grid.known.any():
        return None, [*notes, *_said(key, sum(len(one) for _, one in points), "fill no step")]
    return _Laid(grid, parts, tuple(one for _, one in points), weighted), notes


def _series(key: SeriesKey, found: _Laid, limit: Limit | None) -> TrendSeries:
    grid = found.grid
    known = np.flatnonzero(grid.known)
    first, last = int(known[0]), int(known[-1])
    peak, peak_s = _peak(found)
    what = {
        "database": key.database,
        "metric": key.metric,
        "weighted": found.weighted,
        "begin_time": moment_of(grid.time_s(first)),
        "end_time": moment_of(grid.time_s(last + 1)),
        "step_s": grid.step_s,
        "points": len(known),
        "gaps": last + 1 - first - len(known),
        "mean": _mean(found),
        "p95": float(np.quantile(grid.values[known], _BUSY)),
        "peak": peak,
        "peak_time": moment_of(peak_s),
        "instances": _instances(found),
        "skew": _skew(found),
        "days": _days(grid),
        "hours": _hours(grid),
    }
    if limit is not None:
        what |= {"limit_value": limit.value, "limit_source": limit.source, "limit_is_floor": limit.is_floor}
    # The fit begins where the series does, so that nothing is asked of days before it.
    return TrendSeries(**what, **_foreseen(grid.first(last + 1), limit))


def _mean(found: _Laid) -> float:
    """Of amounts over the time that is known; of means over all that they are means of."""
    if not found.weighted:
        return float(found.grid.values[found.grid.known].mean())
    weights = [one.weight for one in found.points if one.weight is not None]
    total = sum(float(weight.sum()) for weight in weights)
    products = (float((one.value * one.weight).sum()) for one in found.points if one.weight is not None)
    return sum(products) / total


def _peak(found: _Laid) -> tuple[float, int]:
    """The highest value as it was measured; of several instances, the highest step of all together."""
    if len(found.points) == 1:
        one = found.points[0]
        at = int(np.argmax(one.value))
        return float(one.value[at]), int(one.begin_s[at])
    at = int(np.nanargmax(found.grid.values))
    return float(found.grid.values[at]), found.grid.time_s(at)


def _skew(found: _Laid) -> float | None:
    return max((one.ratio for one in _instances(found)), default=None)


def _instances(found: _Laid) -> tuple[TrendInstance, ...]:
    """Of a series that adds several up."""
    parts = [part for part in found.parts if np.isfinite(part.values).any()]
    if len(parts) < 2:
        return ()
    means = [float(part.values[np.isfinite(part.values)].mean()) for part in parts]
    usual = float(np.mean(means))
    return tuple(
        TrendInstance(
            instance=part.name,
            begin_time=moment_of(found.grid.time_s(part.life.start)),
            end_time=moment_of(found.grid.time_s(part.life.stop)),
            mean=mean,
            ratio=mean / usual if usual else 1.0,
        )
        for part, mean in zip(parts, means, strict=True)
    )


def _day_name(grid: Grid, day: int) -> str:
    return moment_of(grid.start_s + day * DAY_S)[:10]


def _days(grid: Grid) -> tuple[TrendDay, ...]:
    steps = grid.by_day(grid.values)
    pairs = zip(column_means(steps), column_quantiles(steps, _BUSY), strict=True)
    return tuple(
        TrendDay(day=_day_name(grid, number), mean=_known(mean), p95=_known(busy))
        for number, (mean, busy) in enumerate(pairs)
    )


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _hours(grid: Grid) -> tuple[TrendHour, ...]:
    weeks = grid.by_week(grid.values)[-HOURS_WEEKS:]
    counts = np.isfinite(weeks).sum(axis=0)
    means, busy = column_means(weeks), column_quantiles(weeks, _BUSY)
    return tuple(
        TrendHour(
            weekday=slot // grid.steps_per_day,
            hour=slot % grid.steps_per_day * grid.step_s // 3_600,
            mean=float(means[slot]),
            p95=float(busy[slot]),
            count=int(counts[slot]),
        )
        for slot in np.flatnonzero(counts).tolist()
    )


def _foreseen(grid: Grid, limit: Limit | None) -> dict[str, Any]:
    """What follows from the fit, or why there is none."""
    why = too_little(grid)
    if why is not None:
        return {"growth": "cannot tell", "refused": True, "reason": why}
    found = fit(grid)
    trial = tried(found)
    why = too_poor(found, trial)
    if why is not None:
        return {
            "growth": "cannot tell",
            "refused": True,
            "reason": why,
            "held_out_share": trial.held_share,
            **_fitted(found),
        }
    ahead = Ahead(found)
    left = None if limit is None else ahead.left(limit.value, limit.is_floor)
    slope = found.line.slope
    told = {
        "growth": "grows" if slope.low > 0 else "shrinks" if slope.high < 0 else "level",
        "slope_per_day": slope.per_day,
        "slope_per_day_low": slope.low,
        "slope_per_day_high": slope.high,
        "held_out_share": trial.held_share,
        "busy": ahead.edge_at_end(),
        "quiet": ahead.edge_at_end(is_floor=True),
        "horizon_days": ahead.horizon_days,
        "anomalies": _anomalies(found),
        "ahead": _ahead(ahead),
    }
    if left is not None:
        told |= {"days_to_limit": left.days, "days_to_limit_low": left.low, "days_to_limit_high": left.high}
    return {"refused": False, "reason": _reason(found, limit, left), **told, **_fitted(found)}


def _fitted(found: Fit) -> dict[str, Any]:
    """What was found of the past, whether or not it says anything of the time to come."""
    grid, line = found.grid, found.line
    steps = (
        TrendStep(time=moment_of(grid.time_s(at)), change=after - before)
        for at, before, after in zip(line.cuts, line.levels[:-1], line.levels[1:], strict=True)
    )
    return {"r2": found.explained_share, "season": found.season.kind, "steps": tuple(steps)}


def _anomalies(found: Fit) -> tuple[TrendAnomaly, ...]:
    grid = found.grid
    return tuple(
        TrendAnomaly(
            begin_time=moment_of(grid.time_s(one.first)),
            end_time=moment_of(grid.time_s(one.last + 1)),
            time=moment_of(grid.time_s(one.worst)),
            value=float(grid.values[one.worst]),
            expected=one.expected,
            deviations=one.deviations,
        )
        for one in anomalies(found)
    )


def _ahead(ahead: Ahead) -> tuple[TrendAhead, ...]:
    grid = ahead.of.grid
    first = -(-len(grid) // grid.steps_per_day)
    band = ahead.by_day()
    return tuple(
        TrendAhead(day=_day_name(grid, first + number), mean=float(mean), low=float(low), high=float(high))
        for number, (mean, low, high) in enumerate(zip(band.middle, band.low, band.high, strict=True))
    )


def _reason(found: Fit, limit: Limit | None, left: Left | None) -> str:
    said = _growth(found)
    return said if limit is None or left is None else f"{said}; {_limit_words(found.grid, limit, left)}"


def _growth(found: Fit) -> str:
    slope = found.line.slope
    low, high = format_rate(slope.low), format_rate(slope.high)
    if slope.low <= 0 <= slope.high:
        return f"it cannot be told from level: {low} to {high} a day"
    verb = "grows" if slope.low > 0 else "shrinks"
    return f"it {verb} by {format_rate(abs(slope.per_day))} a day ({low} to {high})"


def _limit_words(grid: Grid, limit: Limit, left: Left) -> str:
    edge = f"its {'low' if limit.is_floor else 'busy'} {'days' if grid.step_s == DAY_S else 'hours'}"
    beyond, within = ("below", "above") if limit.is_floor else ("above", "below")
    most = f"{format_rate(limit.value)}, {limit.source}"
    if left.days == 0:
        return f"{edge} are at or {beyond} {most}"
    if left.days is not None:
        later = f"{left.high:,.0f}" if left.high is not None else f"more than {left.horizon_days:,}"
        return f"{edge} reach {most}, in {left.days:,.0f} days ({left.low or 0:,.0f} to {later})"
    if left.low is not None:
        return f"{edge} may reach {most}, in {left.low:,.0f} days at the earliest"
    return f"{edge} stay {within} {most}, for the {left.horizon_days:,} days that can be foreseen"

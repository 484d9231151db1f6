"""A series of one or several instances, judged: figures of what was, and of what is to come as far as anything can be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plimsoll.base.units import format_rate, format_share
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
from plimsoll.predict.trend.anomalies import Unlike, anomalies
from plimsoll.predict.trend.ceiling import DAYS as CEILING_DAYS
from plimsoll.predict.trend.ceiling import held_at
from plimsoll.predict.trend.forecast import Ahead, Left, too_little, too_poor, tried
from plimsoll.predict.trend.grid import (
    DAY_S,
    Grid,
    Part,
    Points,
    are_too_far,
    is_too_long,
    laid,
    span_of,
    step_for,
    together,
)
from plimsoll.predict.trend.model import Fit, fit
from plimsoll.predict.trend.robust import column_means, column_quantiles
from plimsoll.predict.trend.usable import said, usable

HOURS_WEEKS = 8
"""The load by hour and weekday is that of the last weeks: older ones were of another level."""
_BUSY = 0.95
UNLIKE_SHARE_MAX = 0.1
"""Of the steps: where more are unlike the same hour of other weeks, two things are in one series."""
_RECENT_DAYS = 7


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
    points, notes = [], _unnamed(key, instances)
    for name, one in ordered:
        notes += [] if len(one.value) else [_empty(key, name)]
        made, dropped = usable(key, one, weighted)
        notes += dropped
        points.append((name, made))
    points = [(name, one) for name, one in points if len(one)]
    if not points:
        return Judged(None, tuple(notes))
    found, more = _laid(key, points, weighted)
    notes += more
    return Judged(None if found is None else _series(key, found, limit), tuple(notes))


def _empty(key: SeriesKey, instance: str) -> Note:
    of = f", instance {instance}" if instance else ""
    return Note(
        code="series-empty", message=f"{key.metric} of {key.database}{of}: none of its values is known"
    )


def _unnamed(key: SeriesKey, instances: Mapping[str, InstancePoints]) -> list[Note]:
    """That values without an instance are added to those of instances: they may be the sum of these, and then count twice."""
    if "" not in instances or len(instances) == 1:
        return []
    message = (
        f"{key.metric} of {key.database}: values without an instance are taken as those of one more instance, and are added to"
        f" those of {', '.join(sorted(name for name in instances if name))}"
    )
    return [Note(code="instance-unnamed", message=message)]


def _laid(
    key: SeriesKey, points: Sequence[tuple[str, Points]], weighted: bool
) -> tuple[_Laid | None, list[Note]]:
    step_s = step_for([one for _, one in points])
    too_long = [is_too_long(one, step_s) for _, one in points]
    notes = said(key, int(sum(one.sum() for one in too_long)), "over several steps at once")
    points = [(name, one.where(~long)) for (name, one), long in zip(points, too_long, strict=True)]
    points = [(name, one) for name, one in points if len(one)]
    if not points:
        return None, notes
    too_far = are_too_far([one for _, one in points], step_s)
    notes += said(key, int(sum(one.sum() for one in too_far)), "too many years from the others")
    points = [(name, one.where(~far)) for (name, one), far in zip(points, too_far, strict=True)]
    points = [(name, one) for name, one in points if len(one)]
    start_s, count = span_of([one for _, one in points], step_s)
    parts = tuple(Part(name, *laid(one, start_s, step_s, count)) for name, one in points)
    grid = Grid(start_s, step_s, together(parts, weighted))
    if not grid.known.any():
        return None, [*notes, *said(key, sum(len(one) for _, one in points), "too short for a step")]
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
        return _refused(grid, limit, why)
    found = fit(grid)
    trial = tried(found)
    why = too_poor(found, trial)
    if why is not None:
        return {**_refused(grid, limit, why), "held_out_share": trial.held_share, **_fitted(found)}
    ahead, unlike = Ahead(found), anomalies(found)
    left = None if limit is None else ahead.left(limit.value, limit.is_floor)
    why = _held_words(grid, limit, left) or _mixed_words(grid, unlike)
    if why is not None:
        told = {"held_out_share": trial.held_share, "anomalies": _anomalies(grid, unlike)}
        return {**_refused(grid, limit, why), **told, **_fitted(found)}
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
        "anomalies": _anomalies(grid, unlike),
        "ahead": _ahead(ahead),
    }
    if left is not None:
        told |= {"days_to_limit": left.days, "days_to_limit_low": left.low, "days_to_limit_high": left.high}
    return {"refused": False, "reason": _reason(found, limit, left), **told, **_fitted(found)}


def _refused(grid: Grid, limit: Limit | None, why: str) -> dict[str, Any]:
    """Nothing is foretold; that a limit is passed already is told none the less."""
    passed = None if limit is None else _passed_words(grid, limit)
    return {
        "growth": "cannot tell",
        "refused": True,
        "reason": why if passed is None else f"{why}; {passed}",
        "days_to_limit": None if passed is None else 0.0,
    }


def _passed_words(grid: Grid, limit: Limit) -> str | None:
    """That the busy steps of the last days, or the low ones, are beyond the limit; None where they are not."""
    recent = grid.values[-_RECENT_DAYS * grid.steps_per_day :]
    edge = float(np.quantile(recent[np.isfinite(recent)], 1 - _BUSY if limit.is_floor else _BUSY))
    if edge > limit.value if limit.is_floor else edge < limit.value:
        return None
    days = -(-len(recent) // grid.steps_per_day)
    last = "day" if days == 1 else f"{days} days"
    return f"{_edge_name(grid, limit)} were at or {_beyond(limit)} {_limit_name(limit)}, in the last {last}"


def _held_words(grid: Grid, limit: Limit | None, left: Left | None) -> str | None:
    """That a ceiling hides what was asked for; None where there is none, or where that changes nothing of the answer."""
    if limit is not None and (limit.is_floor or (left is not None and left.days == 0)):
        return None
    held = held_at(grid)
    if held is None:
        return None
    return (
        f"{format_share(held.share)} of its last {CEILING_DAYS} days lie at {format_rate(held.value)} and hardly any just below, "
        "as if something held it there: more may have been asked for"
    )


def _mixed_words(grid: Grid, unlike: Sequence[Unlike]) -> str | None:
    share = sum(one.last + 1 - one.first for one in unlike) / int(grid.known.sum())
    if share <= UNLIKE_SHARE_MAX:
        return None
    return f"{format_share(share)} of it is unlike the same hour of other weeks, as if two things were in one series"


def _fitted(found: Fit) -> dict[str, Any]:
    """What was found of the past, whether or not it says anything of the time to come."""
    grid, line = found.grid, found.line
    steps = (
        TrendStep(time=moment_of(grid.time_s(at)), change=after - before)
        for at, before, after in zip(line.cuts, line.levels[:-1], line.levels[1:], strict=True)
    )
    return {"r2": found.explained_share, "season": found.season.kind, "steps": tuple(steps)}


def _anomalies(grid: Grid, unlike: Sequence[Unlike]) -> tuple[TrendAnomaly, ...]:
    return tuple(
        TrendAnomaly(
            begin_time=moment_of(grid.time_s(one.first)),
            end_time=moment_of(grid.time_s(one.last + 1)),
            time=moment_of(grid.time_s(one.worst)),
            value=float(grid.values[one.worst]),
            expected=one.expected,
            deviations=one.deviations,
        )
        for one in unlike
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
    edge, most = _edge_name(grid, limit), _limit_name(limit)
    if left.days == 0:
        return f"{edge} are at or {_beyond(limit)} {most}"
    seen = _seen_words(grid)
    if left.days is not None:
        later = f"{left.high:,.0f}" if left.high is not None else f"more than {left.horizon_days:,}"
        return f"{edge} reach {most}, in {left.days:,.0f} days ({left.low or 0:,.0f} to {later}){seen}"
    if left.low is not None:
        return f"{edge} may reach {most}, in {left.low:,.0f} days at the earliest{seen}"
    within = "above" if limit.is_floor else "below"
    passed = _already_words(grid, limit)
    return (
        f"{edge} stay {within} {most}, for the {left.horizon_days:,} days that can be foreseen{seen}{passed}"
    )


def _already_words(grid: Grid, limit: Limit) -> str:
    """That single steps were beyond the limit, though the busy ones stay within: 5 of 100 hours may be beyond it."""
    known = grid.values[grid.known]
    count = int((known <= limit.value if limit.is_floor else known >= limit.value).sum())
    if not count:
        return ""
    return f"; {count:,} of its {len(known):,} {_steps_name(grid)} were at or {_beyond(limit)} it"


def _steps_name(grid: Grid) -> str:
    return "days" if grid.step_s == DAY_S else "hours"


def _edge_name(grid: Grid, limit: Limit) -> str:
    return f"its {'low' if limit.is_floor else 'busy'} {_steps_name(grid)}"


def _limit_name(limit: Limit) -> str:
    return f"{format_rate(limit.value)}, {limit.source}"


def _beyond(limit: Limit) -> str:
    return "below" if limit.is_floor else "above"


def _seen_words(grid: Grid) -> str:
    """That hours of the day were never looked at, which may be the busy ones."""
    seen = len(np.unique(grid.slot_of_day[grid.known]))
    if seen == grid.steps_per_day:
        return ""
    hours = grid.step_s // 3_600
    return f", by {seen * hours:,} of 24 hours of the day: the others were never measured"

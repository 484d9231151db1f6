"""A plausible trend: I/Os that grow towards a limit, with a step and an hour unlike itself, and a series that is too short."""

from __future__ import annotations

from datetime import date, timedelta
from math import pi, sin

from plimsoll.facts import (
    Note,
    Trend,
    TrendAhead,
    TrendAnomaly,
    TrendDay,
    TrendHour,
    TrendInstance,
    TrendSeries,
    TrendStep,
)

_FIRST = date(2026, 8, 31)
_DAYS = 84
_SLOPE, _STEP_DAY, _STEP = 60.0, 50, 4_000.0


def _level(day: int) -> float:
    weekend = -3_000.0 if (_FIRST + timedelta(day)).weekday() > 4 else 0.0
    return 20_000.0 + _SLOPE * day + (_STEP if day >= _STEP_DAY else 0.0) + weekend


def _day(day: int) -> str:
    return (_FIRST + timedelta(day)).isoformat()


def _days() -> tuple[TrendDay, ...]:
    """Nothing is known of the 31st and the 32nd."""
    gap = (30, 31)
    return tuple(
        TrendDay(day=_day(day), mean=None, p95=None)
        if day in gap
        else TrendDay(day=_day(day), mean=_level(day), p95=1.3 * _level(day))
        for day in range(_DAYS)
    )


def _hours() -> tuple[TrendHour, ...]:
    return tuple(
        TrendHour(weekday=weekday, hour=hour, mean=mean, p95=1.1 * mean, count=8)
        for weekday in range(7)
        for hour in range(24)
        for mean in [24_000.0 + 6_000 * sin((hour - 6) / 12 * pi) - (3_000 if weekday > 4 else 0)]
    )


def _ahead() -> tuple[TrendAhead, ...]:
    return tuple(
        TrendAhead(
            day=_day(day),
            mean=_level(day),
            low=0.7 * _level(day) - 20 * (day - _DAYS),
            high=1.35 * _level(day),
        )
        for day in range(_DAYS, 2 * _DAYS)
    )


def growing() -> TrendSeries:
    """Two instances that grow towards the line."""
    reason = (
        "it grows by 60 a day (56.2 to 63.9); its busy hours reach 40,000, the line of run 20261120-090000-line01, in 41 days "
        "(33 to 52)"
    )
    return TrendSeries(
        database="SHOP", metric="iops", weighted=False, begin_time="2026-08-31T00:00:00", end_time="2026-11-23T00:00:00",
        step_s=3600, points=1968, gaps=48, mean=24_100.0, p95=35_400.0, peak=61_300.0, peak_time="2026-11-10T03:00:00",
        growth="grows", reason=reason, refused=False, slope_per_day=60.0, slope_per_day_low=56.2, slope_per_day_high=63.9,
        r2=0.942, season="day and weekday", steps=(TrendStep(time="2026-10-20T08:00:00", change=_STEP),), held_out_share=0.894,
        busy=37_540.0, limit_value=40_000.0, limit_source="the line of run 20261120-090000-line01", days_to_limit=41.0,
        days_to_limit_low=33.25, days_to_limit_high=51.75, horizon_days=_DAYS, skew=1.31,
        instances=(
            TrendInstance(
                instance="shop1", begin_time="2026-08-31T00:00:00", end_time="2026-11-23T00:00:00", mean=15_785.0, ratio=1.31
            ),
            TrendInstance(
                instance="shop2", begin_time="2026-08-31T00:00:00", end_time="2026-11-23T00:00:00", mean=8_315.0, ratio=0.69
            ),
        ),
        anomalies=(
            TrendAnomaly(
                begin_time="2026-11-10T03:00:00", end_time="2026-11-10T05:00:00", time="2026-11-10T03:00:00", value=61_300.0,
                expected=21_900.0, deviations=43.8,
            ),
        ),
        days=_days(), ahead=_ahead(), hours=_hours(),
    )  # fmt: skip


def short() -> TrendSeries:
    """Of five days nothing is foretold."""
    days = tuple(TrendDay(day=_day(day), mean=9.0 + day, p95=14.0) for day in range(5))
    return TrendSeries(
        database="SMALL", metric="small_read_latency_us", weighted=True, begin_time="2026-08-31T00:00:00",
        end_time="2026-09-05T00:00:00", step_s=86_400, points=5, gaps=0, mean=11.2, p95=14.0, peak=14.6,
        peak_time="2026-09-02T00:00:00", growth="cannot tell", refused=True, days=days,
        reason="values of 5 days are too few for a forecast, which takes 14",
        hours=tuple(TrendHour(weekday=day, hour=0, mean=9.0 + day, p95=14.0, count=1) for day in range(5)),
    )  # fmt: skip


def trend(*series: TrendSeries) -> Trend:
    """Those two, or the ones that are given."""
    message = "the line is of one mix of I/Os, and holds for the demand as far as that is its mix"
    notes = () if series else (Note(code="line-mix", message=message),)
    return Trend(series=series or (growing(), short()), notes=notes)

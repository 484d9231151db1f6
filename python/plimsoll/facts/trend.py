"""Where the load of databases goes: series over weeks with season, steps, slope, what lies ahead, and days until a limit.

Times are those of the series' own clock, as ISO 8601 text without a zone. What is not known is None, and a gap is never 0.
Intervals are those within which the truth lies with 90 %.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text

Growth = Literal["grows", "shrinks", "level", "cannot tell"]
SeasonKind = Literal["none", "day", "weekday", "day and weekday", "hour of week"]


class TrendStep(Fact):
    """Where the level of a series changed for good, beside its slope."""

    time: str
    """When the first value of the new level begins."""
    change: float
    """By how much, in the metric's own unit."""


class TrendAnomaly(Fact):
    """Hours that were unlike the same hour of other weeks, when the trend is taken away."""

    begin_time: str
    """When the first of them begins."""
    end_time: str
    """When the last of them ends."""
    time: str
    """When the furthest of them begins."""
    value: float
    """What that one was."""
    expected: float
    """What it would have been by the other weeks: their median, and the trend."""
    deviations: float
    """How far that is: in median absolute deviations times 1.4826, negative where there was less than usual."""


class TrendDay(Fact):
    """What a day was. A day without values has None."""

    day: str
    """Its date."""
    mean: float | None
    """Mean of its steps."""
    p95: float | None
    """What 95 of 100 of its steps do not exceed."""


class TrendAhead(Fact):
    """What a day is expected to be."""

    day: str
    """Its date."""
    mean: float
    """Mean of its steps."""
    low: float
    """Of 100 of its steps 5 are below this."""
    high: float
    """Of 100 of its steps 5 are above this."""


class TrendHour(Fact):
    """An hour of a weekday over all weeks."""

    weekday: int
    """0 is Monday."""
    hour: int
    """The hour at which it begins; steps longer than an hour stand at their first."""
    mean: float
    """Mean of the values that are known."""
    p95: float
    """What 95 of 100 of them do not exceed."""
    count: int
    """How many are known."""


class TrendInstance(Fact):
    """One instance of a cluster within a series that adds several up."""

    instance: Text
    """Its name."""
    begin_time: str
    """When its first value begins."""
    end_time: str
    """When its last value ends."""
    mean: float
    """Mean of its own values."""
    ratio: float
    """That mean divided by the mean of all instances': 1 where all do the same."""


class TrendSeries(Fact):
    """One metric of one database."""

    database: Text
    """The database's name."""
    metric: Text
    """What was measured; its unit stands in its name."""
    weighted: bool
    """Whether values are means, each weighed by what it is a mean of, such as waits; without it they are amounts, which instances
    add up."""
    begin_time: str
    """When the first value begins."""
    end_time: str
    """When the last value ends."""
    step_s: int
    """Seconds of the even steps on which it is judged: an hour, or longer where values are further apart."""
    points: int
    """Steps that are known."""
    gaps: int
    """Steps between the first and the last that are not."""
    mean: float
    """Over all that is known; of means the weighted one."""
    p95: float
    """What 95 of 100 steps do not exceed."""
    peak: float
    """The highest value that was measured."""
    peak_time: str
    """When that one begins."""
    growth: Growth
    """Whether the whole interval of the slope lies above or below zero; level where it holds zero."""
    reason: Text
    """What is said of it, or why nothing is."""
    refused: bool
    """Whether nothing is said of what is to come: too little is known, or what is known follows no rule that was found."""
    slope_per_day: float | None = None
    """By how much it rises in a day, steps aside."""
    slope_per_day_low: float | None = None
    """With `slope_per_day_high` the slope's interval."""
    slope_per_day_high: float | None = None
    """See `slope_per_day_low`."""
    r2: float | None = None
    """Share of the variance that season, steps and slope explain together."""
    season: SeasonKind | None = None
    """What repeats: by the hour of the day, by the weekday, both beside each other, or each hour of the week by itself."""
    steps: Several[TrendStep] = ()
    """Where its level changed for good."""
    held_out_share: float | None = None
    """Of the last fifth of the series, what lay within the band that was foreseen from the rest: 0.9 is meant. None: not tried."""
    busy: float | None = None
    """What its busy steps, the 95th of 100, are at its end by the trend: these reach a limit first."""
    quiet: float | None = None
    """What its low steps, the 5th of 100, are at its end by the trend: these reach a floor first."""
    limit_value: float | None = None
    """What it may not exceed, or fall below, as far as one was named."""
    limit_is_floor: bool = False
    """Whether the limit is a floor, below which it may not fall."""
    limit_source: Text | None = None
    """Where the limit is from."""
    days_to_limit: float | None = None
    """Days from its end until its busy steps reach the limit, or its low ones a floor; 0: they are there. None: not within
    `horizon_days`, or not known."""
    days_to_limit_low: float | None = None
    """With `days_to_limit_high` the interval; None: not within `horizon_days`."""
    days_to_limit_high: float | None = None
    """See `days_to_limit_low`."""
    horizon_days: int | None = None
    """How many days ahead anything is said: as many as the series reaches back, and 365 at most."""
    skew: float | None = None
    """The busiest instance's mean divided by the mean of all; None where there are no several."""
    instances: Several[TrendInstance] = ()
    """What each instance is of it."""
    anomalies: Several[TrendAnomaly] = ()
    """Hours unlike themselves, in the order of time."""
    days: Several[TrendDay] = ()
    """What each day was."""
    ahead: Several[TrendAhead] = ()
    """What each day is expected to be."""
    hours: Several[TrendHour] = ()
    """The load by weekday and hour."""


class Trend(Fact):
    """Series of databases, and where they go."""

    series: Several[TrendSeries]
    """By database and metric."""
    unread: int = 0
    """Files and reports that were named and could not be read, and series of which nothing is left."""
    notes: Several[Note] = ()

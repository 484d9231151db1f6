"""Where the load of databases goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import Fact, Report, TrendSeries
from plimsoll.requests.trend import TrendRequest

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, repr=False)
class Trended(Result):
    """Series with what was and what is to come; the frame has a row per series."""

    unread: tuple[Report, ...] = ()
    """Reports that could not be read; `problems` says why."""

    _columns: ClassVar[tuple[str, ...]] = (
        "database",
        "metric",
        "mean",
        "p95",
        "slope_per_day",
        "limit_value",
        "days_to_limit",
        "reason",
    )

    @property
    def series(self) -> tuple[TrendSeries, ...]:
        """By database and metric."""
        found = self.run.trend
        assert found is not None, "a run of a trend has one"
        return found.series

    def frame(
        self, of: Literal["series", "days", "ahead", "hours", "steps", "anomalies"] = "series"
    ) -> polars.DataFrame:
        """A row per series; or per day, day ahead, hour of the week, step or anomaly, of the series one after the other."""
        if of == "series":
            return super().frame()
        parts: list[Fact] = [part for one in self.series for part in getattr(one, of)]
        return frame_of(parts)

    def _parts(self) -> Sequence[TrendSeries]:
        return self.series


@asks(TrendRequest)
def trend(ctx: Context, asked: TrendRequest) -> Trended:
    """Where the load of databases goes over weeks, and how many days are left until a limit, as `plimsoll trend`.

    Example:
        found = plimsoll.trend("awr/", limit="iops=40000")
        found.series[0].slope_per_day, found.series[0].days_to_limit
        found.frame()  # a row per series
    """
    from plimsoll.flows.trend import trend_of

    found = trend_of(ctx, asked)
    return Trended(found.run, found.unread)

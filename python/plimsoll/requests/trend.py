"""What can be asked of `plimsoll trend`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_PATHS = Asked(
    "paths",
    "Reports or folders of them, CSV files of series, or stored demands. None: all demands of the store.",
    metavar="PATH|RUN",
    stands_first=True,
)
_METRIC = Asked(
    "metric",
    "Show this metric alone; of reports and demands else iops, mb_per_s and commits_per_s.",
    metavar="METRIC",
    shown="",
    group="Data",
)
_LIMIT = Asked(
    "limit",
    "What a metric may not exceed: the days until its busy hours do are foreseen.",
    metavar="METRIC=VALUE",
    shown="",
    group="Objective",
)
_FLOOR = Asked(
    "floor",
    "What a metric may not fall below, such as free space: the days until its low hours do are foreseen.",
    metavar="METRIC=VALUE",
    shown="",
    group="Objective",
)
_LINE = Asked(
    "line",
    "A stored run of plimsoll line: what it held for sure is the limit of iops.",
    metavar="RUN",
    shown="",
    group="Objective",
)
_OUT = shared.OUT.but(help="Write the series as a page.", shown="")


@dataclass(frozen=True)
class TrendRequest(Request):
    """Where the load of databases goes over weeks, and how many days are left until a limit."""

    verb = "trend"
    examples: ClassVar[Examples] = (
        ("A folder of reports, until 40,000 I/Os a second", "trend awr/ --limit iops=40000"),
        ("Until the line that was measured last, as a page", "trend awr/ --line latest -o trend.html"),
        ("Series of your own", "trend sizes.csv --limit size_gb=2000"),
        ("Until free space falls to 50", "trend sizes.csv --floor free_gb=50"),
        ("All demands of the store", "trend"),
    )

    paths: tuple[str, ...] = _PATHS.field(())
    metrics: tuple[str, ...] = _METRIC.field(())
    limits: tuple[str, ...] = _LIMIT.field(())
    floors: tuple[str, ...] = _FLOOR.field(())
    line: str | None = _LINE.field(None)
    out: str | None = _OUT.field(None)

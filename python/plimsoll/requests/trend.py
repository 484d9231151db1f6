"""What can be asked of `plimsoll trend`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Examples, Request, idle

_PATHS = Asked(
    "paths",
    "Reports or folders of them, CSV files, exports of monitoring, stored demands. None: all stored demands.",
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
_PROMETHEUS = Asked(
    "prometheus",
    "A Prometheus that is asked: its URL, such as https://me@prom.example:9090.",
    metavar="URL",
    shown="",
    group="Data",
)
_QUERY = Asked(
    "query",
    "What it is asked: a counter's or gauge's name, or an expression with a name of yours before it.",
    metavar="[METRIC=]PROMQL",
    shown="",
    group="Data",
)
_SNAPSHOTS = Asked(
    "snapshots",
    "A series of snapshots that plimsoll demand --every keeps: its name, or a part of it.",
    metavar="SERIES",
    shown="",
    group="Data",
)
_SINCE = Asked(
    "since",
    "Prometheus is asked from then on: an age such as 30d, or a time such as 2026-11-20T09:00.",
    metavar="WHEN",
    shown="90d",
    group="Time",
)
_UNTIL = Asked("until", "Prometheus is asked until then.", metavar="WHEN", shown="now", group="Time")
_STEP = Asked(
    "step",
    "How far apart the values are that Prometheus is asked for.",
    unit=SECONDS,
    low=15.0,
    high=86_400.0,
    group="Time",
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
        (
            "What a Prometheus keeps of a host's disk",
            "trend --prometheus http://prom:9090 --query 'iops=rate(node_disk_reads_completed_total[1h])'",
        ),
        ("All demands of the store", "trend"),
        ("What a collector kept of two databases", "trend --snapshots shop --snapshots billing"),
    )

    paths: tuple[str, ...] = _PATHS.field(())
    metrics: tuple[str, ...] = _METRIC.field(())
    limits: tuple[str, ...] = _LIMIT.field(())
    floors: tuple[str, ...] = _FLOOR.field(())
    line: str | None = _LINE.field(None)
    prometheus: str | None = _PROMETHEUS.field(None)
    queries: tuple[str, ...] = _QUERY.field(())
    snapshots: tuple[str, ...] = _SNAPSHOTS.field(())
    since: str | None = _SINCE.field(None)
    until: str | None = _UNTIL.field(None)
    step_s: float = _STEP.field(3_600.0)
    out: str | None = _OUT.field(None)
    cluster: str | None = shared.CLUSTER.field(None)
    cluster_without_tls: bool = shared.CLUSTER_WITHOUT_TLS.field(False)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `query-missing`."""
        shared.refuse_idle_cluster(given, TrendRequest, bool(self.paths))
        if self.prometheus is None:
            idle(given, TrendRequest, "without --prometheus", "queries", "since", "until", "step_s")
        elif not self.queries:
            hint = "Name one, such as --query node_disk_reads_completed_total."
            raise UsageError("query-missing", "--prometheus was given and no --query", hint)

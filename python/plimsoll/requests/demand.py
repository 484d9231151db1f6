"""What can be asked of `plimsoll demand`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base import limits, settings
from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Examples, Request, idle

CollectorName = Literal["oracle", "oracle-11"]

_PATHS = Asked(
    "paths",
    "Statspack and AWR reports, spools of --collector, folders of them, or archives. - is standard input.",
    metavar="PATH",
    stands_first=True,
)
_COLLECTOR = Asked(
    "collector",
    "Print a file that a DBA runs in SQL*Plus, and whose spool is read here; for 12.1 and later, or 11.2.",
    shown="none",
    group="Database",
)
_WATCHED = shared.WATCHED.but(shown="30s; with --every until it is ended")
_EVERY = Asked(
    "every",
    "Keep a snapshot of the counters in the store at each such step, day and night, instead of watching.",
    unit=SECONDS,
    low=1.0,
    high=86_400.0,
    shown="",
    group="Time",
)
_KEEP = Asked(
    "keep_for",
    "How long snapshots are kept; older ones are removed.",
    unit=SECONDS,
    shown="400d",
    group="Time",
)
_SNAPSHOTS = Asked(
    "snapshots",
    "Learn from the snapshots that --every kept: the name of their series, or a part of it.",
    metavar="SERIES",
    shown="",
    group="Database",
)
_SINCE = Asked(
    "since",
    "Only snapshots since then: an age such as 7d, or a time such as 2026-11-20T09:00.",
    metavar="WHEN",
    shown="all",
    group="Time",
)
_UNTIL = Asked("until", "Only snapshots until then.", metavar="WHEN", shown="all", group="Time")
_OUT = shared.OUT.but(help="Write the demand as JSON, for assess --demand.", shown="")


@dataclass(frozen=True)
class DemandRequest(Request):
    """What a database asks of storage: of the reports in `paths`, else of a live one."""

    verb = "demand"
    examples: ClassVar[Examples] = (
        (
            "Watch a database for a minute",
            "demand --database postgresql://me@db.example/shop --runtime 1m --out demand.json",
        ),
        ("Try it without a database of your own", "demand --database embedded --runtime 20s"),
        ("Of Statspack and AWR reports", "demand awr/ statspack.lst"),
        ("A file that the DBA of an Oracle database runs", "demand --collector oracle > collect.sql"),
        ("The same over a connection", "demand --database oracle://monitor@db.example/shop --runtime 10m"),
        (
            "Keep a snapshot in each ten minutes, until it is ended",
            "demand --database postgresql://monitor@db.example/shop --every 10m",
        ),
        (
            "What was asked in two hours of them",
            "demand --snapshots shop --since 2026-11-20T09:00 --until 2026-11-20T11:00",
        ),
    )

    paths: tuple[str, ...] = _PATHS.field(())
    database: str | None = shared.DATABASE.field(None)
    watched_s: float | None = _WATCHED.field(None)
    every_s: float | None = _EVERY.field(None)
    keep_s: float | None = _KEEP.field(None)
    hours_after_s: float = shared.HOURS_AFTER.field(limits.THINNED_TO_HOURS_S)
    days_after_s: float = shared.DAYS_AFTER.field(limits.THINNED_TO_DAYS_S)
    snapshots: str | None = _SNAPSHOTS.field(None)
    since: str | None = _SINCE.field(None)
    until: str | None = _UNTIL.field(None)
    out: str | None = _OUT.field(None)
    collector: CollectorName | None = _COLLECTOR.field(None)
    licensed: shared.Licence | None = shared.LICENSED.field(None)
    cluster: str | None = shared.CLUSTER.field(None)
    cluster_without_tls: bool = shared.CLUSTER_WITHOUT_TLS.field(False)

    @property
    def result_tables(self) -> tuple[str, ...] | None:
        """Those of demand from reports, which is no run's; a file for SQL*Plus is no table."""
        if self.collector is not None:
            return ()
        if self.every_s is not None:
            return ("series",)
        return ("intervals", "classes", "series") if self.paths else None

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `demand-source`."""
        shared.refuse_idle_cluster(given, DemandRequest, bool(self.paths))
        if self.collector is not None:
            self._refuse_with_collector(given)
            return
        if not self._watches_packs:
            idle(given, DemandRequest, "without --collector or an Oracle Database to watch", "licensed")
        sources = [word for word, one in self._sources() if one]
        if len(sources) > 1:
            both = f"both {' and '.join(sources)} were given"
            raise UsageError("demand-source", both, "Name reports, or --database, or --snapshots.")
        if self.paths:
            idle(given, DemandRequest, "with reports", "watched_s", "every_s")
        if self.snapshots is not None:
            idle(given, DemandRequest, "with --snapshots", "watched_s", "every_s")
        else:
            idle(given, DemandRequest, "without --snapshots", "since", "until")
        if self.every_s is None:
            idle(given, DemandRequest, "without --every", "keep_s", "hours_after_s", "days_after_s")
            return
        idle(given, DemandRequest, "with --every, which keeps snapshots alone", "out")
        if self.keep_s is not None and self.keep_s < 2 * self.every_s:
            message = "--keep-for is shorter than two steps of --every, so that no interval would be kept"
            raise UsageError("usage", message, "Keep snapshots for longer, such as --keep-for 90d.")
        shared.refuse_ages(self.hours_after_s, self.days_after_s)

    def _refuse_with_collector(self, given: frozenset[str]) -> None:
        if self.paths:
            both = "both reports and --collector were given"
            raise UsageError("demand-source", both, "Print the file first, and name its spool later.")
        others = ("database", "watched_s", "every_s", "keep_s", "hours_after_s", "days_after_s")
        others += ("snapshots", "since", "until", "out")
        idle(given, DemandRequest, "with --collector", *others)

    @property
    def _watches_packs(self) -> bool:
        """Whether a database is watched that has packs to be licensed."""
        is_kept = self.paths or self.snapshots is not None or self.every_s is not None
        return not is_kept and shared.has_packs(self.database or settings.read(settings.DATABASE))

    def _sources(self) -> tuple[tuple[str, bool], ...]:
        return (
            ("reports", bool(self.paths)),
            ("--database", self.database is not None),
            ("--snapshots", self.snapshots is not None),
        )

"""What can be asked of `plimsoll demand`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request, idle

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
    )

    paths: tuple[str, ...] = _PATHS.field(())
    database: str | None = shared.DATABASE.field(None)
    watched_s: float = shared.WATCHED.field(shared.WATCHED_S)
    out: str | None = _OUT.field(None)
    collector: CollectorName | None = _COLLECTOR.field(None)
    licensed: shared.Licence | None = shared.LICENSED.field(None)

    @property
    def result_tables(self) -> tuple[str, ...] | None:
        """Those of demand from reports, which is no run's; a file for SQL*Plus is no table."""
        if self.collector is not None:
            return ()
        return ("intervals", "classes", "series") if self.paths else None

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `demand-source`."""
        if self.collector is not None:
            if self.paths:
                both = "both reports and --collector were given"
                raise UsageError("demand-source", both, "Print the file first, and name its spool later.")
            idle(given, DemandRequest, "with --collector", "database", "watched_s", "out")
            return
        idle(given, DemandRequest, "without --collector", "licensed")
        if not self.paths:
            return
        idle(given, DemandRequest, "with reports", "watched_s")
        if self.database is not None:
            both = "both reports and --database were given"
            raise UsageError("demand-source", both, "Name reports, or a live database with --database.")

"""What can be asked of `plimsoll place`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, SECONDS, Asked, Examples, Request, idle
from plimsoll.requests.place_script import EDITION, RELEASE

HYSTERESIS = 0.1
"""Counts of two intervals differ by about so much without anything having changed."""

_PATHS = Asked(
    "paths",
    "Output of place query in SQL*Plus, listings of full scans, or Statspack and AWR reports or folders of them.",
    metavar="PATH",
    stands_first=True,
)
_WATCHED = shared.WATCHED.but(aliases=())
_SIZES = Asked(
    "sizes",
    "CSV file with columns object and bytes, for reports, which print no sizes.",
    metavar="FILE",
    shown="",
    group="Load",
)
_TIER_OF = Asked(
    "tier_of",
    "The tier that the files of this tablespace lie on; without it that of the same name.",
    metavar="TABLESPACE=TIER",
    shown="",
    group="Load",
)
_OBJECTS = Asked(
    "objects",
    "CSV file of objects with their I/Os in one interval; again for each further interval.",
    metavar="FILE",
    shown="",
    group="Load",
)
_TIERS = Asked(
    "tiers", "TOML file of the tiers: latencies, capacities, prices.", metavar="FILE", group="Target"
)
_ON = Asked("on", "The tier of objects for which the file names none.", metavar="TIER", group="Load")
_INTERVAL = Asked(
    "interval", "Length of each interval: counts become rates by it.", unit=SECONDS, group="Load"
)
_DB_TIME = Asked("db_time", "DB time of an interval.", unit=SECONDS, group="Load")
_IO_WAIT = Asked(
    "io_wait",
    "Of the DB time, what sessions waited for I/O: no plan saves more.",
    unit=SECONDS,
    above_zero=False,
    group="Load",
)
_CPU_BUSY = Asked("cpu_busy", "How busy the host's CPUs were.", low=0, high=1, group="Load")
_CACHE = Asked(
    "cache",
    "Buffer cache: objects smaller than 5 % of it stay in it, unless their cached_share speaks against it.",
    unit=BYTES,
    group="Load",
)
_UNSEEN = Asked(
    "unseen",
    "Share of all I/Os that belong to none of the objects.",
    low=0,
    high=1,
    shown="unknown",
    group="Load",
)
_CLUSTERED = Asked(
    "clustered", "Several hosts open the database: only tiers with shared = true are for it.", group="Load"
)
HIT_CURVE = Asked(
    "hit_curve",
    "CSV file of what the buffer cache leaves by its size: cache_bytes,physical_reads, or cache_bytes,hit_share.",
    metavar="FILE",
    shown="the report's buffer pool advisory",
    group="Load",
)
_DIALECT = Asked(
    "dialect",
    "The database, on which the cost of a move and its settings depend.",
    shown="by the source of the objects",
    group="Database",
)
_MUST = Asked(
    "must",
    "This object lies on that tier; * stands for any letters.",
    metavar="OBJECT=TIER",
    shown="",
    group="Objective",
)
_MUST_NOT = Asked(
    "must_not", "This object does not lie on that tier.", metavar="OBJECT=TIER", shown="", group="Objective"
)
_TOGETHER = Asked("together", "These objects lie on one tier.", metavar="A,B", group="Objective", shown="")
_BUDGET = Asked(
    "budget_bytes", "Bytes that may move at most.", unit=BYTES, above_zero=False, group="Objective"
)
_MONEY = Asked(
    "budget_per_month",
    "What the plan may cost more in a month than today's layout, in the currency of the tiers' prices.",
    low=0,
    group="Objective",
)
_LEAST_GAIN = Asked(
    "least_gain",
    "Seconds in an interval that each move has to gain.",
    unit=SECONDS,
    above_zero=False,
    group="Objective",
)
_HYSTERESIS = Asked(
    "hysteresis",
    "Share of what an object costs today that its move has to gain.",
    low=0,
    high=1,
    group="Objective",
)
MEMORY_PRICE = Asked(
    "memory_price",
    "Price of 10^12 bytes of memory for a month, to hold the plan against a larger cache.",
    low=0,
    group="Objective",
)
_AFTER = Asked(
    "after",
    "A plan that was carried out: says whether it saves what it was to save. RUN or FILE, as of place apply.",
    metavar="RUN|FILE",
    group="Objective",
)
_OUT = shared.OUT.but(help="Write the placement as a page.", shown="")


@dataclass(frozen=True)
class ObjectsRequest:
    """Where the objects of a database come from, what is known of their intervals, and which tiers there are."""

    paths: tuple[str, ...] = _PATHS.field(())
    tiers: str | None = _TIERS.field(None)
    database: str | None = shared.DATABASE.field(None)
    watched_s: float = _WATCHED.field(shared.WATCHED_S)
    sizes: str | None = _SIZES.field(None)
    tier_of: tuple[str, ...] = _TIER_OF.field(())
    objects: tuple[str, ...] = _OBJECTS.field(())
    on: str | None = _ON.field(None)
    interval_s: float | None = _INTERVAL.field(None)
    db_time_s: float | None = _DB_TIME.field(None)
    io_wait_s: float | None = _IO_WAIT.field(None)
    cpu_busy_share: float | None = _CPU_BUSY.field(None)
    cache_bytes: int | None = _CACHE.field(None)
    unseen_share: float | None = _UNSEEN.field(None)
    clustered: bool = _CLUSTERED.field(False)
    dialect: Literal["postgres", "oracle"] | None = _DIALECT.field(None)
    release: str = RELEASE.field("11.2")
    edition: Literal["standard", "enterprise"] = EDITION.field("standard")

    @property
    def database_dialect(self) -> Literal["postgres", "oracle"] | None:
        """As asked, or as the source of the objects has it: reports and listings are Oracle's. None: nobody said it."""
        if self.dialect is not None:
            return self.dialect
        if self.paths:
            return "oracle"
        return "postgres" if self.database is not None else None

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `placement-waits`, `placement-source`, `option-idle`."""
        self._refuse_sources(given)
        if self.database_dialect != "oracle":
            idle(given, PlaceRequest, "without --dialect oracle", "release", "edition")
        if self.io_wait_s is not None and self.db_time_s is not None and self.io_wait_s > self.db_time_s:
            message = (
                f"sessions cannot have waited {self.io_wait_s:g} s for I/O in {self.db_time_s:g} s of DB time"
            )
            raise UsageError("placement-waits", message, "The waits for I/O are a part of DB time.")

    def _refuse_sources(self, given: frozenset[str]) -> None:
        sources = {
            "paths": bool(self.paths),
            "--database": self.database is not None,
            "--objects": bool(self.objects),
        }
        named = [name for name, is_named in sources.items() if is_named]
        if len(named) > 1:
            message = f"objects are given by {' and by '.join(named)}"
            raise UsageError("placement-source", message, "Name one source of objects.")
        if self.database is None:
            idle(given, PlaceRequest, "without --database", "watched_s")
        if not self.paths:
            idle(given, PlaceRequest, "without reports or listings", "sizes")
        if self.objects:
            idle(given, PlaceRequest, "with --objects, which names the tier of each object", "tier_of")


@dataclass(frozen=True)
class PlaceRequest(ObjectsRequest, Request):
    """Which objects of a database belong on which tier of storage."""

    verb = "place"
    examples: ClassVar[Examples] = (
        ("What belongs on which tier", "place --objects objects.csv --tiers tiers.toml --interval 1h"),
        (
            "With 200 GiB to move, as a page",
            "place --objects objects.csv --tiers tiers.toml --interval 1h --budget-bytes 200g -o placement.html",
        ),
        (
            "Over two intervals, with redo where it is",
            "place --objects mon.csv --objects tue.csv --tiers tiers.toml --interval 1h --must redo=disk",
        ),
        (
            "Of a PostgreSQL, watched for ten minutes",
            "place --database postgresql://me@db.example/shop --runtime 10m --tiers tiers.toml --tier-of pg_default=disk",
        ),
        (
            "And once its plan was carried out: was it right?",
            "place --database postgresql://me@db.example/shop --runtime 10m --tiers tiers.toml --after latest",
        ),
        (
            "Of a report, with sizes that were looked up",
            "place awr.html --sizes sizes.csv --tiers tiers.toml --on disk",
        ),
    )

    must: tuple[str, ...] = _MUST.field(())
    must_not: tuple[str, ...] = _MUST_NOT.field(())
    together: tuple[str, ...] = _TOGETHER.field(())
    budget_bytes: int | None = _BUDGET.field(None)
    budget_per_month: float | None = _MONEY.field(None)
    gain_s_min: float = _LEAST_GAIN.field(0.0)
    hysteresis: float = _HYSTERESIS.field(HYSTERESIS)
    hit_curve: str | None = HIT_CURVE.field(None)
    memory_price_per_tb_month: float | None = MEMORY_PRICE.field(None)
    after: str | None = _AFTER.field(None)
    out: str | None = _OUT.field(None)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `placement-waits`, `placement-source`, `option-idle`."""
        super().refuse_idle(given)
        if self.memory_price_per_tb_month is None:
            idle(given, PlaceRequest, "without --memory-price", "hit_curve")

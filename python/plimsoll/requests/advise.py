"""What can be asked of `plimsoll advise`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.values import changed
from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Examples, Request, idle

StorageTier = Literal["nvme", "flash", "disk"]
LATENCY_S_MAX = 1.0
"""Of storage that somebody would buy. A number without a unit is of seconds, and 5 was meant as milliseconds."""

_LATENCY = changed(SECONDS, example="250us")
_PATHS = Asked(
    "paths",
    "Reports, folders of them, or archives; or a stored run that has a demand. - is standard input.",
    metavar="PATH|RUN",
    stands_first=True,
)
_WATCHED = shared.WATCHED.but(aliases=())
_STORAGE = Asked(
    "storage",
    "What the data lies on now: nvme, flash or disk. Reads are then judged by what that can do.",
    metavar="TIER",
    shown="unknown",
    group="Target",
)
_READ_LATENCY = Asked(
    "read_latency",
    "A single-block read on the storage that is thought of.",
    unit=_LATENCY,
    high=LATENCY_S_MAX,
    shown="250us, as flash",
    group="Target",
)
_LOG_LATENCY = Asked(
    "log_latency",
    "A write of the log on the storage that is thought of.",
    unit=_LATENCY,
    high=LATENCY_S_MAX,
    shown="85us, as flash",
    group="Target",
)
_MEASURED = Asked(
    "measured",
    "A stored run of `plimsoll io` on the storage that is thought of: reads, or --rw log-write.",
    metavar="RUN",
    shown="",
    group="Target",
)
_SPINDLES = Asked(
    "spindles", "Disks beneath: requests are held against 90 to 150 a second of each.", low=1, group="Target"
)
_OUT = shared.OUT.but(
    help="Write the advice as a page; into a folder that is there, one for each database.", shown=""
)


@dataclass(frozen=True)
class AdviseRequest(Request):
    """What a database waits for by its reports, by a stored run or by watching it, and whether faster storage would help."""

    verb = "advise"
    examples: ClassVar[Examples] = (
        ("What a database waits for", "advise awr.html"),
        ("Watch a PostgreSQL for a minute", "advise --database postgresql://me@db.example/shop --runtime 1m"),
        ("A folder of reports, as a page", "advise awr/ -o advice.html"),
        (
            "With the latencies of storage that was measured",
            "advise awr.html --read-latency 150us --log-latency 40us",
        ),
    )

    paths: tuple[str, ...] = _PATHS.field(())
    database: str | None = shared.DATABASE.field(None)
    watched_s: float = _WATCHED.field(shared.WATCHED_S)
    storage: StorageTier | None = _STORAGE.field(None)
    read_latency_s: float | None = _READ_LATENCY.field(None)
    log_latency_s: float | None = _LOG_LATENCY.field(None)
    measured: tuple[str, ...] = _MEASURED.field(())
    spindles: int | None = _SPINDLES.field(None)
    out: str | None = _OUT.field(None)
    cluster: str | None = shared.CLUSTER.field(None)
    cluster_without_tls: bool = shared.CLUSTER_WITHOUT_TLS.field(False)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `advice-source`."""
        shared.refuse_idle_cluster(given, AdviseRequest, bool(self.paths))
        if self.database is None:
            idle(given, AdviseRequest, "without --database", "watched_s")
        elif self.paths:
            both = "both reports and --database were given"
            raise UsageError(
                "advice-source", both, "Name reports or runs, or a live database with --database."
            )

"""What can be asked of `plimsoll advise`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Examples, Request

StorageTier = Literal["nvme", "flash", "disk"]

_PATHS = Asked(
    "paths",
    "Statspack and AWR reports, folders of them, or archives. - is standard input.",
    metavar="PATH",
    stands_first=True,
)
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
    unit=SECONDS,
    shown="250us, as flash",
    group="Target",
)
_LOG_LATENCY = Asked(
    "log_latency",
    "A write of the log on the storage that is thought of.",
    unit=SECONDS,
    shown="85us, as flash",
    group="Target",
)
_SPINDLES = Asked(
    "spindles", "Disks beneath: requests are held against 90 to 150 a second of each.", low=1, group="Target"
)
_OUT = shared.OUT.but(help="Write the advice as a page.", shown="")


@dataclass(frozen=True)
class AdviseRequest(Request):
    """What reports say that a database waits for, and whether faster storage would help."""

    verb = "advise"
    examples: ClassVar[Examples] = (
        ("What a database waits for", "advise awr.html"),
        ("A folder of reports, as a page", "advise awr/ -o advice.html"),
        ("With the latencies of storage that was measured", "advise awr.html --read-latency 150us --log-latency 40us"),
    )

    paths: tuple[str, ...] = _PATHS.field(())
    storage: StorageTier | None = _STORAGE.field(None)
    read_latency_s: float | None = _READ_LATENCY.field(None)
    log_latency_s: float | None = _LOG_LATENCY.field(None)
    spindles: int | None = _SPINDLES.field(None)
    out: str | None = _OUT.field(None)

"""What can be asked of the verbs of `plimsoll lab`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests.asked import BYTES, RATE, SECONDS, Asked, Examples, Request, idle

_FOLDER = Asked(
    "folder", "Empty folder, in which the file disk then is.", metavar="FOLDER", stands_first=True
)
_LAW = Asked(
    "law",
    "Service times in words: law=exponential,mean=1ms,servers=1; or law=seek, iops=, mb_per_s=, flush= and more.",
    metavar="LAW",
)
_MIRROR_LAW = Asked(
    "mirror_law",
    "Serve a mirror whose second side has this law: a write goes to both sides and ends with the later one.",
    metavar="LAW",
)
_MIRROR_READ = Asked(
    "mirror_read", "Which side of the mirror answers reads: one of them always, or each in turn."
)
_SIZE = Asked("size", "Bytes of the disk, all of them held in memory.", unit=BYTES)
_RUNTIME = Asked(
    "runtime",
    "How long to serve it.",
    unit=SECONDS,
    shown="until Ctrl-C or TERM",
    group="Time",
    aliases=("seconds",),
)
_SEED = Asked("seed", "Equal seeds draw equal service times.", low=0, high=2**32 - 1)


@dataclass(frozen=True)
class DiskRequest(Request):
    """A disk with a law of service, and where it is to be mounted."""

    verb = "lab disk"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (
        (
            "A disk that serves each I/O in 5 ms, one at a time",
            "lab disk /mnt/slow --law law=constant,mean=5ms,servers=1",
        ),
        (
            "A disk mirrored on flash, which all reads go to",
            "lab disk /mnt/hybrid --law law=seek --mirror-law law=constant,mean=250us,servers=8 --mirror-read second",
        ),
    )

    folder: str = _FOLDER.field()
    law: str = _LAW.field("law=exponential,mean=100us,servers=1")
    mirror_law: str | None = _MIRROR_LAW.field(None)
    mirror_read: Literal["first", "second", "alternate"] = _MIRROR_READ.field("alternate")
    size_bytes: int = _SIZE.field(256 << 20)
    seconds: float | None = _RUNTIME.field(None)
    seed: int = _SEED.field(1)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.mirror_law is None:
            idle(given, DiskRequest, "without --mirror-law", "mirror_read")


_TIERS_FOLDER = _FOLDER.but(help="Empty folder, in which the tiers, their description and the URL then are.")
_SLOW_LAW = _LAW.but(
    word="slow_law", help="Service times of the slow tier, as of lab disk: a disk of one arm."
)
_FAST_LAW = _LAW.but(word="fast_law", help="Service times of the fast tier, as of lab disk: flash.")
_TIERS_RUNTIME = _RUNTIME.but(help="How long to serve them.", shown="until Ctrl-C", aliases=())
_SLOW_SIZE = Asked(
    "slow_size", "Bytes of the slow tier, all of them held in memory.", unit=BYTES, low=128 << 20
)
_FAST_SIZE = Asked(
    "fast_size", "Bytes of the fast tier, all of them held in memory.", unit=BYTES, low=128 << 20
)
_CACHE = Asked("cache", "The database's own cache (shared_buffers).", unit=BYTES, low=1 << 20)
_BY = Asked(
    "by",
    "What makes a tier slow: a law of its service times, or a throttle, which caps and adds no latency.",
)
_SLOW_IOPS = Asked(
    "slow_iops",
    "Reads per second of the slow tier at most, and as many writes, with --by throttle.",
    unit=RATE,
    low=1,
)
_SLOW_MB_PER_S = Asked(
    "slow_mb_per_s",
    "Of 10^6 bytes: read per second from the slow tier at most, and as many written, with --by throttle.",
    low=0.1,
    shown="no limit",
)
_BUFFERED = Asked(
    "buffered",
    "Let the server read through the page cache, which shares so many bytes with all memory of the server.",
    unit=BYTES,
    low=64 << 20,
    shown="past the page cache",
)


@dataclass(frozen=True)
class TiersRequest(Request):
    """A slow and a fast tier of storage, with a database on the slow one."""

    verb = "lab tiers"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (
        ("A disk, flash, and a database on the disk", "lab tiers /mnt/tiers"),
        (
            "A slower disk, and a larger cache of the database",
            "lab tiers /mnt/tiers --slow-law law=seek,seek=500us,full_seek=8ms,rpm=7200 --cache 64m",
        ),
        (
            "A slow tier of 300 I/Os per second without their latency, and a page cache as in production",
            "lab tiers /mnt/tiers --by throttle --slow-iops 300 --buffered 512m",
        ),
    )

    folder: str = _TIERS_FOLDER.field()
    by: Literal["law", "throttle"] = _BY.field("law")
    slow_law: str = _SLOW_LAW.field("law=seek,seek=300us,full_seek=4ms,rpm=15000,us_per_mib=6ms")
    fast_law: str = _FAST_LAW.field("law=lognormal,mean=150us,sigma=0.3,servers=8,us_per_mib=500us")
    slow_iops: float = _SLOW_IOPS.field(200.0)
    slow_mb_per_s: float | None = _SLOW_MB_PER_S.field(None)
    slow_size_bytes: int = _SLOW_SIZE.field(2 << 30)
    fast_size_bytes: int = _FAST_SIZE.field(2 << 30)
    cache_bytes: int = _CACHE.field(16 << 20)
    buffered_bytes: int | None = _BUFFERED.field(None)
    seconds: float | None = _TIERS_RUNTIME.field(None)
    seed: int = _SEED.field(1)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.by == "law":
            idle(given, TiersRequest, "without --by throttle", "slow_iops", "slow_mb_per_s")
        else:
            idle(given, TiersRequest, "with --by throttle", "slow_law", "fast_law", "seed")

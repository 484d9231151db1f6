"""What can be asked of the verbs of `plimsoll lab`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.requests.asked import BYTES, SECONDS, Asked, Request

_FOLDER = Asked(
    "folder", "Empty folder, in which the file disk then is.", metavar="FOLDER", stands_first=True
)
_LAW = Asked(
    "law",
    "Service times in words: law=exponential,mean=1ms,servers=1; or law=seek, iops=, mb_per_s=, flush= and more.",
    metavar="WORDS",
)
_SIZE = Asked("size", "Bytes of the disk, all of them held in memory.", unit=BYTES, shown="256m")
_SECONDS = Asked("seconds", "How long to serve it.", unit=SECONDS, shown="until Ctrl-C or TERM")
_SEED = Asked("seed", "Equal seeds draw equal service times.", low=0, high=2**32 - 1)


@dataclass(frozen=True)
class DiskRequest(Request):
    """A disk with a law of service, and where it is to be mounted."""

    verb = "lab disk"
    tables = ()

    folder: str = _FOLDER.field()
    law: str = _LAW.field("law=exponential,mean=100us,servers=1")
    size_bytes: int = _SIZE.field(256 << 20)
    seconds: float | None = _SECONDS.field(None)
    seed: int = _SEED.field(1)

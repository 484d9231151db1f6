"""What can be asked of `plimsoll demo`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Request

_FOLDER = Asked(
    "folder", "Where scratch file and database go.", metavar="DIR", shown="PLIMSOLL_SCRATCH or here"
)
_OUT = Asked("out", "Where the report goes.", metavar="FILE", short="-o")


@dataclass(frozen=True)
class DemoRequest(Request):
    """The main job once, on this machine alone."""

    verb = "demo"

    folder: str | None = _FOLDER.field(None)
    out: str = _OUT.field("plimsoll-demo.html")
    slo: str = shared.SLO.field(DEFAULT_SLO)

"""What can be asked of `plimsoll report`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Request

_OUT = Asked("out", "Where the page goes.", metavar="FILE", short="-o")


@dataclass(frozen=True)
class ReportRequest(Request):
    """A stored run to write as one page."""

    verb = "report"
    tells_events = False
    tables = ()

    run: str = shared.RUN.field()
    out: str = _OUT.field("report.html")

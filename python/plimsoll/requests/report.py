"""What can be asked of `plimsoll report`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.requests import shared
from plimsoll.requests.asked import Request


@dataclass(frozen=True)
class ReportRequest(Request):
    """A stored run to write as one page."""

    verb = "report"
    examples = (("The newest run", "report latest --out verdict.html"),)
    tells_events = False
    tables = ()
    keeps_runs = False

    run: str = shared.RUN.field()
    out: str = shared.OUT.field("report.html")

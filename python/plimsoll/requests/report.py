"""What can be asked of `plimsoll report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Examples, Request


@dataclass(frozen=True)
class ReportRequest(Request):
    """A stored run to write as one page."""

    verb = "report"
    examples: ClassVar[Examples] = (("The newest run", "report latest --out verdict.html"),)
    tells_events = False
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False

    run: str = shared.RUN.field()
    out: str = shared.OUT.field("report.html")

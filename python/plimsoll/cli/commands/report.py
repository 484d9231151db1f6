"""The verb `report`: a run as one page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.report import ReportRequest


task = "keep"


@asks("report.ReportRequest")
def command(asked: ReportRequest, place: Place) -> int:
    """Write a stored run as one HTML page."""
    from plimsoll.cli.session import session
    from plimsoll.flows.report import write_report

    with session(place) as here:
        stored = here.ctx.store.load(asked.run)
        page = write_report(stored, Path(asked.out))
        data = {"run": stored.id, "path": str(page.path), "bytes": page.size_bytes}
        return here.finish("report", data, lambda: say(page.path))

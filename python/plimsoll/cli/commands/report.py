"""The verb `report`: a run as one page that opens offline, or one picture of that page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.report import ReportRequest


task = "keep"


@asks("report.ReportRequest")
def command(asked: ReportRequest, place: Place) -> int:
    """Write a stored run as one HTML page, or one picture of it.

    A picture is SVG or PNG; CSV has its figures, with units in the headings. No browser is needed for it.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.report_figure import write_asked

    with session(place) as here:
        stored = here.ctx.store.load(asked.run)
        written = write_asked(stored, asked)
        data = {"run": stored.id, "path": str(written.path), "bytes": written.size_bytes}
        return here.finish("report", data, lambda: say(written.path))

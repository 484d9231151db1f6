"""What can be asked of `plimsoll report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_OUT = shared.OUT.but(
    help="Where the page goes; with --figure the picture, as SVG, PNG or CSV by the end of the name.",
    shown="report.html; with --figure NAME.svg",
)
_FIGURE = Asked(
    "figure",
    "Write this picture of the page alone. A wrong name lists those that the page has.",
    metavar="NAME",
    shown="",
    group="Output",
)


@dataclass(frozen=True)
class ReportRequest(Request):
    """A stored run to write as one page, or a picture of that page."""

    verb = "report"
    examples: ClassVar[Examples] = (
        ("The newest run", "report latest --out verdict.html"),
        ("One picture of its page", "report latest --figure load-line --out line.svg"),
    )
    tells_events = False
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False

    run: str = shared.RUN.field()
    out: str | None = _OUT.field(None)
    figure: str | None = _FIGURE.field(None)

    @property
    def place(self) -> str:
        """The file to write, where none was named that of its kind."""
        if self.out is not None:
            return self.out
        return "report.html" if self.figure is None else f"{self.figure}.svg"

"""What can be asked of `plimsoll compare`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.requests.asked import Asked, Request

_RUNS = Asked(
    "runs",
    "Runs to hold against the first: id, its unique beginning, latest, latest~1; repeats of one joined with commas; or tag:NAME.",
    metavar="RUN...",
    stands_first=True,
)
_HTML = Asked("html", "Write the comparison as a page as well.", metavar="FILE")


@dataclass(frozen=True)
class CompareRequest(Request):
    """Stored runs of one kind beside each other."""

    verb = "compare"
    tells_events = False
    keeps_runs = False

    runs: tuple[str, ...] = _RUNS.field()
    html: str | None = _HTML.field(None)

"""What can be asked of `plimsoll compare`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests.asked import Asked, Examples, Request

_RUNS = Asked(
    "runs",
    "Ids, their beginnings, latest, latest~1 or tag:NAME; the first is the base; commas join repeats of one.",
    metavar="RUN",
    stands_first=True,
)
_HTML = Asked(
    "html",
    "Write the comparison as a page as well.",
    metavar="FILE",
    shown="",
    group="Output",
    is_written=True,
)


@dataclass(frozen=True)
class CompareRequest(Request):
    """Stored runs of one kind beside each other."""

    verb = "compare"
    tables: ClassVar[tuple[str, ...] | None] = ("figures", "settings", "sides")
    examples: ClassVar[Examples] = (
        ("The newest run beside the one before it", "compare latest~1 latest"),
        (
            "Repeats of each, by their tags, as a page too",
            "compare tag:before tag:after --html compared.html",
        ),
    )
    tells_events = False
    keeps_runs = False

    runs: tuple[str, ...] = _RUNS.field()
    html: str | None = _HTML.field(None)


@dataclass(frozen=True)
class ProveCompareRequest(CompareRequest):
    """The same, under the name that it had when proofs alone could be compared."""

    verb = "prove compare"
    examples: ClassVar[Examples] = (
        ("The newest proof beside an earlier one", "prove compare 20261101-120000-abcdef latest"),
    )

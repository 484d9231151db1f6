"""What can be asked of `plimsoll redact`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_PATHS = Asked(
    "paths",
    "Reports or output of place query, folders of them, or archives. - is standard input.",
    metavar="PATH",
    stands_first=True,
)
_OUT = shared.OUT.but(
    help="Write into this folder, over no file; without it the one report is printed.",
    metavar="FOLDER",
    shown="",
)
_KEY = Asked(
    "key",
    "Secret by which names are replaced, made where it is missing; with it they are the same in every call.",
    metavar="FILE",
    shown="a new one that nobody keeps",
)


@dataclass(frozen=True)
class RedactRequest(Request):
    """Reports to give away, and where they go without names."""

    verb = "redact"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (
        ("A folder of reports, to be sent", "redact awr/ --out to-send"),
        ("The same names next month", "redact awr/ --out to-send --key ~/.plimsoll-names"),
        ("One report, in a pipe", "redact - < awr.html > shown.html"),
    )

    paths: tuple[str, ...] = _PATHS.field(())
    out: str | None = _OUT.field(None)
    key: str | None = _KEY.field(None)

"""What can be asked of `plimsoll place query`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests.asked import Asked, Examples, Request

QueryName = Literal["oracle", "oracle-awr"]

_NAME = Asked(
    "name",
    "Counters since the instance started, or AWR's history of them, by views outside the Diagnostics Pack.",
    stands_first=True,
)


@dataclass(frozen=True)
class PlaceQueryRequest(Request):
    """What a DBA of an Oracle Database runs, and sends its output."""

    verb = "place query"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    tells_events = False
    examples: ClassVar[Examples] = (
        ("For SQL*Plus, run twice an hour apart", "place query oracle > objects.sql"),
    )

    name: QueryName = _NAME.field()

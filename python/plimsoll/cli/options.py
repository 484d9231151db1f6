"""Options that every verb has for where its answer goes, each told once."""

from __future__ import annotations

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Field, Request

JSON = Field(
    "json",
    bool,
    False,
    Asked("json", "Print one JSON document on standard output, and nothing else there.", group="Output"),
    False,
)
EVENTS = Field(
    "events",
    str,
    True,
    Asked(
        "events",
        "Write live events as NDJSON; - is standard error.",
        metavar="FILE|-",
        shown="",
        group="Output",
    ),
    None,
)
STORE = Field(
    "store",
    str,
    True,
    Asked(
        "store",
        "Run repository: a file or a postgresql:// URL.",
        metavar="PLACE",
        shown="",
        group="Output",
    ),
    None,
)


TAG = Field("tag", tuple[str, ...], False, shared.TAG, ())


def options_of(request: type[Request]) -> tuple[Field, ...]:
    """What says where the answer goes; a request may tell otherwise what the store means to it."""
    told = request.store_help
    store = STORE if told is None else Field("store", str, True, STORE.asked.but(help=told), None)
    return (
        JSON,
        *([EVENTS] if request.tells_events else []),
        *([store] if request.uses_store else []),
        *([TAG] if request.keeps_runs else []),
    )

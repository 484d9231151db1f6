"""Options that every verb has for where its answer goes, each told once."""

from __future__ import annotations

from plimsoll.cli.place import Form
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Field, Request, fields_of

JSON = Field(
    "json",
    bool,
    False,
    Asked("json", "Print one JSON document on standard output, and nothing else there.", group="Output"),
    False,
)
FORMAT = Field(
    "form",
    Form,
    True,
    Asked(
        "format", "For people; or as data: csv, ndjson, or json as by --json.", shown="table", group="Output"
    ),
    None,
)
TABLE = Field(
    "table",
    str,
    True,
    Asked("table", "Which table, with --format csv or ndjson.", metavar="NAME", shown="", group="Output"),
    None,
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
        "Where runs are kept: a file or a postgresql:// URL.",
        metavar="PLACE",
        shown="",
        group="Output",
    ),
    None,
)


TAG = Field("tag", tuple[str, ...], False, shared.TAG, ())


def options_of(request: type[Request]) -> tuple[Field, ...]:
    """What says where the answer goes, and how; a request may tell otherwise what the store means to it, and may have a
    `--format` of its own, for files.
    """
    words = {field.asked.word for field in fields_of(request)}
    told = request.store_help
    store = STORE if told is None else Field("store", str, True, STORE.asked.but(help=told), None)
    return (
        JSON,
        *([] if "format" in words else [FORMAT]),
        *([] if request.tables == () else [TABLE]),
        *([EVENTS] if request.tells_events else []),
        *([store] if request.uses_store else []),
        *([TAG] if request.keeps_runs else []),
    )

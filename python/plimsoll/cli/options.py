"""Options that several verbs share, each defined once."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.place import Form

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else there.")
]
Format = Annotated[
    Form | None,
    typer.Option(
        "--format",
        metavar="FORM",
        help="table, for people; or data: csv, ndjson, or json as by --json.",
        show_default=False,
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        help="Which table, with --format csv or ndjson.",
        show_default=False,
    ),
]
Events = Annotated[
    str | None,
    typer.Option(
        "--events",
        metavar="FILE|-",
        help="Write live events as NDJSON; - is standard error.",
        show_default=False,
    ),
]
StorePlace = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="PLACE", help="Run repository: a file or a postgresql:// URL.", show_default=False
    ),
]

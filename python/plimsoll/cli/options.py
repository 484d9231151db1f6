"""Options that several verbs share, each defined once."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else there.")
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

"""The verb `report`: a run as one page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli import options
from plimsoll.cli.output import say


def command(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Run id, its unique beginning, or latest.", show_default=False),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", readable=False, help="Where the page goes.")
    ] = Path("report.html"),
    json: options.Json = False,
    store: options.StorePlace = None,
) -> int:
    """Write a stored run as one HTML page."""
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session
    from plimsoll.flows.report import write_report

    with session(Place(json, store=store)) as here:
        stored = here.ctx.store.load(run)
        page = write_report(stored, out)
        data = {"run": stored.id, "path": str(page.path), "bytes": page.size_bytes}
        return here.finish("report", data, lambda: say(page.path))

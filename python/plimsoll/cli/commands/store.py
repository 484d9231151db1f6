"""The verbs of `store`: look at what was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from plimsoll.cli import options
from plimsoll.cli.output import say

command = typer.Typer(help="Look at stored runs.", no_args_is_help=True, rich_markup_mode=None)

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="Run id, its unique beginning, or latest.", show_default=False)
]


@command.command("list")
def list_runs(
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Newest so many.", show_default="all")
    ] = None,
    json: options.Json = False,
    store: options.StorePlace = None,
) -> int:
    """List stored runs, newest first."""
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session

    with session(Place(json, store=store)) as here:
        found = here.ctx.store.summaries(limit)

        def show() -> None:
            from plimsoll.cli.show import show_summaries

            show_summaries(found)

        return here.finish("store-list", {"runs": [run.model_dump(mode="json") for run in found]}, show)


@command.command("show")
def show_run(run: Run, json: options.Json = False, store: options.StorePlace = None) -> int:
    """Show one stored run."""
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session

    with session(Place(json, store=store)) as here:
        stored = here.ctx.store.load(run)

        def show() -> None:
            from plimsoll.cli.show import show_any

            show_any(stored)

        return here.finish("run", stored.model_dump(mode="json"), show, stored.notes)


@command.command("export")
def export_run(
    run: Run,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", readable=False, help="Folder for the files.")
    ] = Path(),
    file_format: Annotated[
        Literal["json", "csv", "parquet"], typer.Option("--format", help="File format.")
    ] = "json",
    escape_formulas: options.EscapeFormulas = False,
    json: options.Json = False,
    store: options.StorePlace = None,
) -> int:
    """Write one stored run as files for other tools."""
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session
    from plimsoll.flows.export import export

    with session(Place(json, store=store)) as here:
        written = export(here.ctx.store.load(run), file_format, out, escape_formulas)
        data = {"run": run, "files": [str(path) for path in written]}

        def show() -> None:
            for path in written:
                say(path)

        return here.finish("store-export", data, show)

"""The verbs of `store`: look at what was kept, and remove it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from plimsoll.base.units import parse_seconds
from plimsoll.cli import options
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.session import Session
    from plimsoll.flows.remove import Removal

command = typer.Typer(
    help="Look at stored runs, and remove them.", no_args_is_help=True, rich_markup_mode=None
)

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


DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say which runs would be removed.")]


@command.command("delete")
def delete_runs(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Run ids, their unique beginnings, or latest.", show_default=False
        ),
    ],
    dry_run: DryRun = False,
    json: options.Json = False,
    store: options.StorePlace = None,
) -> int:
    """Remove stored runs for good: all that are named, or none."""
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session
    from plimsoll.flows.remove import remove

    with session(Place(json, store=store)) as here:
        return _say_removed(here, "store-delete", remove(here.ctx, runs, dry_run))


@command.command("prune")
def prune_runs(
    older_than: Annotated[
        float,
        typer.Option(
            "--older-than",
            metavar="AGE",
            parser=parse_seconds,
            help="Runs that began longer ago, such as 90d or 12h.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="Only runs of this kind, as store list shows it.", show_default="all"),
    ] = None,
    dry_run: DryRun = False,
    json: options.Json = False,
    store: options.StorePlace = None,
) -> int:
    """Remove stored runs of a certain age for good."""
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session
    from plimsoll.flows.remove import prune

    with session(Place(json, store=store)) as here:
        return _say_removed(here, "store-prune", prune(here.ctx, older_than, kind, dry_run))


def _say_removed(here: Session, kind: str, removal: Removal) -> int:
    from plimsoll.base.units import format_bytes

    data = {"removed": [run.id for run in removal.runs], "freed_bytes": removal.freed_bytes}
    data["dry_run"] = bool(removal.runs) and removal.freed_bytes is None

    def show() -> None:
        for run in removal.runs:
            say(f"{run.id}  {run.kind}  {run.started_at:%Y-%m-%d %H:%M}  {run.title}")
        count = f"{len(removal.runs):,} run{'' if len(removal.runs) == 1 else 's'}"
        if not removal.runs:
            say("no run is that old")
        elif removal.freed_bytes is None:
            say(f"{count} would be removed")
        else:
            say(f"{count} removed, {format_bytes(removal.freed_bytes)}")

    return here.finish(kind, data, show)

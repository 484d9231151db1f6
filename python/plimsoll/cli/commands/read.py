"""The verb `read`: reports of databases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from plimsoll.cli import options

if TYPE_CHECKING:
    from plimsoll.cli.session import Session


def command(
    typed: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Reports, folders of them, or archives: .gz, .zip, .tar, .tar.gz. - is standard input.",
            show_default=False,
            readable=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write all tables into this folder: a new or empty one, or one of an earlier read, which is replaced.",
            show_default=False,
            readable=False,
        ),
    ] = None,
    file_format: Annotated[
        Literal["parquet", "csv", "json"],
        typer.Option(
            "--format",
            help="Parquet datasets parted by database, a CSV file per table, or a JSON file per report.",
        ),
    ] = "parquet",
    escape_formulas: options.EscapeFormulas = False,
    section: Annotated[
        list[str],
        typer.Option(
            "--section",
            metavar="NAME",
            help="Print the rows of this table; with --out, write it alone. May be given several times.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer copies it
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print every table that is made, with columns and units, and end."),
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep each report as a run in the store.")] = False,
    json: options.Json = False,
    events: options.Events = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="PLACE",
            help="Keep each report as a run there: a file or a postgresql:// URL.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Read Statspack and AWR reports.

    The kind is found from the content. What cannot be read is named with its reason, and the others are read.
    """
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session

    if schema:
        refuse_idle(
            typed,
            "with --schema",
            "paths",
            "out",
            "file_format",
            "escape_formulas",
            "section",
            "keep",
            "store",
        )
    if out is None:
        refuse_idle(typed, "without --out", "file_format")
    with session(Place(json, events, store)) as here:
        if schema:
            return _show_schema(here)
        from plimsoll.cli import output
        from plimsoll.cli.read_data import document
        from plimsoll.cli.show_read import show_read, unreadable
        from plimsoll.flows.read import ReadRequest, read_reports

        kept = keep or store is not None
        outcome = read_reports(
            here.ctx, ReadRequest(tuple(paths or ()), out, file_format, tuple(section), kept, escape_formulas)
        )
        here.end_progress()
        for error in unreadable(outcome):
            output.fail(error)
        data = output.JsonText(document(outcome))
        # People see doubts beside their reports, unless they asked for rows alone.
        notes = (*outcome.notes, *outcome.doubts) if json or outcome.rows else outcome.notes
        return here.finish("read", data, lambda: show_read(outcome), notes, outcome.status)


def _show_schema(here: Session) -> int:
    from plimsoll.cli.show_read import show_schema
    from plimsoll.reports.schema import schema

    found = schema()
    return here.finish("read-schema", {"tables": found}, lambda: show_schema(found))

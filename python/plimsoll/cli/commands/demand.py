"""The verb `demand`: what a database asks of storage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
            help="Statspack and AWR reports, folders of them, or archives, in place of a live database. - is standard input.",
            show_default=False,
            readable=False,
        ),
    ] = None,
    database: options.DatabaseUrl = None,
    seconds: options.Seconds = 30.0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            readable=False,
            help="Write the demand as JSON, for assess --demand.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Learn what a database asks of storage.

    Counters of a live database are read each second and turned into demand by class; a report gives one interval.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows.demand import learn_demand, write_demand

    if paths:
        refuse_idle(typed, "with reports", "seconds")
    with session(json, events, store) as here:
        if paths:
            return _of_reports(here, paths, database, out)
        run = learn_demand(here.ctx, database, seconds, ask_password)
        assert run.demand is not None, "a demand run has a demand"
        if out is not None:
            write_demand(run.demand, out)

        def show() -> None:
            from plimsoll.cli.show import show_demand

            show_demand(run)

        gaps = any(interval.gap for interval in run.demand.intervals)
        status = ExitStatus.DONE_IN_PART if gaps or run.demand.peak is None else ExitStatus.DONE
        data = {"run": run.id, **run.demand.model_dump(mode="json")}
        return here.finish(
            "demand", data, show, run.notes, ExitStatus.INTERRUPTED if run.interrupted else status
        )


def _of_reports(here: Session, paths: list[Path], database: str | None, out: Path | None) -> int:
    from plimsoll.base.errors import UsageError
    from plimsoll.cli import output
    from plimsoll.cli.show_read import unread
    from plimsoll.cli.show_reported import show_reported
    from plimsoll.flows.demand import write_demand
    from plimsoll.flows.demand_reports import demand_of_reports, keep_demand

    if database is not None:
        raise UsageError(
            "demand-source",
            "both reports and --database were given",
            "Name reports, or a live database with --database.",
        )
    found = demand_of_reports(here.ctx, paths)
    here.end_progress()
    for error in unread(found.unread):
        output.fail(error)
    if out is not None and found.demand.intervals:
        write_demand(found.demand, out)
    run = keep_demand(here.ctx, found)
    stored = () if run is None else tuple(note for note in run.notes if note.code == "not-stored")
    data = {"run": None if run is None else run.id, **found.demand.model_dump(mode="json")}
    notes = (*found.notes, *found.demand.notes, *stored)
    return here.finish("demand", data, lambda: show_reported(found.demand, run), notes, found.status)

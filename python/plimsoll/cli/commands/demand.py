"""The verb `demand`: what a database asks of storage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli import options


def command(
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
    """Learn what a live database asks of storage.

    Counters are read each second and turned into demand by class.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.demand import learn_demand, write_demand

    with session(json, events, store) as here:
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

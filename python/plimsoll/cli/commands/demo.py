"""The verb `demo`: the main job from end to end, on this machine alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.cli import options
from plimsoll.cli.output import say


def command(
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            readable=False,
            help="Where scratch file and database go.",
            show_default="PLIMSOLL_SCRATCH or here",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", readable=False, help="Where the report goes.")
    ] = Path("plimsoll-demo.html"),
    slo: options.Slo = DEFAULT_SLO,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Do the main job once, on this machine alone.

    Measures storage, drives a PostgreSQL of its own beside it, judges, and writes the report.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.session import session
    from plimsoll.flows.demo import DemoRequest, demo

    with session(json, events, store) as here:
        shown = demo(here.ctx, DemoRequest(folder=folder, out=out, slo=slo))

        def show() -> None:
            from plimsoll.cli.show import show_verdict

            show_verdict(shown.run)
            say(shown.page)

        verdict = shown.run.verdict
        data = {
            "run": shown.run.id,
            "report": str(shown.page),
            "verdict": verdict and verdict.model_dump(mode="json"),
        }
        status = ExitStatus.INTERRUPTED if shown.run.interrupted else ExitStatus.DONE
        return here.finish("demo", data, show, shown.run.notes, status)

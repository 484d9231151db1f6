"""The verb `assess`: does this storage carry that database?"""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.cli import options


def command(
    typed: typer.Context,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="TARGET",
            help="Storage to judge: a folder on it, a file, or a device.",
            show_default=False,
        ),
    ],
    demand: options.DemandPlace = None,
    database: options.DatabaseUrl = None,
    seconds: options.Seconds = 30.0,
    slo: options.Slo = DEFAULT_SLO,
    burst_factor: Annotated[
        float | None,
        typer.Option(
            "--burst-factor",
            min=1.0,
            help="True peak over the busiest interval, where intervals are long.",
            show_default=False,
        ),
    ] = None,
    jobs: options.Jobs = 1,
    engine: options.Engine = "auto",
    size: options.Size = None,
    trial: options.Trial = None,
    repeats: options.Repeats = 5,
    direct: options.Direct = True,
    prefill: options.Prefill = False,
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    seed: options.Seed = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Judge whether storage carries a demand.

    The line is measured at the demand's own mix; headroom is the line over the highest demand.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.finish import verdict_status
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows.assess import AssessRequest, assess
    from plimsoll.flows.demand import demand_for
    from plimsoll.requests.line import LineRequest

    if demand is not None:
        refuse_idle(typed, "with --demand", "seconds")
    line = LineRequest(
        target=target,
        slo=slo,
        jobs=jobs,
        engine=engine,
        bytes_wanted=size,
        trial_s=trial,
        trials_confirm=repeats,
        direct=direct,
        prefill=prefill,
        destroy=tuple(destroy),
        seed=seed,
    )
    with session(json, events, store) as here:
        asked = AssessRequest(
            demand_for(here.ctx, demand, database, seconds, burst_factor, ask_password), line
        )
        run = assess(here.ctx, asked)
        assert run.verdict is not None, "an assess run has a verdict"

        def show() -> None:
            from plimsoll.cli.show import show_verdict

            show_verdict(run)

        data = {"run": run.id, **run.verdict.model_dump(mode="json")}
        status = ExitStatus.INTERRUPTED if run.interrupted else verdict_status(run.verdict)
        return here.finish("assess", data, show, run.notes, status)

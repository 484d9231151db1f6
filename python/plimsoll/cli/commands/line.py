"""The verb `line`: the highest rate at which the objective still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, DEFAULT_SLO
from plimsoll.cli import options

if TYPE_CHECKING:
    from plimsoll.context import Context
    from plimsoll.facts import Workload


def command(
    typed: typer.Context,
    target: options.Target,
    slo: options.Slo = DEFAULT_SLO,
    rw: options.Rw = "randread",
    block: options.Block = DEFAULT_BLOCK_BYTES,
    read_share: options.ReadShare = None,
    demand: options.DemandPlace = None,
    jobs: options.Jobs = 1,
    engine: options.Engine = "auto",
    size: options.Size = None,
    trial: options.Trial = None,
    repeats: options.Repeats = 5,
    direct: options.Direct = True,
    merge: options.Merge = False,
    prefill: options.Prefill = False,
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="WHAT[=RATE]",
            help="Runs along uncounted: backup or rebuild, at full speed or a rate like backup=200m.",
            show_default=False,
        ),
    ] = None,
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    seed: options.Seed = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Find the highest rate that keeps an objective.

    Arrivals come at a rate whatever became of the earlier ones, and latency counts from when each was due.
    """
    from plimsoll.cli.finish import line_status
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows.line import LineRequest, measure_line

    if demand is not None:
        refuse_idle(typed, "with --demand, which brings its own mix", "rw", "block", "read_share")
    with session(json, events, store) as here:
        asked = LineRequest(
            target=target,
            slo=slo,
            rw=_mixed(rw, read_share),
            block_bytes=block,
            read_share=read_share,
            mix=_mix(here.ctx, demand),
            jobs=jobs,
            engine=engine,
            bytes_wanted=size,
            trial_s=trial,
            trials_confirm=repeats,
            direct=direct,
            merge=merge,
            prefill=prefill,
            beside=beside,
            destroy=tuple(destroy),
            seed=seed,
        )
        run = measure_line(here.ctx, asked)
        assert run.line is not None, "a line run has a line"

        def show() -> None:
            from plimsoll.cli.show import show_line

            show_line(run)

        data = {"run": run.id, **run.line.model_dump(mode="json")}
        return here.finish("line", data, show, run.notes, line_status(run.line))


def _mixed(rw: str, read_share: float | None) -> str:
    """`--read-share 0.8` alone means a random mix."""
    return "randrw" if rw == "randread" and read_share not in (None, 1.0) else rw


def _mix(ctx: Context, demand: str | None) -> Workload | None:
    """The demand's own mix, when one was named."""
    if demand is None:
        return None
    from plimsoll.flows.demand import load_demand, mix_of

    return mix_of(load_demand(ctx, demand))

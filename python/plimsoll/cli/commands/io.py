"""The verb `io`: one workload cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, WARM_UP_S
from plimsoll.cli import options

if TYPE_CHECKING:
    from plimsoll.flows.io import IoRequest


def command(
    typed: typer.Context,
    target: options.Target,
    rw: options.Rw = "randread",
    block: options.Block = DEFAULT_BLOCK_BYTES,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth",
            min=1,
            max=65536,
            help="I/Os in flight per job.",
            show_default="32; for log-write 1; at a rate, as many as it takes",
        ),
    ] = None,
    jobs: options.Jobs = 1,
    engine: options.Engine = "auto",
    runtime: options.Runtime = 5.0,
    size: options.Size = None,
    read_share: options.ReadShare = None,
    rate: options.Rate = None,
    arrivals: Annotated[
        Literal["poisson", "uniform"], typer.Option("--arrivals", help="How arrivals are spaced at a rate.")
    ] = "poisson",
    warm_up: options.WarmUp = WARM_UP_S,
    direct: options.Direct = True,
    merge: options.Merge = False,
    prefill: options.Prefill = False,
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    check: options.Check = None,
    fill: Annotated[
        str | None,
        typer.Option(
            "--fill",
            metavar="LEVELS",
            help="With --check steady, on an empty device: measure when it is so full in percent, such as 50,80,95.",
            show_default=False,
        ),
    ] = None,
    repeats: options.Runs = 1,
    precondition: options.Precondition = False,
    seed: options.Seed = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Measure one workload: rate, latency and cost."""
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.finish import checks_status, failed
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows.io import IoRequest, measure_io

    if rate is None:
        refuse_idle(typed, "without --rate", "arrivals")
    asked = IoRequest(
        target=target,
        rw=rw,
        block_bytes=block,
        depth=depth,
        jobs=jobs,
        engine=engine,
        runtime_s=runtime,
        warm_up_s=warm_up,
        bytes_wanted=size,
        read_share=read_share,
        rate_per_s=rate,
        arrivals=arrivals,
        direct=direct,
        merge=merge,
        prefill=prefill,
        destroy=tuple(destroy),
        check=check,
        repeats=repeats,
        precondition=precondition,
        seed=seed,
    )
    if fill is not None:
        return _fill(typed, asked, fill, (json, events, store))
    with session(json, events, store) as here:
        run = measure_io(here.ctx, asked)
        cell = run.cell
        assert cell is not None, "an io run has a cell"
        lost = any(one.errors for one in (cell, *run.cells)) or failed(run.notes)
        status = ExitStatus.WORLD_FAILED if lost else checks_status(cell.checks)

        def show() -> None:
            from plimsoll.cli.show import show_cell

            show_cell(run)

        data = {
            "run": run.id,
            **cell.model_dump(mode="json"),
            "target": run.target and run.target.model_dump(mode="json"),
        }
        return here.finish("io", data, show, run.notes, ExitStatus.INTERRUPTED if run.interrupted else status)


def _fill(
    typed: typer.Context, asked: IoRequest, levels: str, place: tuple[bool, str | None, str | None]
) -> int:
    """The same workload at each level of fill."""
    from plimsoll.base.errors import ExitStatus, UsageError
    from plimsoll.cli.finish import checks_status, failed
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.cli.show_fill import fill_data, show_fill
    from plimsoll.flows.io_fill import FillRequest, measure_fill
    from plimsoll.supply.fill_levels import parse_levels

    if asked.check != "steady":
        raise UsageError(
            "option-idle",
            "--fill would have no effect without --check steady",
            "Give it, or leave --fill out.",
        )
    refuse_idle(typed, "with --fill", "prefill", "destroy", "repeats", "precondition")
    with session(*place) as here:
        run = measure_fill(here.ctx, FillRequest(asked, parse_levels(levels)))
        found = run.fill
        assert found is not None, "a run with levels of fill has them"
        cells = [level.cell for level in found.levels]
        status = checks_status(check for cell in cells for check in cell.checks)
        if any(cell.errors for cell in cells) or failed(run.notes):
            status = ExitStatus.WORLD_FAILED
        if run.interrupted:
            status = ExitStatus.INTERRUPTED
        return here.finish("io-fill", fill_data(run), lambda: show_fill(run), run.notes, status)

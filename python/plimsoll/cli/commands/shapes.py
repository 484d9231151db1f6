"""The verb `shapes`: what the parts of a database do to each other on one storage."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, WARM_UP_S
from plimsoll.base.units import parse_rate
from plimsoll.cli import options


def command(
    target: options.Target,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="TARGET",
            help="Where the log writer writes; else a region or scratch file of its own.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="A,B",
            help="Shapes to measure, for example oltp-readers,scans.",
            show_default="all that the target allows",
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            "--rate",
            metavar="SHAPE=N,…",
            help="What a shape asks for per second where its latency is looked at.",
            show_default="--share of its rate alone",
        ),
    ] = None,
    share: Annotated[
        float,
        typer.Option(
            "--share", min=0.01, max=0.95, help="Share of its rate alone that a shape asks for, else."
        ),
    ] = 0.5,
    readers: Annotated[
        int, typer.Option("--readers", min=1, max=256, help="Sessions that wait for each single block.")
    ] = 8,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=1024, help="I/Os in flight of the other random clients.")
    ] = 32,
    streams: Annotated[int, typer.Option("--streams", min=1, max=64, help="Scans at the same time.")] = 4,
    block: options.Block = DEFAULT_BLOCK_BYTES,
    runtime: options.Runtime = 5.0,
    warm_up: options.WarmUp = WARM_UP_S,
    size: options.Size = None,
    engine: options.Engine = "auto",
    direct: options.Direct = True,
    prefill: options.Prefill = False,
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    seed: options.Seed = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Measure what database clients do to each other.

    Readers, scans, checkpoints and the log, each alone and beside each other. The measured time is that of each combination.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.finish import checks_status, failed
    from plimsoll.cli.session import session
    from plimsoll.flows.shapes import ShapesRequest, measure_shapes
    from plimsoll.supply.shapes import Sizes

    asked = ShapesRequest(
        target=target,
        log=log,
        only=_names(only),
        sizes=Sizes(block, readers, depth, streams),
        rate_share=share,
        rates_per_s=_rates(rate),
        runtime_s=runtime,
        warm_up_s=warm_up,
        bytes_wanted=size,
        engine=engine,
        direct=direct,
        prefill=prefill,
        destroy=tuple(destroy),
        seed=seed,
    )
    with session(json, events, store) as here:
        run = measure_shapes(here.ctx, asked)
        found = run.interference
        assert found is not None, "a shapes run has an interference matrix"
        lost = failed(run.notes) or any(one.cell.errors for one in found.encounters)
        checks = [check for one in found.encounters for check in one.cell.checks]
        status = ExitStatus.WORLD_FAILED if lost else checks_status(checks)

        def show() -> None:
            from plimsoll.cli.show_shapes import show_shapes

            show_shapes(run)

        data = {"run": run.id, **found.model_dump(mode="json")}
        return here.finish(
            "shapes", data, show, run.notes, ExitStatus.INTERRUPTED if run.interrupted else status
        )


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _rates(text: str | None) -> dict[str, float]:
    """`oltp-readers=2k,scans=500` by the shapes' names. Raises UsageError `rate-unreadable`."""
    rates = {}
    for term in _names(text):
        name, equals, rate = term.partition("=")
        per_s = parse_rate(rate) if equals else 0.0
        if per_s <= 0:
            hint = "Write it like oltp-readers=2k,scans=500."
            raise UsageError("rate-unreadable", f"cannot read '{term}' as the rate of a shape", hint)
        rates[name.strip().replace("-", "_")] = per_s
    return rates

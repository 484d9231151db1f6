"""The verb `calibrate`: ORION's matrix of small and large loads in long words, and what CALIBRATE_IO would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.base.limits import CALIBRATE_POINT_S, DEFAULT_BLOCK_BYTES
from plimsoll.base.units import parse_bytes, parse_seconds
from plimsoll.cli import options

if TYPE_CHECKING:
    from plimsoll.context import Context
    from plimsoll.facts import Run
    from plimsoll.flows.calibrate import CalibrateRequest

_LARGE_BYTES = 1 << 20
_REPEATS = 5
_MAX_LATENCY_S = 0.02


def _size(text: Any) -> Any:
    return parse_bytes(text) if isinstance(text, str) else text


def _time(text: Any) -> Any:
    return parse_seconds(text) if isinstance(text, str) else text


def command(
    typed: typer.Context,
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET…",
            help="Files, block devices, folders (scratch files are made in them), or sim:mean=100us; several are one volume.",
            show_default=False,
        ),
    ],
    shape: Annotated[
        Literal["simple", "normal", "dss", "oltp", "custom"] | None,
        typer.Option(
            "--shape",
            help="ORION's kinds of run: simple and normal have small and large I/Os, oltp only small, dss only large ones.",
            show_default="simple",
        ),
    ] = None,
    matrix: Annotated[
        Literal["basic", "detailed", "point", "row", "col", "max", "adaptive"] | None,
        typer.Option(
            "--matrix",
            help="Which points: adaptive chooses them where the curve bends, the others are ORION's grids.",
            show_default="adaptive; with --shape that shape's own grid",
        ),
    ] = None,
    disks: Annotated[
        int | None,
        typer.Option(
            "--disks",
            min=1,
            max=10_000,
            help="Disks behind the targets; they set the range of a grid.",
            show_default="as many as targets",
        ),
    ] = None,
    small_block: Annotated[
        int,
        typer.Option(
            "--small-block", parser=_size, metavar="SIZE", help="Size of a small I/O.", show_default="8k"
        ),
    ] = DEFAULT_BLOCK_BYTES,
    large_block: Annotated[
        int,
        typer.Option(
            "--large-block", parser=_size, metavar="SIZE", help="Size of a large I/O.", show_default="1m"
        ),
    ] = _LARGE_BYTES,
    large_pattern: Annotated[
        Literal["random", "sequential"],
        typer.Option("--large-pattern", help="Large I/Os at random places, or in streams."),
    ] = "random",
    streams_depth: Annotated[
        int, typer.Option("--streams-depth", min=1, max=1024, help="I/Os outstanding of each stream.")
    ] = 4,
    small_depth: Annotated[
        int | None,
        typer.Option(
            "--small-depth",
            min=0,
            max=65536,
            help="Small I/Os outstanding: fixed for point and col, the most for max and adaptive.",
            show_default=False,
        ),
    ] = None,
    large_depth: Annotated[
        int | None,
        typer.Option(
            "--large-depth",
            min=0,
            max=8192,
            help="Large I/Os outstanding, or streams: fixed for point and row, the most for max and adaptive.",
            show_default=False,
        ),
    ] = None,
    write_share: Annotated[
        float,
        typer.Option(
            "--write-share",
            min=0.0,
            max=1.0,
            help="Writes as a share of I/Os; of streams, each of which reads or writes.",
        ),
    ] = 0.0,
    volume: Annotated[
        Literal["concat", "raid0"],
        typer.Option("--volume", help="Several targets: one behind the other, or striped."),
    ] = "concat",
    stripe: Annotated[
        int,
        typer.Option("--stripe", parser=_size, metavar="SIZE", help="Depth of a stripe.", show_default="1m"),
    ] = _LARGE_BYTES,
    runtime: Annotated[
        float,
        typer.Option(
            "--runtime",
            parser=_time,
            metavar="TIME",
            help="Measured time of each point; adaptive also takes shorter looks.",
            show_default="5s",
        ),
    ] = CALIBRATE_POINT_S,
    cache_size: Annotated[
        int | None,
        typer.Option(
            "--cache-size",
            parser=_size,
            metavar="SIZE",
            help="Random I/O of so many bytes before each point with streams, so that no cache knows them; 0 for none.",
            show_default="for twice the time of the point",
        ),
    ] = None,
    like: Annotated[
        Literal["calibrate-io"] | None,
        typer.Option("--like", help="Answer as Oracle's CALIBRATE_IO does.", show_default=False),
    ] = None,
    max_latency: Annotated[
        float | None,
        typer.Option(
            "--max-latency",
            parser=_time,
            metavar="TIME",
            help="With --like: highest mean latency of small reads.",
            show_default="20ms",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats", min=1, max=100, help="With --like: whole runs, for the spread.", show_default="5"
        ),
    ] = None,
    spindles: Annotated[
        int | None,
        typer.Option(
            "--spindles",
            min=1,
            max=100_000,
            help="Disks that were paid for: says what they ought to give.",
            show_default=False,
        ),
    ] = None,
    disk_type: Annotated[
        Literal["sata", "sas", "10k", "15k", "ssd", "nvme"] | None,
        typer.Option("--disk-type", help="Their kind.", show_default=False),
    ] = None,
    raid: Annotated[
        Literal["raid0", "raid1", "raid10", "raid5", "raid6", "raid-dp", "asm-normal", "asm-high"],
        typer.Option("--raid", help="How they are bound together."),
    ] = "raid0",
    size: options.Size = None,
    engine: options.Engine = "auto",
    check: Annotated[
        Literal["cache"] | None,
        typer.Option(
            "--check",
            help="Measure more, to see whether a cache answered.",
            show_default="only what costs nothing",
        ),
    ] = None,
    direct: options.Direct = True,
    merge: options.Merge = False,
    prefill: options.Prefill = False,
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    seed: options.Seed = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Find what storage gives at each load, and its knee.

    Small random I/Os and large ones are kept outstanding in rising numbers, apart and beside each other, as by ORION.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.calibrate import CalibrateRequest

    asked = CalibrateRequest(
        targets=tuple(targets),
        shape=shape or "simple",
        matrix=matrix or (None if shape else "adaptive"),
        disks=disks,
        small_bytes=small_block,
        large_bytes=large_block,
        large_pattern=large_pattern,
        streams_depth=streams_depth,
        small_depth=small_depth,
        large_depth=large_depth,
        write_share=write_share,
        volume=volume,
        stripe_bytes=stripe,
        duration_s=runtime,
        cache_bytes=cache_size,
        engine=engine,
        direct=direct,
        merge=merge,
        check_cache=check == "cache",
        bytes_wanted=size,
        prefill=prefill,
        destroy=tuple(destroy),
        seed=seed,
        spindles=spindles,
        disk_type=disk_type,
        raid=raid,
    )
    _refuse_idle(typed, asked, like)
    _check(like, {"--max-latency": max_latency, "--repeats": repeats}, {"--shape": shape, "--matrix": matrix})
    with session(json, events, store) as here:
        if like is None:
            run = _calibrated(here.ctx, asked)
        else:
            run = _answered(here.ctx, asked, max_latency, repeats)

        def show() -> None:
            from plimsoll.cli.show_calibration import show_calibration

            show_calibration(run)

        from plimsoll.cli.calibration_data import calibration_data

        return here.finish("calibrate", calibration_data(run), show, run.notes, calibration_status(run))


def _refuse_idle(typed: typer.Context, asked: CalibrateRequest, like: str | None) -> None:
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.flows.calibrate import matrix_of

    if asked.large_pattern != "sequential":
        refuse_idle(typed, "without --large-pattern sequential", "streams_depth", "cache_size")
    if asked.volume == "concat":
        refuse_idle(typed, "without --volume raid0", "stripe")
    if asked.spindles is None:
        refuse_idle(typed, "without --spindles", "raid")
    if like is None and matrix_of(asked) == "adaptive":
        refuse_idle(typed, "on adaptive points; give a --shape or a --matrix", "disks")


def _check(like: str | None, its_own: dict[str, Any], others: dict[str, Any]) -> None:
    """Options that would be without effect are refused."""
    idle = [name for name, value in (its_own if like is None else others).items() if value is not None]
    if idle:
        when = "without" if like is None else "with"
        raise UsageError(
            "calibrate-unfit",
            f"{' and '.join(idle)} would have no effect {when} --like",
            "Leave one of them out.",
        )


def _calibrated(ctx: Context, asked: CalibrateRequest) -> Run:
    from plimsoll.flows.calibrate import calibrate

    return calibrate(ctx, asked)


def _answered(ctx: Context, asked: CalibrateRequest, max_latency_s: float | None, repeats: int | None) -> Run:
    from plimsoll.flows.calibrate_io import CalibrateIoRequest, measure_calibrate_io

    max_latency_us = 1e6 * (_MAX_LATENCY_S if max_latency_s is None else max_latency_s)
    return measure_calibrate_io(ctx, CalibrateIoRequest(asked, max_latency_us, repeats or _REPEATS))


def calibration_status(run: Run) -> ExitStatus:
    """4 when I/Os failed, 1 when a check says that figures are not the storage's or no load kept the latency bound."""
    from plimsoll.supply.checks import deciding

    found = run.calibration
    assert found is not None, "a calibrate run has a calibration"
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(note.code == "point-failed" for note in found.notes):
        return ExitStatus.WORLD_FAILED
    checks = [check for point in found.points if point.cell for check in point.cell.checks]
    missed = found.io_calibration is not None and found.io_calibration.max_iops is None
    return ExitStatus.ANSWER_IS_NO if deciding(checks) or missed else ExitStatus.DONE

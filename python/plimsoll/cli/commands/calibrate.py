"""The verb `calibrate`: ORION's matrix of small and large loads in long words, and what CALIBRATE_IO would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.base.limits import CALIBRATE_POINT_S, DEFAULT_BLOCK_BYTES
from plimsoll.base.units import parse_bytes, parse_seconds
from plimsoll.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plimsoll.context import Context
    from plimsoll.facts import Cell, Run
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
            "--repeats",
            min=1,
            max=100,
            help="With --like: whole runs, for the spread; with --working-sets and --ladder: turns of all.",
            show_default="5; turns 3",
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
    working_sets: Annotated[
        str | None,
        typer.Option(
            "--working-sets",
            metavar="SIZES",
            help="In place of the matrix: rates over bytes visited, such as 64m,256m,1g; auto goes up to the whole target.",
            show_default=False,
        ),
    ] = None,
    ladder: Annotated[
        bool,
        typer.Option("--ladder", help="In place of the matrix: targets added one by one, and each alone."),
    ] = False,
    links: Annotated[
        str | None,
        typer.Option(
            "--links",
            metavar="LINKS",
            help="Links to the storage, such as 2x8gfc, 2x10gbe or 1xsas12g, to hold the MB/s against.",
            show_default="what the kernel tells",
        ),
    ] = None,
    copies: Annotated[
        int | None,
        typer.Option(
            "--copies",
            min=1,
            max=8,
            help="How often this host sends each write: 2 where it mirrors, as ASM with normal redundancy.",
            show_default="what md tells, else 1",
        ),
    ] = None,
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
        links=links,
        copies=copies,
    )
    _refuse_two(like, working_sets, ladder)
    _refuse_idle(typed, asked, like)
    if working_sets is not None:
        return _working_sets(typed, asked, working_sets, repeats, (json, events, store))
    if ladder:
        return _ladder(typed, asked, repeats, (json, events, store))
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
    if asked.write_share == 0:
        refuse_idle(typed, "without --write-share", "copies")
    if like is None and matrix_of(asked) == "adaptive":
        refuse_idle(typed, "on adaptive points; give a --shape or a --matrix", "disks")


def _refuse_two(like: str | None, working_sets: str | None, ladder: bool) -> None:
    """Each of them is a measurement of its own."""
    given = {"--like": like is not None, "--working-sets": working_sets is not None, "--ladder": ladder}
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise UsageError(
            "calibrate-unfit", f"{' and '.join(names)} are measurements apart", "Ask for one at a time."
        )


_OF_THE_MATRIX = (
    "shape", "matrix", "disks", "volume", "stripe", "cache_size", "streams_depth", "max_latency", "spindles", "disk_type",
    "check",
)  # fmt: skip
_Place = tuple[bool, str | None, str | None]


def _working_sets(
    typed: typer.Context, asked: CalibrateRequest, text: str, repeats: int | None, place: _Place
) -> int:
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.cli.show_working_sets import show_working_sets, working_sets_data
    from plimsoll.flows.calibrate_working_sets import REPEATS, WorkingSetsRequest, measure_working_sets

    refuse_idle(
        typed, "with --working-sets", *_OF_THE_MATRIX, "large_pattern", "large_depth", "links", "copies"
    )
    sizes = () if text == "auto" else tuple(parse_bytes(part) for part in text.split(","))
    with session(*place) as here:
        run = measure_working_sets(here.ctx, WorkingSetsRequest(asked, sizes, repeats or REPEATS))
        cells = [one.cell for one in run.working_sets.sets] if run.working_sets else []
        status = _status(run, cells, [])
        data = working_sets_data(run)
        return here.finish("calibrate-working-sets", data, lambda: show_working_sets(run), run.notes, status)


def _ladder(typed: typer.Context, asked: CalibrateRequest, repeats: int | None, place: _Place) -> int:
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.cli.show_ladder import ladder_data, show_ladder
    from plimsoll.flows.calibrate_ladder import REPEATS, LadderRequest, measure_ladder

    refuse_idle(typed, "with --ladder", *_OF_THE_MATRIX)
    with session(*place) as here:
        run = measure_ladder(here.ctx, LadderRequest(asked, repeats or REPEATS))
        curves = run.ladder.curves if run.ladder else ()
        status = _status(run, [step.cell for one in curves for step in one.steps], [])
        return here.finish("calibrate-ladder", ladder_data(run), lambda: show_ladder(run), run.notes, status)


def _status(run: Run, cells: Sequence[Cell], noes: Sequence[bool]) -> ExitStatus:
    """4 when storage failed, 1 when a figure is not the storage's or an answer is no."""
    from plimsoll.supply.checks import deciding
    from plimsoll.supply.link_bound import is_exceeded

    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(note.code == "point-failed" for note in run.notes):
        return ExitStatus.WORLD_FAILED
    links = run.links
    # Links that the user named may be others than those that are there: then only the note warns.
    beyond = links is not None and not links.stated and is_exceeded(links.used_share)
    failed = deciding(check for cell in cells for check in cell.checks)
    return ExitStatus.ANSWER_IS_NO if failed or beyond or any(noes) else ExitStatus.DONE


def _check(like: str | None, its_own: dict[str, Any], others: dict[str, Any]) -> None:
    """Options that would be without effect are refused."""
    idle = [name for name, value in (its_own if like is None else others).items() if value is not None]
    if idle:
        when = "with --like"
        if like is None:
            when = "without --like, --working-sets or --ladder" if "--repeats" in idle else "without --like"
        raise UsageError(
            "calibrate-unfit",
            f"{' and '.join(idle)} would have no effect {when}",
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
    found = run.calibration
    assert found is not None, "a calibrate run has a calibration"
    missed = found.io_calibration is not None and found.io_calibration.max_iops is None
    return _status(run, [point.cell for point in found.points if point.cell], [missed])

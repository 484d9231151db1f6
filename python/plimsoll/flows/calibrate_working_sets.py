"""`plimsoll calibrate --working-sets`: rates over how many bytes are visited, and the caches in between."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from statistics import fmean

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes, format_rate, format_us
from plimsoll.context import Context
from plimsoll.facts import Cell, Run, Target, WorkingSet, WorkingSetSweep
from plimsoll.flows.calibrate import Bench, bench, check
from plimsoll.flows.record import record
from plimsoll.native.latency import latency
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.supply.point_load import PointLoad
from plimsoll.supply.repeats import median_cell, rate_ci95
from plimsoll.supply.seeds import seed_of
from plimsoll.supply.set_run import STAGE, SetRunner
from plimsoll.supply.turns import Turns
from plimsoll.supply.working_sets import REPEATS_MIN, Cost, default_sizes, in_words, open_of, steps_of

DEPTH = 8
"""Reads outstanding where nobody says: enough to keep flash busy, few enough that a hit is not queued behind misses."""


def measure_working_sets(ctx: Context, asked: CalibrateRequest) -> Run:
    """Measures, stores and returns the run; run.working_sets is the answer.

    Ctrl-C keeps the sizes measured until then. Raises UsageError `calibrate-unfit` where words or sizes do not fit.
    """
    started_at = ctx.clock.now()
    of = _checked(asked)
    with bench(ctx, of) as on, _kept_open(on.targets):
        sizes = _sizes(of, on.targets)
        sweep, interrupted = _swept(ctx, of, on, sizes)
    return record(
        ctx,
        "calibrate",
        f"working sets on {', '.join(of.targets)}",
        started_at,
        interrupted=interrupted,
        target=on.targets[0],
        targets=on.targets if len(on.targets) > 1 else (),
        working_sets=sweep,
        notes=(*(note for target in on.targets for note in target.notes), *on.notes, *sweep.notes),
    )


@contextmanager
def _kept_open(targets: Sequence[Target]) -> Iterator[None]:
    """The kernel forgets what it has cached of a block device when the last one closes it, as each measurement would."""
    with ExitStack() as held:
        for target in targets:
            if target.kind == "device":
                held.enter_context(open(target.path, "rb"))
        yield


def _checked(asked: CalibrateRequest) -> CalibrateRequest:
    """The request as a calibration's, large enough for the largest set where a scratch file is made."""
    of = replace(asked, shape="custom", matrix="adaptive", small_depth=asked.small_depth or DEPTH)
    check(of)
    if of.write_share:
        raise UsageError(
            "calibrate-unfit",
            "working sets are read, and --write-share asks for writes",
            "Leave one of them out.",
        )
    if asked.turns < REPEATS_MIN:
        raise UsageError(
            "calibrate-unfit",
            f"{asked.turns} repeat cannot tell a cache from chance",
            f"Ask for {REPEATS_MIN} or more with --repeats.",
        )
    makes_files = all(os.path.isdir(name) for name in of.targets)
    if asked.working_sets and of.bytes_wanted is None and makes_files:
        return replace(of, bytes_wanted=-(-max(asked.working_sets) // len(of.targets)))
    return of


def _sizes(asked: CalibrateRequest, targets: tuple[Target, ...]) -> tuple[int, ...]:
    """Those asked for, in rising order, or the default ladder. Raises UsageError where one does not fit."""
    span = min(target.span_bytes for target in targets) * len(targets)
    sizes = tuple(sorted(set(asked.working_sets))) if asked.working_sets else default_sizes(span)
    least = asked.small_bytes * len(targets)
    odd = [size for size in sizes if not least <= size <= span]
    if odd:
        raise UsageError(
            "calibrate-unfit",
            f"a working set of {format_bytes(odd[0])} does not fit: the target has {format_bytes(span)}, and a read"
            f" {format_bytes(asked.small_bytes)}",
            "Name other sizes, or a larger target.",
        )
    if len(sizes) < 2:
        raise UsageError(
            "calibrate-unfit",
            f"one working set, {format_bytes(max(sizes, default=span))}, shows no step",
            "Name two sizes or more, such as --working-sets 64m,256m,1g.",
        )
    return sizes


def _swept(
    ctx: Context, of: CalibrateRequest, on: Bench, sizes: tuple[int, ...]
) -> tuple[WorkingSetSweep, bool]:
    depth = of.small_depth or DEPTH
    cost = Cost(len(sizes), of.turns, of.duration_s, sum(sizes) * of.turns)
    ctx.remark(STAGE, cost.words())
    load = PointLoad(of.small_bytes, of.large_bytes, engine=on.engine)
    plan = on.plan.but(seed=seed_of(of.seed, *of.targets), runtime_s=of.duration_s)
    runner = SetRunner(ctx, on.targets, load, plan, on.permits, depth)
    turns = Turns(sizes, runner, lambda: ctx.cancel.is_set, _teller(ctx, len(sizes) * of.turns))
    turns.make(of.turns)
    sets = tuple(_set(size, turns, runner) for size in sizes if turns.of(size))
    whole = turns.whole >= REPEATS_MIN
    steps = steps_of(sets) if whole else ()
    sweep = WorkingSetSweep(
        block_bytes=of.small_bytes,
        depth=depth,
        repeats=turns.whole,
        duration_s=of.duration_s,
        measured_s=turns.measured_s,
        read_once_s=runner.read_once_s,
        sets=sets,
        caches=steps,
        is_open=whole and open_of(sets, steps) is not None,
        reason=in_words(sets if whole else (), steps),
        notes=turns.notes,
    )
    return sweep, turns.interrupted or ctx.cancel.is_set


def _set(size: int, turns: Turns[int], runner: SetRunner) -> WorkingSet:
    cells = turns.of(size)
    rates = tuple(cell.iops for cell in cells)
    spread = latency([cell.latency_us.hdr for cell in cells if cell.latency_us.hdr])
    return WorkingSet(
        set_bytes=size,
        iops=fmean(rates),
        iops_ci95=rate_ci95(rates),
        iops_repeats=rates,
        latency_us_mean=spread.mean,
        latency_us_p50=spread.p50,
        latency_us_p99=spread.p99,
        read_once_share=runner.read_once_share.get(size),
        cell=median_cell(cells),
    )


def _teller(ctx: Context, expected: int) -> Callable[[int, Cell, int], None]:
    begun_s = ctx.clock.monotonic_s()

    def tell(size: int, cell: Cell, number: int) -> None:
        rate, half = format_rate(cell.iops), format_us(cell.latency_us.p50)
        ctx.remark(STAGE, f"within {format_bytes(size)}: {rate} IOPS, p50 {half}")
        left = expected - number
        each_s = (ctx.clock.monotonic_s() - begun_s) / number
        message = f"measurement {number} of {expected}"
        ctx.progress(STAGE, message, number / expected, each_s * left, finished=not left)

    return tell

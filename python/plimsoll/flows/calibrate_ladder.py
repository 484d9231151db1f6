"""`plimsoll calibrate --ladder`: targets added one by one, and whether together they give what each gives alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.facts import Cell, LadderCurve, LinkBound, Run, TargetLadder
from plimsoll.flows.calibrate import Bench, bench, check, links_of
from plimsoll.flows.record import record
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.supply.direct_nfs import on_server
from plimsoll.supply.ladder import REPEATS_MIN, Group, Size, curve, groups, in_unit, rate_of, with_link
from plimsoll.supply.ladder_run import STAGE, GroupRunner
from plimsoll.supply.link_bound import notes_on
from plimsoll.supply.point_load import PointLoad
from plimsoll.supply.remote import over_each_path, paths_of
from plimsoll.supply.seeds import seed_of
from plimsoll.supply.simulation import is_simulated
from plimsoll.supply.turns import Turns

SMALL_DEPTH, LARGE_DEPTH = 16, 4
_What = tuple[Size, Group]


def measure_ladder(ctx: Context, asked: CalibrateRequest) -> Run:
    """Measures, stores and returns the run; run.ladder is the answer, run.links what it is held against.

    Ctrl-C keeps the turns that had ended. Raises UsageError `calibrate-unfit` where words do not fit.
    """
    started_at = ctx.clock.now()
    of, depths = _checked(asked)
    with bench(ctx, of) as opened:
        on = _by_path(opened)
        turns = _measured(ctx, of, on, depths)
    cells = [cell for what in _plan(on, depths) for cell in turns.of(what)]
    links = links_of(of, on.targets, cells)
    found = _ladder(of, on, depths, turns, links)
    return record(
        ctx,
        "calibrate",
        f"ladder of {', '.join(of.targets)}",
        started_at,
        interrupted=turns.interrupted or ctx.cancel.is_set,
        target=on.targets[0],
        targets=on.targets,
        ladder=found,
        links=links,
        notes=(
            *(note for target in on.targets for note in target.notes),
            *on.notes,
            *found.notes,
            *notes_on(links),
        ),
    )


def _checked(asked: CalibrateRequest) -> tuple[CalibrateRequest, dict[Size, int]]:
    if len(asked.targets) < 2 and not any(
        len(paths_of(on_server(name, asked.oranfstab))) > 1 for name in asked.targets
    ):
        hint = "Name two targets or more, or a file of an NFS server with two addresses in paths= or more."
        raise UsageError("calibrate-unfit", "a ladder of one target has no step", hint)
    twice = next(
        (name for name in asked.targets if asked.targets.count(name) > 1 and not is_simulated(name)), None
    )
    if twice is not None:
        raise UsageError(
            "calibrate-unfit",
            f"{twice} is named twice, and what it gives beside itself says nothing of another",
            "Name each target once.",
        )
    if asked.large_pattern != "random":
        raise UsageError(
            "calibrate-unfit", "a ladder's I/Os are at random places", "Leave --large-pattern out."
        )
    if asked.turns < REPEATS_MIN:
        raise UsageError(
            "calibrate-unfit",
            f"{asked.turns} repeat says nothing of noise",
            f"Ask for {REPEATS_MIN} or more with --repeats.",
        )
    small = SMALL_DEPTH if asked.small_depth is None else asked.small_depth
    large = LARGE_DEPTH if asked.large_depth is None else asked.large_depth
    wanted: list[tuple[Size, int]] = [("small", small), ("large", large)]
    depths: dict[Size, int] = {size: depth for size, depth in wanted if depth}
    if not depths:
        raise UsageError(
            "calibrate-unfit",
            "neither small nor large I/Os are left",
            "Give a --small-depth or --large-depth above 0.",
        )
    of = replace(asked, shape="custom", matrix="adaptive")
    check(of)
    return of, depths


def _by_path(on: Bench) -> Bench:
    """Of one file of a server each step is one more of its addresses, each with clients of its own."""
    return replace(on, targets=over_each_path(on.targets[0])) if len(on.targets) == 1 else on


def _plan(on: Bench, depths: dict[Size, int]) -> list[_What]:
    return [(size, group) for size in depths for group in groups(len(on.targets))]


def _measured(ctx: Context, of: CalibrateRequest, on: Bench, depths: dict[Size, int]) -> Turns[_What]:
    whats = _plan(on, depths)
    expected = len(whats) * of.turns
    each = format_seconds(of.duration_s)
    ctx.remark(
        STAGE,
        f"{expected} measurements of {each}: {format_seconds(expected * (of.duration_s + on.plan.warm_up_s))}",
    )
    load = PointLoad(of.small_bytes, of.large_bytes, write_share=of.write_share, engine=on.engine)
    plan = on.plan.but(seed=seed_of(of.seed, *of.targets), runtime_s=of.duration_s)
    runner = GroupRunner(ctx, on.targets, load, plan, on.permits, depths)
    turns = Turns(whats, runner, lambda: ctx.cancel.is_set, _teller(ctx, expected))
    turns.make(of.turns)
    return turns


def _ladder(
    asked: CalibrateRequest, on: Bench, depths: dict[Size, int], turns: Turns[_What], links: LinkBound | None
) -> TargetLadder:
    return TargetLadder(
        repeats=turns.whole,
        duration_s=asked.duration_s,
        measured_s=turns.measured_s,
        write_share=asked.write_share,
        curves=tuple(_curve(asked, on, size, depth, turns, links) for size, depth in depths.items())
        if turns.whole
        else (),
        notes=turns.notes,
    )


def _curve(
    asked: CalibrateRequest, on: Bench, size: Size, depth: int, turns: Turns[_What], links: LinkBound | None
) -> LadderCurve:
    names = [target.name for target in on.targets]
    cells: dict[Group, Sequence[Cell]] = {
        group: turns.of((size, group))[: turns.whole] for group in groups(len(names))
    }
    block = asked.small_bytes if size == "small" else asked.large_bytes
    found = curve(names, cells, size, block, depth)
    return with_link(found, links) if size == "large" else found


def _teller(ctx: Context, expected: int) -> Callable[[_What, Cell, int], None]:
    begun_s = ctx.clock.monotonic_s()

    def tell(what: _What, cell: Cell, number: int) -> None:
        size, group = what
        ctx.remark(STAGE, f"{size}, {in_words(group)}: {in_unit(rate_of(cell, size), size)}")
        left = expected - number
        each_s = (ctx.clock.monotonic_s() - begun_s) / number
        message = f"measurement {number} of {expected}"
        ctx.progress(STAGE, message, number / expected, each_s * left, finished=not left)

    return tell


def in_words(group: Group) -> str:
    """`target 3`, `targets 1 to 3`."""
    if len(group) == 1:
        return f"target {group[0] + 1}"
    assert all(after == before + 1 for before, after in pairwise(group)), "groups are the first so many"
    return f"targets {group[0] + 1} to {group[-1] + 1}"

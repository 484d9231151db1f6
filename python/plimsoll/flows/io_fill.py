"""`plimsoll io --check steady --fill 50,80,95`: one workload at several levels of fill of an empty device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.limits import STEADY_ROUNDS_MAX
from plimsoll.base.units import format_share
from plimsoll.context import Context
from plimsoll.facts import Cell, FillLevel, FillSweep, Note, Plan, Run, Workload
from plimsoll.flows.io import plan_of
from plimsoll.flows.record import record
from plimsoll.host.wear import wear_of
from plimsoll.native.errors import storage_failed
from plimsoll.requests.io import IoRequest
from plimsoll.supply.checks import with_checks
from plimsoll.supply.choose import check_engine, choose_engine
from plimsoll.supply.engine import measure
from plimsoll.supply.failed_ios import Stage, with_failed_ios
from plimsoll.supply.fill import fill
from plimsoll.supply.fill_levels import in_words, parse_levels, part_of
from plimsoll.supply.steady import judge_steady, settle
from plimsoll.supply.targets import Opened, Wish, on_opened, opened_empty
from plimsoll.supply.workloads import workload

_STAGE = "io"


def measure_fill(ctx: Context, of: IoRequest) -> Run:
    """Fills the device to each level, waits until the workload within it is steady, measures it, stores and returns the run.

    Ctrl-C and a device that fails keep the levels measured until then. Raises UsageError `fill-unfit`, SafetyError.
    """
    started_at = ctx.clock.now()
    shares = parse_levels(of.fill or "")
    mix = workload(of.rw, of.block_bytes, of.read_share)
    _check(of, mix)
    wish = Wish(of.target, of.bytes_wanted, of.direct, writes=True)
    with opened_empty(ctx, wish) as made:
        choice = choose_engine(of.engine, made.target, mix)
        plan = on_opened(plan_of(of, mix, choice.engine), made)
        levels, notes = _levels(ctx, shares, made, plan)
    found = FillSweep(levels=levels, reason=in_words(levels), notes=notes)
    return record(
        ctx,
        "io",
        f"{of.rw} on {of.target} at {len(shares)} levels of fill",
        started_at,
        interrupted=ctx.cancel.is_set,
        target=made.target,
        fill=found,
        notes=(
            *made.target.notes,
            *choice.notes,
            *(note for one in levels for note in one.cell.notes),
            *notes,
        ),
    )


def _check(of: IoRequest, mix: Workload) -> None:
    check_engine(of.engine)
    if not mix.writes:
        raise UsageError(
            "fill-unfit",
            f"levels of fill matter to writes, and --rw {of.rw} only reads",
            "Choose --rw randwrite or randrw, or leave --fill out.",
        )


def _levels(
    ctx: Context, shares: Sequence[float], made: Opened, plan: Plan
) -> tuple[tuple[FillLevel, ...], tuple[Note, ...]]:
    levels: list[FillLevel] = []
    filled = 0
    for level in shares:
        part = part_of(made.target.span_bytes, level)
        try:
            filled = _filled(ctx, plan, made, filled, part)
            levels.append(_level(ctx, level, part, made, plan))
        except PlimsollError as error:
            if ctx.cancel.is_set:
                break
            if not levels:
                raise
            return tuple(levels), (storage_failed(f"it was {format_share(level)} full and measured", error),)
        if ctx.cancel.is_set or levels[-1].cell.ended_early:
            break
    return tuple(levels), ()


def _filled(ctx: Context, plan: Plan, made: Opened, filled: int, part: int) -> int:
    """Writes on from where the level before ended; the bytes that hold data now."""
    if part <= filled:
        return filled
    assert made.permit is not None, "an empty device is opened for writing"
    fill(
        ctx, Path(made.target.path), part - filled, made.permit, plan.direct, seed=1 + filled, offset_bytes=filled
    )  # fmt: skip
    return part


def _level(ctx: Context, level: float, part: int, made: Opened, plan: Plan) -> FillLevel:
    """One level: rounds until it is steady, then the cell that counts."""
    target = made.target.model_copy(update={"span_bytes": part})
    plan, wear = plan.on(target), wear_of(Path(target.path))

    rounds: list[Cell] = []

    def make_round(number: int) -> Cell:
        ctx.progress(
            _STAGE,
            f"{format_share(level)} full: round {number + 1} of at most {STEADY_ROUNDS_MAX}, until it is steady",
        )
        rounds.append(measure(plan.but(seed=plan.seed + 1 + number), made.permits, ctx.cancel, ctx.live))
        return rounds[-1]

    verdict = judge_steady(settle(make_round))
    cell = measure(plan, made.permits, ctx.cancel, ctx.live)
    judged = with_checks(cell, target, (verdict,))
    judged = with_failed_ios(judged, cell, (Stage("round", rounds), Stage("run", (cell,))))
    return FillLevel(level_share=level, filled_bytes=part, wear=wear, cell=judged)

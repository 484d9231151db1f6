"""`plimsoll io`: one workload cell on one target, from the command's options to a stored run."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.limits import OUTSTANDING_MAX, STEADY_ROUNDS_MAX, WINDOW_S_MIN
from plimsoll.context import Context
from plimsoll.facts import Arrivals, Cell, Check, Note, Plan, PlanGroup, Run, Workload
from plimsoll.flows.record import record
from plimsoll.native.engine import blocks, for_servers
from plimsoll.native.errors import STORAGE_FAILED, storage_failed
from plimsoll.requests.io import IoRequest
from plimsoll.supply.checks import active_checks, passive_checks, with_checks
from plimsoll.supply.choose import check_engine, choose_engine
from plimsoll.supply.engine import measure
from plimsoll.supply.failed_ios import Stage, with_failed_ios
from plimsoll.supply.probing import EngineProbe
from plimsoll.supply.repeats import judge_repeats, median_cell, with_outages, with_standing
from plimsoll.supply.seeds import seed_of
from plimsoll.supply.simulation import continued
from plimsoll.supply.steady import judge_preconditioning, judge_steady, preconditioning, settle
from plimsoll.supply.targets import Opened, Wish, on_opened, opened
from plimsoll.supply.workloads import is_log, workload

_STAGE = "io"
_ACTIVE = {"cache": ("cached",), "steady": (), "all": ("cached", "engine-probe", "tool-cost")}
_STEADY_ON = ("steady", "all")


def measure_io(ctx: Context, asked: IoRequest) -> Run:
    """Measures, stores and returns the run; an interrupted one holds what was measured until then."""
    started_at = ctx.clock.now()
    mix = workload(asked.rw, asked.block_bytes, asked.read_share)
    check_engine(asked.engine)
    _check_precondition(asked, mix)
    wish = wish_of(asked, mix)
    with opened(ctx, wish) as made:
        choice = choose_engine(asked.engine, made.target, mix)
        plan = on_opened(plan_of(asked, mix, choice.engine), made)
        before, stages = _settled(ctx, asked, made, plan)
        done = [cell for stage in stages for cell in stage.cells]
        plan = plan.but(simulation=continued(plan.simulation, done))
        cells, failed = _repeated(ctx, asked, made, plan)
        cell, unchecked = _believed(ctx, asked, made, plan, cells, before, stages)
    title = f"{asked.rw} on {asked.target}"
    return record(
        ctx,
        "io",
        title,
        started_at,
        interrupted=ctx.cancel.is_set or cell.ended_early == "stopped",
        target=made.target,
        cell=cell,
        cells=cells if len(cells) > 1 else (),
        notes=(*made.target.notes, *choice.notes, *cell.notes, *failed, *unchecked),
    )


def wish_of(asked: IoRequest, mix: Workload) -> Wish:
    """What a cell that was asked for needs of its target."""
    reads = mix.read_share > 0
    return Wish(
        asked.target, asked.bytes_wanted, asked.direct, mix.writes, asked.prefill, asked.destroy, reads=reads,
        merge=asked.merge, stable=asked.stable, engine=asked.engine, depth=_depth(asked, mix, for_servers()),
        block_bytes=max(io.block_bytes for io in mix.classes), path_timeout_s=asked.path_timeout_s, oranfstab=asked.oranfstab,
    )  # fmt: skip


def _check_precondition(asked: IoRequest, mix: Workload) -> None:
    if asked.precondition and not mix.writes:
        raise UsageError(
            "precondition-reads",
            f"--precondition writes the target in full, but --rw {asked.rw} only reads",
            "Leave it out, or measure a workload that writes: --rw randwrite, randrw or write.",
        )


def _settled(
    ctx: Context, asked: IoRequest, made: Opened, plan: Plan
) -> tuple[tuple[Check, ...], Sequence[Stage]]:
    """Brings the storage into its steady state where that was asked for; the verdict is whether it came there.

    What was done to it is told as well: a simulated device knows nothing of it, each of its runs being one of a new device.
    """
    if not asked.precondition and asked.check not in _STEADY_ON:
        return (), ()
    writing: list[Cell] = []
    rounds: list[Cell] = []
    written = ()
    if asked.precondition:
        writing.append(_preconditioned(ctx, made, plan))
        written = (judge_preconditioning(writing[0], preconditioning(made.target.span_bytes)[1]),)

    def make_round(number: int) -> Cell:
        message = f"round {number + 1} of at most {STEADY_ROUNDS_MAX}, until the storage is steady"
        ctx.progress(_STAGE, message)
        since = continued(plan.simulation, (*writing, *rounds))
        one = plan.but(seed=plan.seed + 1 + number, simulation=since)
        rounds.append(measure(one, made.permits, ctx.cancel, ctx.live))
        return rounds[-1]

    verdict = judge_steady(settle(make_round))
    return (*written, verdict), (Stage("preconditioning", writing), Stage("round", rounds))


def _preconditioned(ctx: Context, made: Opened, plan: Plan) -> Cell:
    fill, ios = preconditioning(made.target.span_bytes)
    ctx.progress(_STAGE, "preconditioning: the span is written twice")
    writing = PlanGroup.of(fill, plan.group.engine, depth=32)
    whole = plan.but(groups=(writing,), runtime_s=None, ios_max=ios, warm_up_s=0.0)
    return measure(whole, made.permits, ctx.cancel, ctx.live)


def _repeated(
    ctx: Context, asked: IoRequest, made: Opened, plan: Plan
) -> tuple[tuple[Cell, ...], tuple[Note, ...]]:
    """The runs, each with a seed of its own; fewer when one was interrupted or the storage failed, which a note says."""
    cells: list[Cell] = []
    for number in range(asked.repeats):
        if number and (ctx.cancel.is_set or cells[-1].ended_early):
            break
        if asked.repeats > 1:
            ctx.progress(_STAGE, f"run {number + 1} of {asked.repeats}", number / asked.repeats)
        try:
            one = plan.but(seed=plan.seed + number, simulation=continued(plan.simulation, cells))
            cells.append(measure(one, made.permits, ctx.cancel, ctx.live))
        except PlimsollError as error:
            if not cells:
                raise
            return tuple(cells), (storage_failed(f"run {number + 1} of {asked.repeats}", error),)
        if cells[-1].ended_early == "errors" and asked.repeats > 1:
            message = f"the storage failed in run {number + 1} of {asked.repeats}, which is the last one"
            return tuple(cells), (Note(code=STORAGE_FAILED, message=message),)
    return tuple(cells), ()


def _believed(
    ctx: Context,
    asked: IoRequest,
    made: Opened,
    plan: Plan,
    cells: tuple[Cell, ...],
    before: tuple[Check, ...],
    stages: Sequence[Stage],
) -> tuple[Cell, tuple[Note, ...]]:
    """The run that stands for all, with every verdict on it; a note where the storage failed while it was checked."""
    cell = median_cell(cells)
    repeats = (judge_repeats(cells, asked.repeats),) if asked.repeats > 1 else ()
    wanted = () if ctx.cancel.is_set else _ACTIVE.get(asked.check or "", ())
    if wanted:
        ctx.progress(_STAGE, f"checking: {', '.join(wanted)}")
    found, notes = (), ()
    probe = EngineProbe(made.target, cell, plan, made.permits, ctx.cancel)
    try:
        found = active_checks(wanted, probe)
    except PlimsollError as error:
        notes = (storage_failed(f"it could be checked ({', '.join(wanted)})", error),)
    judged = with_checks(cell, made.target, (*before, *repeats, *found))
    judged = with_standing(judged, cells, lambda one: passive_checks(one, made.target))
    judged = with_failed_ios(
        judged, cell, (*stages, Stage("run", cells), Stage("look of the checks", probe.made))
    )
    return with_outages(judged, cells), notes


def plan_of(asked: IoRequest, mix: Workload, engine: str) -> Plan:
    """How the cell runs that was asked for."""
    open_loop = asked.rate_per_s is not None
    arrivals = Arrivals(kind=asked.arrivals, rate_per_s=asked.rate_per_s) if open_loop else Arrivals()
    depth = _depth(asked, mix, engine)
    return Plan(
        groups=(PlanGroup.of(mix, engine, jobs=asked.jobs, depth=depth, arrivals=arrivals),),
        direct=asked.direct,
        merge=asked.merge,
        stable=asked.stable,
        path_timeout_s=asked.path_timeout_s,
        runtime_s=asked.runtime_s,
        warm_up_s=asked.warm_up_s,
        window_s=max(WINDOW_S_MIN, min(1.0, asked.runtime_s / 10)),
        seed=seed_of(asked.seed, asked.target),
    )


def _depth(asked: IoRequest, mix: Workload, engine: str) -> int:
    return asked.depth or default_depth(mix, engine, open_loop=asked.rate_per_s is not None)


def default_depth(mix: Workload, engine: str, open_loop: bool) -> int:
    """I/Os in flight where none were asked for: a log has one writer, a closed loop 32, a rate as many as it takes."""
    if is_log(mix):
        return 1
    return outstanding_max(engine) if open_loop else 32


def outstanding_max(engine: str) -> int:
    """I/Os in flight that an open loop may need; fewer where each one is a thread."""
    return 64 if blocks(engine) else OUTSTANDING_MAX

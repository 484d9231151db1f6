"""`plimsoll line`: the highest rate at which the objective still holds, on one target."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import inf

from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, DEFAULT_SLO, TRIAL_S, TRIAL_S_MAX, TRIAL_SIMULATED_IOS
from plimsoll.base.units import format_rate, format_us
from plimsoll.context import Context
from plimsoll.facts import Arrivals, Cell, Line, Live, Note, Run, Trial, Workload
from plimsoll.flows.io import default_depth
from plimsoll.flows.record import record
from plimsoll.supply.choose import AUTO, check_engine, choose_engine
from plimsoll.supply.engine import Plan, measure
from plimsoll.supply.line import Measure, Search, find_line
from plimsoll.supply.slo import check_classes, parse_slo
from plimsoll.supply.targets import Opened, Wish, opened
from plimsoll.supply.workloads import workload

_PROBE_S = 1.0
_PROBE_DEPTH = 32
_STAGE = "line"


@dataclass(frozen=True)
class LineRequest:
    """What `plimsoll line` was asked. `mix` overrides `rw`, `block_bytes` and `read_share`."""

    target: str
    slo: str = DEFAULT_SLO
    rw: str = "randread"
    block_bytes: int = DEFAULT_BLOCK_BYTES
    read_share: float | None = None
    mix: Workload | None = None
    jobs: int = 1
    engine: str = AUTO
    bytes_wanted: int | None = None
    trial_s: float | None = None
    trials_confirm: int = 5
    stretch_max: int = 2
    direct: bool = True
    prefill: bool = False
    destroy: tuple[str, ...] = ()
    seed: int = 1


def measure_line(ctx: Context, asked: LineRequest) -> Run:
    """Searches, stores and returns the run."""
    started_at = ctx.clock.now()
    with line_target(ctx, asked) as made:
        line, notes = search_line(ctx, made, asked)
    return record(
        ctx,
        "line",
        f"line for {line.slo.text} on {asked.target}",
        started_at,
        interrupted=line.outcome == "interrupted",
        target=made.target,
        line=line,
        notes=(*made.target.notes, *notes),
    )


def workload_of(asked: LineRequest) -> Workload:
    """The mix that the trials run."""
    return asked.mix or workload(asked.rw, asked.block_bytes, asked.read_share)


def line_target(ctx: Context, asked: LineRequest) -> AbstractContextManager[Opened]:
    """The opened target; objective and engine are checked first, so that a typo costs no prefill."""
    check_engine(asked.engine)
    mix = workload_of(asked)
    check_classes(parse_slo(asked.slo), mix)
    reads = mix.read_share > 0
    return opened(
        ctx,
        Wish(asked.target, asked.bytes_wanted, asked.direct, mix.writes, asked.prefill, asked.destroy, reads),
    )


def search_line(ctx: Context, made: Opened, asked: LineRequest) -> tuple[Line, tuple[Note, ...]]:
    """The line of an opened target, and the notes on how it was measured."""
    mix = workload_of(asked)
    choice = choose_engine(asked.engine, made.target, mix)
    depth = default_depth(mix, choice.engine, open_loop=True)
    plan = Plan(engine=choice.engine, direct=asked.direct, jobs=asked.jobs, depth=depth).with_target(made)
    by_count = made.simulation is not None and asked.trial_s is None
    search = Search(
        slo=parse_slo(asked.slo),
        workload=mix,
        start_rate=_capacity(ctx, made, mix, plan),
        trial_s=0.0 if by_count else asked.trial_s or TRIAL_S,
        trial_ios=TRIAL_SIMULATED_IOS if by_count else 0,
        trial_s_max=inf if made.simulation else max(TRIAL_S_MAX, 10 * (asked.trial_s or TRIAL_S)),
        stretch_max=asked.stretch_max,
        trials_confirm=asked.trials_confirm,
        seed=asked.seed,
    )
    line = find_line(search, _measurer(ctx, made, mix, plan), lambda: ctx.cancel.is_set, _teller(ctx, search))
    return line, (*choice.notes, *line.notes)


def _capacity(ctx: Context, made: Opened, mix: Workload, plan: Plan) -> float:
    """What a short closed loop reaches: where the search begins, and nothing more."""
    ctx.progress(_STAGE, "a first look at what the storage can do")
    probe = plan.at_rate(Arrivals(), depth=min(_PROBE_DEPTH, plan.depth), runtime_s=_PROBE_S, warm_up_s=0.1)
    cell = measure(made.target, mix, probe, ctx.cancel, lambda live: None, _STAGE)
    return max(cell.iops, 10.0)


def _measurer(ctx: Context, made: Opened, mix: Workload, plan: Plan) -> Measure:
    def at(
        rate: float, runtime_s: float, warm_up_s: float, window_s: float, give_up_latency_us: float, seed: int
    ) -> Cell:
        wanted = plan.at_rate(
            Arrivals(kind="poisson", rate_per_s=rate),
            runtime_s=runtime_s,
            warm_up_s=warm_up_s,
            window_s=window_s,
            give_up_latency_us=give_up_latency_us,
            seed=seed,
        )
        return measure(made.target, mix, wanted, ctx.cancel, _quiet_live(ctx), _STAGE)

    return at


def _quiet_live(ctx: Context) -> Callable[[Live], None]:
    """Live figures without the trial's own time left: the whole search's is shown by its progress."""
    return lambda live: ctx.live(live.model_copy(update={"left_s": None}))


def _teller(ctx: Context, search: Search) -> Callable[[Trial, int], None]:
    begun_s = ctx.clock.monotonic_s()
    done = 0

    def tell(trial: Trial, expected: int) -> None:
        nonlocal done
        done += 1
        each_s = (ctx.clock.monotonic_s() - begun_s) / done
        ctx.remark(_STAGE, _in_words(trial, search))
        ctx.progress(_STAGE, f"trial {done} of about {expected}", done / expected, each_s * (expected - done))

    return tell


def _in_words(trial: Trial, search: Search) -> str:
    outcome = {True: "held", False: "missed", None: f"void: {trial.void_reason}"}[trial.held]
    p99 = format_us(trial.latency_us.p99)
    return f"{format_rate(trial.rate)} I/Os per second: p99 {p99}, {search.slo.text} {outcome}"

"""`plimsoll line`: the highest rate at which the objective still holds, on one target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from statistics import fmean

from plimsoll.base.limits import (
    LINE_BUDGET_S,
    TRIAL_S,
    TRIAL_S_MAX,
    TRIAL_SIMULATED_IOS,
    TRIAL_SIMULATED_S_MAX,
)
from plimsoll.base.units import format_rate, format_us
from plimsoll.cluster.limits import LINE_ON_HOSTS_BUDGET_S
from plimsoll.context import Context
from plimsoll.facts import Arrivals, Cell, Line, Live, Note, Plan, PlanGroup, Run, Trial, Workload
from plimsoll.flows.demand import load_demand, mix_of
from plimsoll.flows.if_permitted import opened_if_permitted
from plimsoll.flows.io import default_depth
from plimsoll.flows.record import record
from plimsoll.native.engine import for_servers
from plimsoll.requests.line import LineRequest
from plimsoll.supply.beside import Beside, client_beside, parse_beside
from plimsoll.supply.checks import passive_checks
from plimsoll.supply.choose import check_engine, choose_engine
from plimsoll.supply.engine import measure
from plimsoll.supply.gentle import START_PER_S, find_gently
from plimsoll.supply.line import Measure, Search, find_line, holds_at
from plimsoll.supply.line_checks import judge_trials
from plimsoll.supply.seeds import seed_of
from plimsoll.supply.sharing import with_sharing
from plimsoll.supply.slo import check_classes, parse_slo, slo_of
from plimsoll.supply.targets import Opened, Wish, on_opened, opened
from plimsoll.supply.workloads import workload

PROBE_S = 1.0
PROBE_DEPTH = 32
PROBE_WARM_UP_S = 0.1
"""A first look at what the storage can do, in a closed loop."""
_WARM_UP_S = 0.3
_STAGE = "line"


@dataclass(frozen=True)
class LineSearch:
    """What was asked, with the mix that the trials run."""

    asked: LineRequest
    mix: Workload
    rate_max: float = inf
    """Beside others: the highest rate that matters, I/Os per second."""


def measure_line(ctx: Context, asked: LineRequest) -> Run:
    """Searches, stores and returns the run."""
    started_at = ctx.clock.now()
    wanted = search_of(ctx, asked)
    with line_target(ctx, wanted) as made:
        line, notes = search_line(ctx, made, wanted)
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


def search_of(ctx: Context, asked: LineRequest) -> LineSearch:
    """At the demand's own mix where one was named; a share of reads alone means a random mix."""
    if asked.demand is not None:
        return LineSearch(asked, mix_of(load_demand(ctx, asked.demand)))
    is_mixed = asked.rw == "randread" and asked.read_share not in (None, 1.0)
    mix = workload("randrw" if is_mixed else asked.rw, asked.block_bytes, asked.read_share)
    return LineSearch(asked, mix)


def line_wish(wanted: LineSearch, reads: bool = False) -> Wish:
    """What is asked of the target; objective and engine are checked first, so that a typo costs no prefill."""
    asked, mix = wanted.asked, wanted.mix
    check_engine(asked.engine)
    check_classes(parse_slo(asked.slo), mix)
    reads = reads or mix.read_share > 0 or asked.beside is not None
    beside = _beside(asked)
    # What writes beside the mix does so as durably, so that the durability has an effect though the mix only reads.
    stable = "file" if beside is not None and beside.writes else asked.stable
    return Wish(
        asked.target,
        asked.bytes_wanted,
        asked.direct,
        mix.writes,
        asked.prefill,
        asked.destroy,
        reads=reads,
        while_in_use=asked.while_in_use,
        merge=asked.merge,
        stable=stable,
        engine=asked.engine,
        depth=default_depth(mix, for_servers(), open_loop=True),
        block_bytes=max(io.block_bytes for io in mix.classes),
        path_timeout_s=asked.path_timeout_s,
        oranfstab=asked.oranfstab,
    )


@contextmanager
def line_target(ctx: Context, wanted: LineSearch, reads: bool = False) -> Iterator[Opened]:
    """The opened target; `reads` also where the mix does not."""
    beside, wish = _beside(wanted.asked), line_wish(wanted, reads)
    if beside is not None and beside.writes:
        with opened_if_permitted(ctx, wish) as (made, _):
            yield made
    else:
        with opened(ctx, wish) as made:
            yield made


def _beside(asked: LineRequest) -> Beside | None:
    return None if asked.beside is None else parse_beside(asked.beside)


def _groups_beside(asked: LineRequest, made: Opened, engine: str) -> tuple[PlanGroup, ...]:
    beside = _beside(asked)
    may_write = made.permit is not None or made.simulation is not None
    return () if beside is None else (client_beside(beside, engine, may_write),)


@dataclass(frozen=True)
class LineBench:
    """What trials at one mix are made with. `search.start_rate` is what a closed loop reached there, I/Os per second."""

    search: Search
    measurer: Measure
    beside: tuple[PlanGroup, ...]
    notes: tuple[Note, ...]


def line_bench(ctx: Context, made: Opened, wanted: LineSearch) -> LineBench:
    """Engine, plan and a first look at what the storage can do at this mix."""
    asked, mix = wanted.asked, wanted.mix
    choice = choose_engine(asked.engine, made.target, mix)
    plan = trial_plan(made, asked, mix)
    beside = _groups_beside(asked, made, choice.engine)
    start_rate = START_PER_S if made.guard else _capacity(ctx, made, plan, beside)
    search = search_for(wanted, start_rate, plan.seed, is_virtual=made.simulation is not None)
    measurer = _measurer(ctx, made, plan, beside)
    return LineBench(search, measurer, beside, (*choice.notes, *_read_only(asked, beside)))


def search_for(wanted: LineSearch, start_rate: float, seed: int, *, is_virtual: bool) -> Search:
    """What to look for and for how long, from what a closed loop reached, I/Os per second."""
    asked = wanted.asked
    by_count = is_virtual and asked.trial_s is None and asked.budget_s is None
    return Search(
        slo=slo_of(asked.slo, wanted.mix),
        workload=wanted.mix,
        start_rate=start_rate,
        trial_s=0.0 if by_count else asked.trial_s or TRIAL_S,
        trial_ios=TRIAL_SIMULATED_IOS if by_count else 0,
        trial_s_max=_trial_s_max(asked, is_virtual),
        budget_s=_budget_s(asked, is_virtual),
        trials_confirm=asked.trials_confirm,
        seed=seed,
    )


def _trial_s_max(asked: LineRequest, is_virtual: bool) -> float:
    return TRIAL_SIMULATED_S_MAX if is_virtual else max(TRIAL_S_MAX, 10 * (asked.trial_s or TRIAL_S))


def _budget_s(asked: LineRequest, is_virtual: bool) -> float:
    """Without a word a simulated target gets all the time that it wants: it is virtual."""
    if asked.budget_s is not None:
        return asked.budget_s
    if is_virtual:
        return inf
    return LINE_ON_HOSTS_BUDGET_S if asked.hosts else LINE_BUDGET_S


def _clock(ctx: Context, made: Opened) -> Callable[[], float] | None:
    """By which the budget goes; in virtual time by the trials' own length."""
    return None if made.simulation else ctx.clock.monotonic_s


def trial_plan(made: Opened, asked: LineRequest, mix: Workload) -> Plan:
    """Engine, depth and seed of trials at a mix; arrivals and times are each trial's own, but for the warm-up of those that go
    without a search."""
    choice = choose_engine(asked.engine, made.target, mix)
    depth = default_depth(mix, choice.engine, open_loop=True)
    seed = seed_of(asked.seed, asked.target)
    group = PlanGroup.of(mix, choice.engine, jobs=asked.jobs, depth=depth)
    plan = Plan(groups=(group,), direct=asked.direct, merge=asked.merge, warm_up_s=_WARM_UP_S, seed=seed)
    plan = plan.but(stable=asked.stable, path_timeout_s=asked.path_timeout_s)
    return on_opened(plan, made)


def search_line(
    ctx: Context, made: Opened, wanted: LineSearch, bench: LineBench | None = None
) -> tuple[Line, tuple[Note, ...]]:
    """The line of an opened target, and the notes on how it was measured."""
    bench = bench or line_bench(ctx, made, wanted)
    ctx.progress(_STAGE, "trial 1")
    told = line_teller(ctx, bench.search)
    if made.guard is None:
        line = find_line(bench.search, bench.measurer, lambda: ctx.cancel.is_set, told, _clock(ctx, made))
    else:
        line = find_gently(bench.search, bench.measurer, made.guard, ctx.cancel, wanted.rate_max, told)
    line = with_sharing(
        line.model_copy(update={"checks": judge_trials(line, lambda cell: passive_checks(cell, made.target))})
    )
    return _told(line, wanted.asked, bench.beside), (*bench.notes, *line.notes)


def holds(ctx: Context, made: Opened, bench: LineBench, rate: float, trials: int) -> bool | None:
    """Whether the objective holds at `rate` I/Os per second, in so many trials; None when the user asked to end."""
    ctx.progress(_STAGE, f"whether {format_rate(rate)} I/Os per second hold")
    told = line_teller(ctx, bench.search)
    clock = _clock(ctx, made)
    return holds_at(bench.search, rate, trials, bench.measurer, lambda: ctx.cancel.is_set, told, clock)


def _told(line: Line, asked: LineRequest, beside: Sequence[PlanGroup]) -> Line:
    """The line with what ran beside it, and how much that moved."""
    if not beside:
        return line
    at_the_answer = [trial for trial in line.trials if trial.phase == "confirm"] or line.trials
    moved = [sum(result.mb_per_s for result in trial.cell.beside) for trial in at_the_answer]
    mb_per_s = fmean(moved) if moved else None
    shown = "nothing was measured of it" if mb_per_s is None else f"{mb_per_s:,.0f} MB/s"
    return line.model_copy(
        update={
            "beside": asked.beside,
            "beside_mb_per_s": mb_per_s,
            "reason": f"{line.reason}, beside a {beside[0].name} ({shown})",
        }
    )


def _read_only(asked: LineRequest, beside: Sequence[PlanGroup]) -> tuple[Note, ...]:
    wanted = _beside(asked)
    if wanted is None or not wanted.writes or any(group.workload.writes for group in beside):
        return ()
    message = f"the {wanted.kind} beside it only read, because this target may not be written to"
    return (Note(code="beside-read-only", message=message),)


def _capacity(ctx: Context, made: Opened, plan: Plan, beside: Sequence[PlanGroup]) -> float:
    """What a short closed loop reaches: where the search begins, and nothing more."""
    ctx.progress(_STAGE, "a first look at what the storage can do")
    closed = plan.with_group(arrivals=Arrivals(), depth=min(PROBE_DEPTH, plan.group.depth))
    probe = closed.but(runtime_s=PROBE_S, warm_up_s=PROBE_WARM_UP_S)
    cell = measure(probe, made.permits, ctx.cancel, lambda live: None, _STAGE, beside)
    return max(cell.iops, 10.0)


def _measurer(ctx: Context, made: Opened, plan: Plan, beside: Sequence[PlanGroup] = ()) -> Measure:
    def at(
        rate: float, runtime_s: float, warm_up_s: float, window_s: float, give_up_latency_us: float, seed: int
    ) -> Cell:
        at_rate = plan.group.but(arrivals=Arrivals(kind="poisson", rate_per_s=rate))
        wanted = plan.but(
            groups=(at_rate,),
            runtime_s=runtime_s,
            warm_up_s=warm_up_s,
            window_s=window_s,
            give_up_latency_us=give_up_latency_us,
            seed=seed,
        )
        return measure(wanted, made.permits, cancel, heard, _STAGE, beside)

    quiet, guard = quiet_live(ctx, bool(beside)), made.guard
    cancel = ctx.cancel if guard is None else guard.watched(ctx.cancel)

    def heard(live: Live) -> None:
        quiet(live)
        if guard is not None and not beside:
            guard.hear(live)

    return at


def quiet_live(ctx: Context, beside: bool) -> Callable[[Live], None]:
    """Live figures without the trial's own time left: the whole search's is shown by its progress.

    With something beside it, rate and latency are of both together, and only the rate makes sense then.
    """
    changes = {"left_s": None} | (dict.fromkeys(("latency_us_p50", "latency_us_p99")) if beside else {})
    return lambda live: ctx.live(live.model_copy(update=changes))


def line_teller(ctx: Context, search: Search) -> Callable[[Trial, int], None]:
    """Tells of each trial, and how far the search is."""
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

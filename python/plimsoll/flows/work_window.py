"""A backup or a migration beside a demand: its rate alone, and the highest rate at which the demand still holds its objective.

Each rate is tried beside every mix of the demand, the one that decides first, and beside its worst ten seconds as they were. The
rate that the window needs is tried first; then the search goes on as far as its time goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.base.limits import WORK_SEARCH_S, WORK_TRIAL_S
from plimsoll.context import Context
from plimsoll.demand.busiest import busiest, series_of
from plimsoll.facts import Arrivals, Cell, Demand, Plan, RateStep, Verdict, Workload, WorkTrial, WorkWindow
from plimsoll.facts.replay import WINDOW_S
from plimsoll.flows.if_permitted import opened_if_permitted
from plimsoll.flows.line import LineSearch, line_target, line_wish, quiet_live, trial_plan
from plimsoll.predict.storage_time import AtLine, share_of_time
from plimsoll.predict.verdict import Measured
from plimsoll.predict.work_window import (
    Bounds,
    Found,
    Work,
    bounds,
    is_carried,
    judge_work,
    next_rate,
    work_not_measured,
)
from plimsoll.requests.line import LineRequest
from plimsoll.supply.beside import COPY_IO_BYTES
from plimsoll.supply.checks import deciding, passive_checks
from plimsoll.supply.link_bound import link_bound
from plimsoll.supply.slo import slo_of
from plimsoll.supply.targets import Opened
from plimsoll.supply.work import Part, drive_alone, drive_beside, writes

_STAGE = "work"
_LEAST_IOS = 10
"""I/Os of the work in the shortest trial: of fewer nothing can be said."""
_TRIES = 3
_RATES_MAX = 9
_MIX_TRIAL_S = 4.0
"""On a real storage; in virtual time a trial is as long as an objective's."""


@dataclass(frozen=True)
class Question:
    """What is asked: the work, and the demand that it runs beside, on an opened target."""

    work: Work
    made: Opened
    demand: Demand
    asked: LineRequest
    refusal: str | None = None
    """Why the target may not be written to; None where it may, or need not be."""


@contextmanager
def work_target(ctx: Context, wanted: LineSearch, work: Work | None) -> Iterator[tuple[Opened, str | None]]:
    """The target of an assessment, and why the work may not write to it."""
    if work is None or not writes(work.kind):
        with line_target(ctx, wanted, reads=work is not None) as made:
            yield made, None
        return
    with opened_if_permitted(ctx, line_wish(wanted)) as (made, refused):
        yield made, None if refused is None else refused.message


@dataclass
class _Search:
    ctx: Context
    what: Question
    parts: tuple[Part, ...]
    plan: Plan
    begun_s: float
    trials: list[WorkTrial] = field(default_factory=list)
    stopped: str | None = None

    @property
    def is_simulated(self) -> bool:
        return self.what.made.simulation is not None

    @property
    def bounds(self) -> Bounds:
        return bounds(self.trials, len(self.parts))

    def may_go_on(self, seconds: float) -> bool:
        """Whether there is time for a trial of that length; says why not."""
        spent_s = self.ctx.clock.monotonic_s() - self.begun_s
        if self.ctx.cancel.is_set:
            self.stopped = "it was interrupted"
        elif not self.is_simulated and spent_s + seconds > WORK_SEARCH_S:
            self.stopped = f"{WORK_SEARCH_S:.0f} s were over, and what is between was not tried"
        return self.stopped is None

    def seed(self) -> int:
        return self.plan.seed * 1000 + 800 + len(self.trials)


def work_window(ctx: Context, what: Question, mixes: Sequence[Measured], verdict: Verdict) -> WorkWindow:
    """The answer, from trials on the opened target. What breaks under the search ends it, and what is known until then is kept."""
    if what.refusal is not None:
        return work_not_measured(what.work, f"this target may only be read: {what.refusal}")
    if not mixes or ctx.cancel.is_set:
        return work_not_measured(what.work, "the measurement was ended before")
    plan = trial_plan(what.made, what.asked, mixes[0].workload).but(runtime_s=WORK_TRIAL_S)
    search = _Search(ctx, what, tuple(_parts(what, mixes)), plan, ctx.clock.monotonic_s())
    cells: list[Cell] = []
    alone: float | None = None
    doubts: tuple[str, ...] = ()
    try:
        cells, alone, doubts = _alone(search)
        if verdict.carries is not False and alone:
            _search(search, alone)
    except PlimsollError as error:
        if error.status is not ExitStatus.WORLD_FAILED:
            raise
        search.stopped = error.message
    links = link_bound((what.made.target,), None, None, cells) if cells else None
    found = Found(tuple(search.trials), alone, len(search.parts), links, doubts, search.stopped)
    return judge_work(what.work, found, verdict)


def _alone(search: _Search) -> tuple[list[Cell], float | None, tuple[str, ...]]:
    """The rate with nothing beside, MB/s; after a fall for good the one to which it fell. And why it is not valid."""
    ctx, what = search.ctx, search.what
    ctx.progress(_STAGE, "the work alone")
    plan, live = search.plan.but(seed=search.seed()), quiet_live(ctx, False)
    cell = drive_alone(what.work.kind, plan, what.made.permits, ctx.cancel, live)
    if cell.ended_early == "stopped":
        search.stopped = "it was interrupted"
    failed = deciding(passive_checks(cell, what.made.target))
    fallen = next((check for check in failed if check.name == "cliff"), None)
    rate = cell.mb_per_s
    if fallen is not None:
        rate = fallen.figures["after_iops"] * COPY_IO_BYTES / 1e6
    search.trials.append(_trial_alone(cell, rate))
    doubts = tuple(check.reason for check in failed if check.name != "cliff")
    return [cell], rate or None, doubts


def _trial_alone(cell: Cell, rate: float) -> WorkTrial:
    fell = "" if rate == cell.mb_per_s else f", after {cell.mb_per_s:,.1f} MB/s on average until it fell"
    return WorkTrial(
        beside="nothing",
        begin_time=None,
        duration_s=cell.runtime_s,
        asked_mb_per_s=None,
        mb_per_s=rate,
        kept_up=not cell.errors,
        work_errors=cell.errors,
        demand_iops=None,
        held=None,
        latency_us_p99=None,
        limiting_class=None,
        reason=f"as fast as it can{fell}",
    )


def _search(search: _Search, alone: float) -> None:
    """Rates, each beside all parts, until it is known well enough; where none held, the demand alone is looked at."""
    least = _LEAST_IOS * COPY_IO_BYTES / min(part.duration_s for part in search.parts) / 1e6
    for _ in range(_RATES_MAX):
        rate = next_rate(search.what.work, alone, least, search.bounds)
        if rate is None or not _try(search, rate):
            break
    if search.bounds.held is None and search.bounds.missed is not None and search.stopped is None:
        _look_at_the_demand_alone(search)


def _try(search: _Search, rate: float) -> bool:
    """Whether the rate was decided: the first part that is not carried ends it."""
    for part in search.parts:
        carried = _driven(search, rate, part)
        if carried is not True:
            return carried is False
    return True


def _driven(search: _Search, rate: float, part: Part) -> bool | None:
    """Again where this host spoilt it; None where that tells nothing."""
    ctx, what = search.ctx, search.what
    for _ in range(_TRIES):
        if not search.may_go_on(part.duration_s):
            return None
        ctx.progress(_STAGE, f"{rate:,.1f} MB/s beside the demand's {part.beside}")
        plan, live = search.plan.but(seed=search.seed()), quiet_live(ctx, True)
        trial = drive_beside(what.work.kind, rate, part, plan, what.made.permits, ctx.cancel, live)
        search.trials.append(trial)
        carried = is_carried(trial)
        ctx.remark(_STAGE, f"{rate:,.1f} MB/s beside the demand's {part.beside}: {trial.reason}")
        if carried is not None:
            return carried
    search.stopped = search.trials[-1].reason
    return None


def _look_at_the_demand_alone(search: _Search) -> None:
    """The part that missed at the lowest rate, with no work beside it: where it misses too, the work is not to blame."""
    last = search.trials[-1]
    part = next(one for one in search.parts if (one.beside, one.begin_time) == (last.beside, last.begin_time))
    if last.held is False and _driven(search, 0.0, part) is not True:
        search.stopped = "the demand missed its objective in such a trial with nothing beside it as well"


def _parts(what: Question, mixes: Sequence[Measured]) -> Iterator[Part]:
    """The mixes, the one with the smallest headroom first, then the worst ten seconds as they were."""
    factor = what.demand.burst_factor or 1.0
    seconds = min(WORK_TRIAL_S, what.asked.trial_s or _MIX_TRIAL_S)
    seconds = WORK_TRIAL_S if what.made.simulation is not None else seconds
    for mix in sorted(mixes, key=lambda mix: mix.headroom(factor) or 0.0):
        yield _of_mix(what, mix, factor, seconds)
    lines = [AtLine(rate, rate * mix.workload.mean_bytes) for mix in mixes if (rate := mix.rate_iops)]
    found = busiest(what.demand.intervals, share_of_time(lines), (WINDOW_S,)) if lines else ()
    worst = next(iter(found), None)
    series = None if worst is None else series_of(worst, what.demand.database, factor)
    if worst is not None and series is not None:
        slo = slo_of(what.asked.slo, series.workload)
        if slo.objectives:
            yield Part("replay", worst.begin_time, series.workload, series.arrivals, slo, series.mb_per_s)


def _of_mix(what: Question, mix: Measured, factor: float, seconds: float) -> Part:
    total = sum(io.weight for io in mix.workload.classes)
    rates = tuple(mix.iops * factor * io.weight / total for io in mix.workload.classes)
    classes = tuple(
        io.model_copy(update={"weight": rate}) for io, rate in zip(mix.workload.classes, rates, strict=True)
    )
    arrivals = Arrivals(kind="series", steps=(RateStep(duration_s=seconds, rates_per_s=rates),), burst=1)
    workload = Workload(name="mix", classes=classes)
    moved = mix.iops * factor * mix.workload.mean_bytes / 1e6
    return Part("mix", mix.begin_time, workload, arrivals, slo_of(what.asked.slo, workload), moved)

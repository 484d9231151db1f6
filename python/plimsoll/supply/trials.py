"""One trial of a line search: how long it lasts, whether it held, and whether it may be believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import Literal, Protocol

from plimsoll.base.limits import (
    HOPELESS_FACTOR,
    OTHERS_PROCESSORS_MAX,
    RATE_PER_S_MAX,
    TAIL_SAMPLES_MIN,
    THREAD_CPU_SHARE_MAX,
    TRIAL_BRIEF_SHARE,
    TRIAL_LIMITS,
    TRIAL_QUEUE_S_MAX,
    TRIAL_S,
    TRIAL_S_MAX,
    TRIAL_WINDOWS,
    TRIALS_BUDGET,
    TRIALS_CONFIRM,
    TRIALS_TO_END_MAX,
    VOID_RETRIES_MAX,
    WAITING_SHARE_MAX,
    WARM_UP_S,
    WINDOW_S_MIN,
)
from plimsoll.base.units import format_us
from plimsoll.facts import Cell, ClassResult, LatencyUs, Objective, Slo, Trial, Workload
from plimsoll.native.engine import blocks, runs_in_virtual_time
from plimsoll.native.latency import ios_above, quantile_us
from plimsoll.supply import fit
from plimsoll.supply.drift import void_reason
from plimsoll.supply.overload import overload

Phase = Literal["bracket", "narrow", "gather", "confirm", "control"]
_BRIEF: tuple[Phase, ...] = ("bracket", "narrow")
"""They show the way, and are as long as that needs."""

GATHERED_MIN = 6
"""Fewest trials around the crossing."""
_RAN_AWAY_RATIO = 3.0
"""What a queue that never stopped growing counts as: beyond the limit by more than the curve near it goes."""
GIVEN_UP = "the wait of one I/O ended it early, and made again to its full length it was not lost"
_WAIT_AGAIN = 2.0
"""After a storage stood still and went on, trials are given up only for a wait so many times as long."""
_BACKLOG_SLACK = 2.0
"""Arrivals come in bunches: while we are late, up to so many times as many are due as on average."""


class Measure(Protocol):
    """One open-loop measurement; `give_up_latency_us` ends it when the queue has outrun the objective."""

    def __call__(
        self,
        rate: float,
        runtime_s: float,
        warm_up_s: float,
        window_s: float,
        give_up_latency_us: float,
        seed: int,
    ) -> Cell: ...


@dataclass(frozen=True)
class Search:
    """What to look for, and how long to look. `trials_confirm` fresh trials are made at the safe rate."""

    slo: Slo
    workload: Workload
    start_rate: float
    """A guess of the capacity, from a short closed-loop run."""
    trial_s: float = TRIAL_S
    trial_ios: int = 0
    """Least number of I/Os of a trial, beyond what its quantile needs."""
    trial_s_max: float = TRIAL_S_MAX
    """Rates so low that a trial would take longer for its quantile are not tried."""
    budget_s: float = inf
    """When so much time is spent, the search ends with what it knows."""
    budget_trials: float = TRIALS_BUDGET
    """After as much time as so many plain trials take, void trials are not repeated and the crossing must do as it is."""
    warm_up_s: float = WARM_UP_S
    trials_confirm: int = TRIALS_CONFIRM
    rate_max: float = RATE_PER_S_MAX
    seed: int = 1


class Stopped(Exception):
    """The user asked to end the search; what was measured is kept."""


class Dead(Exception):
    """From some moment on every I/O of a trial failed."""


class NotSteady(Exception):
    """A trial stayed void however long it was made."""


class OutOfTime(Exception):
    """No further trial fits into the budget; `runtime_s` is what the shortest would take."""

    def __init__(self, rate: float, runtime_s: float) -> None:
        super().__init__()
        self.rate, self.runtime_s = rate, runtime_s


@dataclass
class State:
    """A search under way: what it looks for, how it measures, and the trials so far."""

    search: Search
    measure: Measure
    cancelled: Callable[[], bool]
    on_trial: Callable[[Trial, int], None]
    clock_s: Callable[[], float] | None = None
    """None: the time that the trials themselves took counts, as in virtual time."""
    trials: list[Trial] = field(default_factory=list)
    controls: list[Trial] = field(default_factory=list)
    checked: int = 0
    """Trials made before the last control that held."""
    tool_bound: bool = False
    slope: float = fit.SLOPE
    middle: float = 0.0
    """Where the line is thought to be, I/Os per second; 0 before there is a bracket."""
    missed_safe: float | None = None
    """A rate that was thought safe, and that fresh trials missed."""
    held_safe: float | None = None
    """The rate that fresh trials of full length held together."""
    give_up_us: float = 0.0
    """An I/O that has waited so long ends a trial: the queue only grows from there. Longer once a storage was seen to go on."""
    made_to_end: int = 0
    """Trials that were given up and made again to their end."""
    begun_s: float = 0.0

    def __post_init__(self) -> None:
        self.begun_s = self.clock_s() if self.clock_s else 0.0
        self.give_up_us = give_up_us(self.search)

    def valid(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.held is not None]

    @property
    def left_s(self) -> float:
        """Time left of the budget."""
        if self.clock_s is not None:
            return self.search.budget_s - (self.clock_s() - self.begun_s)
        made = (trial.cell for trial in (*self.trials, *self.controls))
        return self.search.budget_s - sum(cell.warm_up_s + cell.runtime_s for cell in made)

    @property
    def is_over_budget(self) -> bool:
        """Whether more trials were made than a search may need before it must come to its answer."""
        spent = sum(trial.cell.runtime_s / runtime_needed_s(self.search, trial.rate) for trial in self.trials)
        return spent > self.search.budget_trials

    def _blind(self, objective: Objective) -> float:
        """By how much more than it serves a storage may be asked before a trial's quantile shows the queue that grows."""
        longest_s = max((trial.cell.runtime_s for trial in self.valid()), default=0.0)
        return min(0.5, 2e-6 * objective.limit_us / longest_s) if longest_s else 0.0

    def fitted(self) -> tuple[fit.Fit, Objective] | None:
        """The lowest of the crossings of all objectives, by the trials that count."""
        fits = [
            (found, objective)
            for objective in self.search.slo.objectives
            if (
                found := fit.fit(
                    [point_of(trial, objective) for trial in self.valid()], self._blind(objective)
                )
            )
        ]
        return min(fits, key=lambda pair: pair[0].crossing, default=None)


def point_of(trial: Trial, objective: Objective) -> fit.Point:
    """What a trial says of an objective. Of a queue that ran away or never stopped growing, all I/Os were late."""
    spread, errors = spread_of(objective.io_class, trial.cell), trial.cell.errors
    ios = float(max(spread.count, 1) + errors)
    grew = trial.held is False and (trial.cell.ended_early or trial.void_reason)
    if grew or overload(trial.cell, trial.rate):
        due = trial.rate * trial.cell.runtime_s
        return fit.Point(trial.rate, max(ios, due), max(ios, due), 1 - objective.quantile)
    beyond = ios_above(spread, objective.limit_us) + errors
    return fit.Point(trial.rate, beyond, ios, 1 - objective.quantile)


def pooled_ratio(state: State, trials: Sequence[Trial]) -> float:
    """I/Os beyond the limit in all these trials together / as many as may be, of the objective that is worst; 0 of no trials."""
    ratios = [0.0]
    for objective in state.search.slo.objectives:
        points = [point_of(trial, objective) for trial in trials]
        may_be = sum(point.allowed * point.ios for point in points)
        ratios.append(sum(point.beyond for point in points) / may_be if may_be else 0.0)
    return max(ratios)


def make_trial(state: State, rate: float, phase: Phase) -> Trial:
    """One trial that may be believed. Void ones are kept as void; raises Stopped, Dead, OutOfTime, and NotSteady.

    A trial that drifted is repeated twice as long. Where the latency rises in the longest one too, more comes than the storage
    carries, and the trial counts as missed. One that the busy machine spoilt is repeated as it was; a machine that stays busy
    makes it count as missed.
    """
    longer = 1
    for attempt in range(VOID_RETRIES_MAX + 1):
        trial = _to_its_end(state, rate, phase, longer)
        if attempt == VOID_RETRIES_MAX and rose_while_it_held(state.search.slo, trial):
            trial = trial.model_copy(update={"held": False, "worst_ratio": _RAN_AWAY_RATIO})
        keep(state, trial)
        if trial.held is not None:
            return trial
        if disturbance(state.search.slo, trial.cell) is None:
            longer *= 2
        elif state.is_over_budget:
            break
    if disturbance(state.search.slo, state.trials[-1].cell) is not None:
        return state.trials[-1]
    raise NotSteady


def _to_its_end(state: State, rate: float, phase: Phase, longer: int) -> Trial:
    """A trial; one that a single long wait ended is kept as void, and made again to its full length."""
    trial = _tried(state, rate, phase, _runtime_s(state, rate, phase, longer), state.give_up_us)
    if state.made_to_end >= TRIALS_TO_END_MAX or not given_up_too_soon(state.search.slo, trial):
        return trial
    keep(state, trial.model_copy(update={"held": None, "void_reason": GIVEN_UP}))
    return whole_trial(state, rate, phase, longer)


def whole_trial(state: State, rate: float, phase: Phase, longer: int = 1) -> Trial:
    """A trial of full length, whatever waits. One in which most I/Os were late shows a queue that only grows, and is the last."""
    runtime_s = _runtime_s(state, rate, "gather", longer)
    trial = _tried(state, rate, phase, runtime_s, 1e6 * (state.search.warm_up_s + runtime_s))
    hopeless = _is_mostly_late(state.search.slo, trial.cell)
    state.made_to_end = TRIALS_TO_END_MAX if hopeless else state.made_to_end + 1
    return trial


def _tried(state: State, rate: float, phase: Phase, runtime_s: float, given_up_us: float) -> Trial:
    """One measurement, judged; raises Stopped."""
    if state.cancelled():
        raise Stopped
    trial = judge(state, _measure(state, rate, runtime_s, given_up_us), rate, phase)
    if trial.cell.ended_early == "stopped":
        raise Stopped
    if not trial.cell.ended_early and not _is_mostly_late(state.search.slo, trial.cell):
        state.give_up_us = max(state.give_up_us, _WAIT_AGAIN * (trial.cell.latency_us.max or 0.0))
    return trial


def keep(state: State, trial: Trial) -> None:
    """Adds a trial to those of the search; raises Dead."""
    state.trials.append(trial)
    state.on_trial(trial, _expected(state))
    if trial.cell.ended_early == "errors":
        raise Dead


def given_up_too_soon(slo: Slo, trial: Trial) -> bool:
    """Whether a wait ended the trial although most I/Os until then were in time: a storage that stands still for a moment does
    that as well as a queue that only grows. Where all of it happened before anything was measured, nobody can tell either."""
    return (
        trial.cell.ended_early == "gave_up" and not trial.cell.errors and not _is_mostly_late(slo, trial.cell)
    )


def _is_mostly_late(slo: Slo, cell: Cell) -> bool:
    """Whether of an objective half of the I/Os or more were beyond its limit, as in a queue that grows."""
    spreads = [(spread_of(objective.io_class, cell), objective.limit_us) for objective in slo.objectives]
    return any(2 * ios_above(spread, limit) >= spread.count for spread, limit in spreads if spread.count)


def _runtime_s(state: State, rate: float, phase: Phase, longer: int) -> float:
    """How long a trial lasts; raises OutOfTime where not even a brief one, or a whole fresh one, fits into the time left."""
    brief_s, full_s = (runtime_needed_s(state.search, rate, share) for share in (TRIAL_BRIEF_SHARE, 1.0))
    wanted_s = longer * (brief_s if phase in _BRIEF else full_s)
    least_s = full_s if phase == "confirm" else brief_s
    room_s = state.left_s - state.search.warm_up_s
    if wanted_s <= room_s:
        return wanted_s
    if least_s > room_s:
        raise OutOfTime(rate, least_s)
    return least_s


def rose_while_it_held(slo: Slo, trial: Trial) -> bool:
    """Whether the objective was met within the trial's time, and would not have been for much longer."""
    return trial.void_reason is not None and worst(slo, trial.cell)[1] <= 1


def plain_miss(state: State, trial: Trial) -> bool:
    """Whether the trial missed throughout, and not through one bad moment: most of its windows, taken alone, miss too."""
    if trial.cell.errors or overload(trial.cell, trial.rate):
        return True
    if trial.held is None or rose_while_it_held(state.search.slo, trial):
        return True
    if trial.cell.ended_early:
        return disturbance(state.search.slo, trial.cell) is None
    return median_window(state.search.slo, trial.cell) > 1


def median_window(slo: Slo, cell: Cell) -> float:
    """Latency / limit of the middle one of the trial's windows, each taken alone: what one bad moment does not change. 0 where
    nobody knows, as of an objective of one class."""
    objective, _ = worst(slo, cell)
    tails = [
        window.latency_us_p99 if objective.quantile >= 0.99 else window.latency_us_p50
        for window in cell.windows
    ]
    known = [tail for tail in tails if tail is not None]
    return median(known) / objective.limit_us if known and objective.io_class is None else 0.0


def _measure(state: State, rate: float, runtime_s: float, given_up_us: float) -> Cell:
    return state.measure(
        rate=rate,
        runtime_s=runtime_s,
        warm_up_s=state.search.warm_up_s,
        window_s=max(WINDOW_S_MIN, runtime_s / TRIAL_WINDOWS),
        give_up_latency_us=given_up_us,
        seed=state.search.seed * 1000 + len(state.trials),
    )


def give_up_us(search: Search) -> float:
    """The wait that ends a trial, before anything is known of how the storage waits."""
    return HOPELESS_FACTOR * search.slo.limit_us_max


def runtime_needed_s(search: Search, rate: float, share: float = 1.0) -> float:
    """At least 30/(1-q) I/Os of every class that has an objective, at least `trial_s` and `trial_ios`, and
    long enough for a queue to show that it grows; or a share of that."""
    total = sum(io.weight for io in search.workload.classes)
    weights = {io.name: io.weight / total for io in search.workload.classes}
    needed = [
        TAIL_SAMPLES_MIN / (1 - objective.quantile) / (rate * weights.get(objective.io_class or "", 1.0))
        for objective in search.slo.objectives
    ]
    queue_s = TRIAL_LIMITS * search.slo.limit_us_max / 1e6
    return share * max(search.trial_s, search.trial_ios / rate, min(queue_s, TRIAL_QUEUE_S_MAX), *needed)


def judge(state: State, cell: Cell, rate: float, phase: Phase) -> Trial:
    """Whether it held, by how much, and whether that may be believed."""
    objective, ratio = worst(state.search.slo, cell)
    ratio = max(ratio, min(overload(cell, rate), HOPELESS_FACTOR))
    held = ratio <= 1 and cell.ended_early in ("", "stopped") and cell.errors == 0
    state.tool_bound = state.tool_bound or (not held and cpu_share(cell) > THREAD_CPU_SHARE_MAX)
    void = (
        None
        if cell.ended_early
        else _spoilt(state.search.slo, cell, held) or void_reason(cell, objective.limit_us, held)
    )
    return Trial(
        rate=rate,
        achieved=cell.iops,
        latency_us=cell.latency_us,
        held=None if void else held,
        worst_ratio=ratio,
        limiting_class=_limiting_class(objective, cell),
        phase=phase,
        void_reason=void,
        cell=cell,
    )


def _spoilt(slo: Slo, cell: Cell, held: bool) -> str | None:
    """Why a miss says nothing about the storage. A trial that held all the same counts."""
    return None if held else disturbance(slo, cell)


def disturbance(slo: Slo, cell: Cell) -> str | None:
    """What this host did to our own threads, so that I/Os came late through no fault of the storage; None for nothing.

    Two things: other programs had the processors while our threads waited for one; or our threads were held up although
    they had one, as in a virtual machine whose host runs something else, and the storage answered in time what they asked.
    What our own I/Os cost belongs to the storage's way of working.
    """
    # Threads of psync wait for each other: there is one for each I/O.
    waited = 0.0 if blocks(cell.engine) else cell.processor_wait_share or 0.0
    if waited > WAITING_SHARE_MAX and others_processors(cell) > OTHERS_PROCESSORS_MAX:
        return f"the measuring threads waited for a processor {waited:.0%} of the time"
    objective, _ = worst(slo, cell)
    if _late_of_ourselves(objective, cell):
        late = format_us(cell.lateness_us_max)
        return f"this host held the measuring threads up by as much as {late}, while the storage answered in time"
    return None


def _late_of_ourselves(objective: Objective, cell: Cell) -> bool:
    """Whether the objective was missed only because we started I/Os late although slots were free for them.

    It would have held from submission on, and no more arrivals were waiting at once than come while we were late.
    """
    service = service_of(objective.io_class, cell)
    late_us, rate = cell.lateness_us_max or 0.0, _rate_per_s(cell)
    if service is None or rate is None or late_us < objective.limit_us / 2:
        return False
    answered_us = quantile_us(service, objective.quantile) or service.max
    backlog_of_ours = _BACKLOG_SLACK * rate * late_us / 1e6 + 1
    return (
        answered_us is not None
        and answered_us <= objective.limit_us
        and (cell.backlog_ios_max or 0) <= backlog_of_ours
    )


def _rate_per_s(cell: Cell) -> float | None:
    """What was due per second; of a series the mean."""
    if cell.arrivals.kind != "series" or not cell.runtime_s:
        return cell.arrivals.rate_per_s
    return (cell.offered_ios or 0) / cell.runtime_s


def others_processors(cell: Cell) -> float:
    """Processors that other programs had in the measured window, in user mode, and those that the virtual machine's host took.

    Time in the kernel is left out: much of it works for our own I/Os. Where nobody counts it all, others had everything.
    """
    if cell.host is None or not cell.runtime_s:
        return inf
    return max(0.0, cell.host.user_s - cell.cpu_s.user + cell.host.steal_s) / cell.runtime_s


def cpu_share(cell: Cell) -> float:
    """How busy the submitting threads were, kernel work included; 0 where time is virtual, or where each I/O has its own thread."""
    if runs_in_virtual_time(cell.engine) or blocks(cell.engine) or not cell.runtime_s:
        return 0.0
    jobs = sum(group.jobs for group in cell.groups) or cell.jobs
    return (cell.cpu_s.user + cell.cpu_s.system) / (cell.runtime_s * jobs)


def worst(slo: Slo, cell: Cell) -> tuple[Objective, float]:
    """The objective that the cell is furthest beyond, or closest to, and its ratio of measured quantile to limit.

    In a run that was given up all count as far beyond; of them it is the one that was furthest until then.
    """
    ratios = [(objective, _ratio(objective, cell)) for objective in slo.objectives]
    return max(ratios, key=lambda pair: (pair[1], _measured_us(pair[0], cell) / pair[0].limit_us))


def _ratio(objective: Objective, cell: Cell) -> float:
    """Measured quantile / limit. A run that was given up counts as far beyond; without enough I/Os the maximum decides."""
    measured = _measured_us(objective, cell)
    if cell.ended_early == "gave_up":
        measured = max(measured, HOPELESS_FACTOR * objective.limit_us)
    return measured / objective.limit_us


def _measured_us(objective: Objective, cell: Cell) -> float:
    spread = spread_of(objective.io_class, cell)
    return quantile_us(spread, objective.quantile) or spread.max or 0.0


def service_of(io_class: str | None, cell: Cell) -> LatencyUs | None:
    """The time from submission to completion of one class, or of all I/Os together for None; None in a closed loop."""
    if io_class is None:
        return cell.service_us
    return next(result.service_us for result in cell.classes if result.name == io_class)


def spread_of(io_class: str | None, cell: Cell) -> LatencyUs:
    """The latency of one class, or of all I/Os together for None."""
    if io_class is None:
        return cell.latency_us
    return next(result.latency_us for result in cell.classes if result.name == io_class)


def _limiting_class(objective: Objective, cell: Cell) -> str | None:
    """The class named by the objective; for one over all I/Os, the class with the largest share of its own beyond the limit."""
    if objective.io_class is not None:
        return objective.io_class

    def share_beyond(result: ClassResult) -> float:
        return ios_above(result.latency_us, objective.limit_us) / result.ios if result.ios else 0.0

    return max(cell.classes, key=lambda result: (share_beyond(result), result.latency_us.p99 or 0.0)).name


def _expected(state: State) -> int:
    """A guess of the whole number of trials, for the time left; never below what is certain to come."""
    phase = state.trials[-1].phase
    gathered = sum(trial.phase == "gather" for trial in state.trials)
    ahead = {
        "bracket": 4 + GATHERED_MIN,
        "narrow": 1 + GATHERED_MIN,
        "gather": max(1, GATHERED_MIN - gathered),
    }.get(phase, 0)
    last = state.trials[-1]
    done_confirming = sum(trial.phase == "confirm" and trial.rate == last.rate for trial in state.trials)
    return len(state.trials) + ahead + max(1, state.search.trials_confirm - done_confirming)

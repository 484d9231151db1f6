"""One trial of a line search: how long it lasts, whether it held, and whether it is valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import Literal, Protocol

from plimsoll.base.limits import (
    HOPELESS_FACTOR,
    RATE_PER_S_MAX,
    TAIL_SAMPLES_MIN,
    THREAD_CPU_SHARE_MAX,
    TRIAL_BRIEF_SHARE,
    TRIAL_LIMITS,
    TRIAL_QUEUE_S_MAX,
    TRIAL_S,
    TRIAL_S_MAX,
    TRIAL_WINDOWS,
    TRIALS_BESIDE_OTHERS_MAX,
    TRIALS_BUDGET,
    TRIALS_CONFIRM,
    TRIALS_TO_END_MAX,
    VOID_RETRIES_MAX,
    WARM_UP_S,
    WINDOW_S_MIN,
)
from plimsoll.facts import Cell, CellOnHost, Objective, Slo, Trial, Workload
from plimsoll.native.latency import ios_above
from plimsoll.supply import fit
from plimsoll.supply.checks.outage import outage_words
from plimsoll.supply.drift import void_reason
from plimsoll.supply.overload import overload
from plimsoll.supply.readings import cpu_share, disturbance, limiting_class, part_of, spread_of, worst
from plimsoll.supply.sharing import others_words

Phase = Literal["bracket", "narrow", "gather", "confirm", "control"]
_BRIEF: tuple[Phase, ...] = ("bracket", "narrow")
"""They show the way, and are as long as that needs."""

GATHERED_MIN = 6
"""Fewest trials around the crossing."""
_RAN_AWAY_RATIO = 3.0
"""What a queue that never stopped growing counts as: beyond the limit by more than the curve near it goes."""
GIVEN_UP = (
    "it was ended by the wait of one I/O, and storage that stands still for a moment goes on after that"
)
_WAIT_AGAIN = 2.0
"""After a storage stood still and went on, trials are given up only for a wait so many times as long."""


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
    """The storage answers no more: why."""


class NotSteady(Exception):
    """A trial stayed void however long it was made."""


class OutOfTime(Exception):
    """No further trial fits into the budget; `runtime_s` is what the shortest would take."""

    def __init__(self, rate: float, runtime_s: float) -> None:
        super().__init__()
        self.rate: float = rate
        self.runtime_s: float = runtime_s


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
    beside_others: int = 0
    """Trials that missed beside others on the device, and were made again."""
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
    part = part_of(objective, trial.cell)
    spread, errors = spread_of(objective, trial.cell), part.errors
    ios = float(max(spread.count, 1) + errors)
    grew = trial.held is False and (_ended_by_itself(part) or trial.void_reason)
    rate = trial.rate if objective.host is None else trial.rate / len(trial.cell.hosts)
    if grew or overload(part, rate):
        due = rate * part.runtime_s
        return fit.Point(trial.rate, max(ios, due), max(ios, due), 1 - objective.quantile)
    beyond = ios_above(spread, objective.limit_us) + errors
    return fit.Point(trial.rate, beyond, ios, 1 - objective.quantile)


def _ended_by_itself(part: Cell | CellOnHost) -> bool:
    """Whether it ended early, and not because another host did."""
    return part.ended_early not in ("", "stopped")


def pooled_ratio(state: State, trials: Sequence[Trial]) -> float:
    """I/Os beyond the limit in all these trials together / as many as may be, of the objective that is worst; 0 of no trials."""
    ratios = [0.0]
    for objective in state.search.slo.objectives:
        ratios.append(late_ratio([point_of(trial, objective) for trial in trials]))
    return max(ratios)


def late_ratio(points: Sequence[fit.Point]) -> float:
    """I/Os beyond the limit in all of them / as many as may be; 0 of none."""
    may_be = sum(point.allowed * point.ios for point in points)
    return sum(point.beyond for point in points) / may_be if may_be else 0.0


def one_of_us(state: State) -> str:
    """Who measures, in words."""
    return "this host" if state.search.slo.hosts == 1 else "one of the hosts"


def make_trial(state: State, rate: float, phase: Phase) -> Trial:
    """One valid trial. Void ones are kept as void; raises Stopped, Dead, OutOfTime, and NotSteady.

    A trial that drifted is repeated twice as long. Where the latency rises in the longest one too, more comes than the storage
    carries, and the trial counts as missed. One that the busy machine spoilt, or that missed beside others on the device, is
    repeated as it was; a machine that stays busy, and others who stay, make it count as missed.
    """
    longer = 1
    for attempt in range(VOID_RETRIES_MAX + 1):
        trial = _to_its_end(state, rate, phase, longer)
        if attempt == VOID_RETRIES_MAX and rose_while_it_held(state.search.slo, trial):
            trial = trial.model_copy(update={"held": False, "worst_ratio": _RAN_AWAY_RATIO})
        others = None if attempt == VOID_RETRIES_MAX else _missed_beside_others(state, trial)
        if others is not None:
            trial = trial.model_copy(update={"held": None, "void_reason": others})
        keep(state, trial)
        if trial.held is not None:
            return trial
        if trial.cell.was_away or others is not None:
            continue
        if disturbance(state.search.slo, trial.cell) is None:
            longer *= 2
        elif state.is_over_budget:
            break
    last = state.trials[-1]
    if last.cell.was_away:
        raise Dead(f"in each of {VOID_RETRIES_MAX + 1} trials {outage_words(last.cell)}")
    if disturbance(state.search.slo, last.cell) is not None:
        return last
    raise NotSteady


def _missed_beside_others(state: State, trial: Trial) -> str | None:
    """Who else was at work on the device in a trial that missed; None where nobody was seen, or where they stay anyway."""
    words = others_words(trial.cell) if trial.held is False and not trial.cell.errors else None
    if words is None or state.beside_others >= TRIALS_BESIDE_OTHERS_MAX or state.is_over_budget:
        return None
    state.beside_others += 1
    return words


def _to_its_end(state: State, rate: float, phase: Phase, longer: int) -> Trial:
    """A trial; one that a single long wait ended is kept as void, and made again to its full length."""
    trial = _tried(state, rate, phase, _runtime_s(state, rate, phase, longer), state.give_up_us)
    is_whole = trial.cell.was_away or not given_up_too_soon(state.search.slo, trial)
    if is_whole or state.made_to_end >= TRIALS_TO_END_MAX:
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
    _learn_of_waits(state, trial)
    return trial


def _learn_of_waits(state: State, trial: Trial) -> None:
    """A storage that was seen to go on after a long wait is given more time from then on; what was given up after hardly a longer
    one, at no higher a rate, tells nothing."""
    if trial.cell.was_away or trial.cell.ended_early or _is_mostly_late(state.search.slo, trial.cell):
        return
    waited_us = _WAIT_AGAIN * (trial.cell.latency_us.max or 0.0)
    state.give_up_us = max(state.give_up_us, waited_us)
    void_given_up(state, trial.rate, waited_us)


def void_given_up(state: State, rate_max: float, waited_us_max: float) -> None:
    """Trials that were given up tell nothing, up to this rate and this wait."""
    for number, trial in enumerate(state.trials):
        if trial.cell.was_away:
            continue
        waited_us = trial.cell.latency_us.max or 0.0
        if trial.cell.ended_early == "gave_up" and trial.rate <= rate_max and waited_us <= waited_us_max:
            state.trials[number] = trial.model_copy(update={"held": None, "void_reason": GIVEN_UP})


def keep(state: State, trial: Trial) -> None:
    """Adds a trial to those of the search; raises Dead."""
    state.trials.append(trial)
    state.on_trial(trial, _expected(state))
    if trial.cell.ended_early == "errors":
        raise Dead("from some moment on all its I/Os failed")


def given_up_too_soon(slo: Slo, trial: Trial) -> bool:
    """Whether a wait ended the trial although most I/Os until then were in time: a storage that stands still for a moment does
    that as well as a queue that only grows. Where all of it happened before anything was measured, nobody can tell either."""
    return (
        trial.cell.ended_early == "gave_up" and not trial.cell.errors and not _is_mostly_late(slo, trial.cell)
    )


def _is_mostly_late(slo: Slo, cell: Cell) -> bool:
    """Whether of an objective half of the I/Os or more were beyond its limit, as in a queue that grows."""
    spreads = [(spread_of(objective, cell), objective.limit_us) for objective in slo.objectives]
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
    return trial.void_reason is not None and not trial.cell.was_away and worst(slo, trial.cell)[1] <= 1


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
    nobody knows, as of an objective of one class or one host."""
    objective, _ = worst(slo, cell)
    tails = [
        window.latency_us_p99 if objective.quantile >= 0.99 else window.latency_us_p50
        for window in cell.windows
    ]
    known = [tail for tail in tails if tail is not None]
    is_of_all = objective.io_class is None and objective.host is None
    return median(known) / objective.limit_us if known and is_of_all else 0.0


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
    """At least 30/(1-q) I/Os of every class that has an objective, on each host, at least `trial_s` and `trial_ios`, and
    long enough for a queue to show that it grows; or a share of that."""
    total = sum(io.weight for io in search.workload.classes)
    weights = {io.name: io.weight / total for io in search.workload.classes}
    needed = [
        TAIL_SAMPLES_MIN
        / (1 - objective.quantile)
        / (rate / search.slo.hosts * weights.get(objective.io_class or "", 1.0))
        for objective in search.slo.objectives
    ]
    queue_s = TRIAL_LIMITS * search.slo.limit_us_max / 1e6
    counted_s = min(search.trial_ios / rate, search.trial_s_max)
    return share * max(search.trial_s, counted_s, min(queue_s, TRIAL_QUEUE_S_MAX), *needed)


def judge(state: State, cell: Cell, rate: float, phase: Phase) -> Trial:
    """Whether it held, by how much, and whether that is valid."""
    objective, ratio = worst(state.search.slo, cell)
    ratio = max(ratio, min(overload(cell, rate), HOPELESS_FACTOR))
    held = ratio <= 1 and cell.ended_early in ("", "stopped") and cell.errors == 0
    state.tool_bound = state.tool_bound or (not held and cpu_share(cell) > THREAD_CPU_SHARE_MAX)
    void = outage_words(cell) if cell.was_away else None
    if void is None and not cell.ended_early:
        void = _spoilt(state.search.slo, cell, held) or void_reason(cell, objective.limit_us, held)
    return Trial(
        rate=rate,
        achieved=cell.iops,
        latency_us=part_of(objective, cell).latency_us,
        held=None if void else held,
        worst_ratio=ratio,
        limiting_class=limiting_class(objective, cell),
        limiting_host=objective.host,
        phase=phase,
        void_reason=void,
        cell=cell,
    )


def _spoilt(slo: Slo, cell: Cell, held: bool) -> str | None:
    """Why a miss says nothing about the storage. A trial that held all the same counts."""
    return None if held else disturbance(slo, cell)


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

"""The line search: the highest rate of arrivals at which the latency objective still holds.

Arrivals are open-loop and each latency counts from when the I/O was due, so a queue cannot hide. The search brackets the
line by doubling, narrows the bracket by halving its ratio, gathers trials around the crossing, and ends with fresh trials at
the answer. The measurement itself is handed in, so that the search runs the same on a device and on a simulated one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from plimsoll.base.limits import (
    HOPELESS_FACTOR,
    RATE_PER_S_MAX,
    TAIL_SAMPLES_MIN,
    TRIAL_S,
    TRIAL_WINDOWS,
    VOID_RETRIES_MAX,
    WARM_UP_S,
)
from plimsoll.base.units import format_rate, format_us
from plimsoll.facts import Cell, ClassResult, LatencyUs, Line, Note, Objective, Slo, Trial, Workload
from plimsoll.supply import fit
from plimsoll.supply.drift import void_reason
from plimsoll.supply.latency import ios_above, quantile_us

Phase = Literal["bracket", "narrow", "confirm"]
Outcome = Literal["found", "never_held", "not_limited", "unsteady", "interrupted"]

_NARROW_ENOUGH = 1.10
_START_SHARE = 0.25
_LOWEST_SHARE = 1 / 512
_CPU_SHARE_MAX = 0.92
"""A submitting thread this busy is itself what the I/Os wait for."""
_GATHERED = 5
_STEP_DOWN = 0.975
_STEPS_DOWN_MAX = 8
_STEP_LIMIT = 1.06


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
    """What to look for, and how long to look. `trials_confirm` fresh trials are made at the answer."""

    slo: Slo
    workload: Workload
    start_rate: float
    """A guess of the capacity, from a short closed-loop run."""
    trial_s: float = TRIAL_S
    warm_up_s: float = WARM_UP_S
    trials_confirm: int = 5
    rate_max: float = RATE_PER_S_MAX
    seed: int = 1


class Stopped(Exception):
    """The user asked to end the search; what was measured is kept."""


@dataclass
class _State:
    search: Search
    measure: Measure
    cancelled: Callable[[], bool]
    on_trial: Callable[[Trial, int], None]
    trials: list[Trial] = field(default_factory=list)
    tool_bound: bool = False

    def valid(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.held is not None]

    def points(self) -> list[fit.Point]:
        return [(trial.rate, trial.worst_ratio) for trial in self.valid()]


def find_line(
    search: Search,
    measure: Measure,
    cancelled: Callable[[], bool] = lambda: False,
    on_trial: Callable[[Trial, int], None] = lambda trial, expected: None,
) -> Line:
    """Searches. `on_trial` is told of every trial and of how many are expected in all.

    Never raises for what the device does: that it never held the objective, or was never brought to its limit, is an answer.
    """
    state = _State(search, measure, cancelled, on_trial)
    try:
        return _search(state)
    except Stopped:
        return _interrupted(state)


def _search(state: _State) -> Line:
    held, missed = _bracket(state)
    if held is None:
        return _never_held(state)
    if missed is None:
        return _not_limited(state, held)
    held, missed = _narrow(state, held, missed)
    estimate = _gather(state, held, missed)
    confirmed = _confirm(state, estimate)
    if confirmed is None:
        return _unsteady(state)
    return _found(state, confirmed)


def _bracket(state: _State) -> tuple[float | None, float | None]:
    """Doubles until the objective is missed, halves until it holds; a miss counts when it is seen twice."""
    first = state.search.start_rate * _START_SHARE
    rate, held, missed = first, None, None
    while True:
        if _holds(state, rate):
            held = rate
            if missed is not None:
                return held, None if state.tool_bound else missed
            if rate >= state.search.rate_max:
                return held, None
            rate = min(rate * 2, state.search.rate_max)
        elif state.tool_bound and held is not None:
            return held, None
        else:
            missed = rate
            if held is not None:
                return held, missed
            rate /= 2
            if rate < first * _LOWEST_SHARE or rate < 1:
                return None, missed


def _holds(state: _State, rate: float) -> bool:
    """A single hold is enough while bracketing; a single miss may be a stall of a shared machine and is tried again."""
    if _trial(state, rate, "bracket").held:
        return True
    overrun = state.trials[-1].cell.ended_early == "gave_up"
    return False if overrun else bool(_trial(state, rate, "bracket").held)


def _narrow(state: _State, held: float, missed: float) -> tuple[float, float]:
    while missed / held > _NARROW_ENOUGH:
        rate = (held * missed) ** 0.5
        if _trial(state, rate, "narrow").held:
            held = rate
        else:
            missed = rate
    return held, missed


def _gather(state: _State, held: float, missed: float) -> float:
    """Trials around the crossing, each placed at the best estimate so far, in small steps so that one stall leads nowhere."""
    estimate = held
    for _ in range(_GATHERED):
        _trial(state, estimate, "narrow")
        better = fit.crossing(fit.near(state.points(), estimate)) or estimate
        estimate = min(max(better, estimate / _STEP_LIMIT), estimate * _STEP_LIMIT, missed)
    return estimate


def _confirm(state: _State, estimate: float) -> float | None:
    """Fresh trials at the answer: four in five must hold, else the answer steps down and is tried anew."""
    rate = estimate
    for _ in range(_STEPS_DOWN_MAX + 1):
        if _confirmed_at(state, rate):
            return rate
        rate *= _STEP_DOWN
    return None


def _confirmed_at(state: _State, rate: float) -> bool:
    wanted, misses_allowed = state.search.trials_confirm, state.search.trials_confirm // 5
    held = misses = 0
    while held + misses < wanted:
        if _trial(state, rate, "confirm").held:
            held += 1
        else:
            misses += 1
        if misses > misses_allowed:
            return False
    return True


def _trial(state: _State, rate: float, phase: Phase) -> Trial:
    """One trial that may be believed; a void one is repeated, twice as long, and kept as void."""
    runtime_s = _runtime_s(state.search, rate)
    for attempt in range(VOID_RETRIES_MAX + 1):
        if state.cancelled():
            raise Stopped
        trial = _judge(state, _measure(state, rate, runtime_s * 2**attempt), rate, phase)
        if trial.cell.ended_early == "stopped":
            raise Stopped
        state.trials.append(trial)
        state.on_trial(trial, _expected(state))
        if trial.held is not None:
            break
    return state.trials[-1]


def _measure(state: _State, rate: float, runtime_s: float) -> Cell:
    return state.measure(
        rate=rate,
        runtime_s=runtime_s,
        warm_up_s=state.search.warm_up_s,
        window_s=runtime_s / TRIAL_WINDOWS,
        give_up_latency_us=HOPELESS_FACTOR * state.search.slo.limit_us_max,
        seed=state.search.seed * 1000 + len(state.trials),
    )


def _runtime_s(search: Search, rate: float) -> float:
    """At least 30/(1-q) I/Os of every class that has an objective, and at least `trial_s`."""
    total = sum(io.weight for io in search.workload.classes)
    weights = {io.name: io.weight / total for io in search.workload.classes}
    needed = [
        TAIL_SAMPLES_MIN / (1 - objective.quantile) / (rate * weights.get(objective.io_class or "", 1.0))
        for objective in search.slo.objectives
    ]
    return max(search.trial_s, *needed)


def _judge(state: _State, cell: Cell, rate: float, phase: Phase) -> Trial:
    objective, ratio = _worst(state.search.slo, cell)
    held = ratio <= 1 and cell.ended_early in ("", "stopped") and cell.errors == 0
    state.tool_bound = state.tool_bound or (not held and _cpu_share(cell) > _CPU_SHARE_MAX)
    void = None if cell.ended_early else void_reason(cell, objective.limit_us, held)
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


def _cpu_share(cell: Cell) -> float:
    """How busy each job's thread was, kernel work included."""
    busy_s = cell.cpu_s.user + cell.cpu_s.system
    return busy_s / (cell.runtime_s * cell.jobs) if cell.runtime_s else 0.0


def _worst(slo: Slo, cell: Cell) -> tuple[Objective, float]:
    ratios = [(objective, _ratio(objective, cell)) for objective in slo.objectives]
    return max(ratios, key=lambda pair: pair[1])


def _ratio(objective: Objective, cell: Cell) -> float:
    """Measured quantile / limit. A run that was given up counts as far beyond; without enough I/Os the maximum decides."""
    spread = _spread(objective.io_class, cell)
    measured = quantile_us(spread, objective.quantile) or spread.max or 0.0
    if cell.ended_early == "gave_up":
        measured = max(measured, HOPELESS_FACTOR * objective.limit_us)
    return measured / objective.limit_us


def _spread(io_class: str | None, cell: Cell) -> LatencyUs:
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


def _expected(state: _State) -> int:
    """A guess of the whole number of trials, for the time left; never below what is certain to come."""
    phase = state.trials[-1].phase
    ahead = {"bracket": 5 + _GATHERED, "narrow": 3, "confirm": 0}[phase]
    done_confirming = sum(trial.phase == "confirm" for trial in state.trials)
    return len(state.trials) + ahead + max(1, state.search.trials_confirm - done_confirming)


def _found(state: _State, rate: float) -> Line:
    points = fit.near(state.points(), rate)
    ci95 = fit.interval(points, state.search.seed)
    if ci95 is not None:
        ci95 = min(ci95[0], rate), max(ci95[1], rate)
    near_miss = [t for t in state.valid() if not t.held] or state.valid()
    limiting = min(near_miss, key=lambda trial: abs(trial.rate - rate)).limiting_class
    reason = f"the objective {state.search.slo.text} holds up to {format_rate(rate)} I/Os per second"
    return _line(state, "found", reason, rate, ci95, limiting)


def _never_held(state: _State) -> Line:
    last = state.trials[-1]
    reason = (
        f"the objective {state.search.slo.text} was never held: at {format_rate(last.rate)} I/Os per second, the lowest"
        f" rate tried, p99 was {format_us(last.latency_us.p99)}"
    )
    return _line(state, "never_held", reason, None, None, last.limiting_class)


def _not_limited(state: _State, held: float) -> Line:
    cause = (
        "our own processor time, not the storage, was the limit"
        if state.tool_bound
        else "that is the highest rate tried"
    )
    reason = (
        f"the storage was never brought to its limit: {state.search.slo.text} still held at {format_rate(held)} I/Os per"
        f" second, and {cause}; the line lies at or above it"
    )
    return _line(state, "not_limited", reason, held, None, None)


def _unsteady(state: _State) -> Line:
    reason = (
        f"no rate near {format_rate(state.trials[-1].rate)} I/Os per second held {state.search.slo.text} in four of five"
        " trials: the storage, or the machine beside it, is not steady enough for a line"
    )
    return _line(state, "unsteady", reason, None, None, state.trials[-1].limiting_class)


def _interrupted(state: _State) -> Line:
    reason = f"the search was interrupted after {len(state.trials)} trials; the line is not known yet"
    return _line(state, "interrupted", reason, None, None, None)


def _line(
    state: _State,
    outcome: Outcome,
    reason: str,
    rate: float | None,
    ci95: tuple[float, float] | None,
    limiting: str | None,
) -> Line:
    return Line(
        line_iops=rate,
        ci95=ci95,
        outcome=outcome,
        reason=reason,
        slo=state.search.slo,
        workload=state.search.workload,
        limiting_class=limiting,
        trials=tuple(state.trials),
        notes=_notes(state),
    )


def _notes(state: _State) -> tuple[Note, ...]:
    """Notes of all trials, each code once, and how many trials were void."""
    notes = {note.code: note for trial in state.trials for note in trial.cell.notes}
    void = [trial for trial in state.trials if trial.held is None]
    if void:
        reason = void[-1].void_reason
        notes["void-trials"] = Note(
            code="void-trials", message=f"{len(void)} trials were void and repeated: {reason}"
        )
    return tuple(notes.values())

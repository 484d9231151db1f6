"""The line search: the highest rate of arrivals at which the latency objective still holds.

Arrivals are open-loop and each latency counts from when the I/O was due, so a queue cannot hide. The search brackets the
line by doubling, narrows the bracket by halving its ratio, gathers trials around the crossing, and ends with fresh trials at
the answer. The measurement itself is handed in, so that the search runs the same on a device and on a simulated one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, Protocol

from plimsoll.base.limits import (
    HOPELESS_FACTOR,
    RATE_PER_S_MAX,
    TAIL_SAMPLES_MIN,
    TRIAL_S,
    TRIAL_S_MAX,
    TRIAL_WINDOWS,
    VOID_RETRIES_MAX,
    WARM_UP_S,
    WINDOW_S_MIN,
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
_HARDLY_BETTER = 0.8
_OF_ONE_TRIAL = frozenset({"gave-up"})
"""Codes of notes that say something of a trial and nothing of the line."""
_WAITING_SHARE_MAX = 0.02
"""Measuring threads that wait longer than this for a processor make more I/Os late than a 99th percentile forgives."""
_CPU_SHARE_MAX = 0.92
"""A submitting thread this busy is itself what the I/Os wait for."""
_NEVER_BUSY = ("sim", "psync")
_GATHERED_MIN = 5
_GATHERED_MAX = 12
_SETTLED = 1.02
_INTERVAL_ENOUGH = 1.10
_BLUR_MAX = 0.045
"""Beyond it no rate would hold nine times in ten while 1.15 times that rate fails nine times in ten."""
_STEP_LIMIT = 1.06
_PLACES = (0.0, -1.0, 1.0, -0.5, 0.5)
"""Where around the middle the trials go, in spreads: apart enough for a slope, near enough for a straight line."""
_STEP_DOWN = 0.006
"""First step down from a rate that was not confirmed; each further one is twice as large."""
_STEPS_DOWN_MAX = 6


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
    trial_ios: int = 0
    """Least number of I/Os of a trial, beyond what its quantile needs."""
    trial_s_max: float = TRIAL_S_MAX
    """Rates so low that a trial would take longer for its quantile are not tried."""
    stretch_max: int = 4
    """Noisy trials are made this many times longer at most."""
    warm_up_s: float = WARM_UP_S
    trials_confirm: int = 5
    rate_max: float = RATE_PER_S_MAX
    seed: int = 1


class Stopped(Exception):
    """The user asked to end the search; what was measured is kept."""


class NotSteady(Exception):
    """A trial stayed void however long it was made."""


@dataclass
class _State:
    search: Search
    measure: Measure
    cancelled: Callable[[], bool]
    on_trial: Callable[[Trial, int], None]
    trials: list[Trial] = field(default_factory=list)
    tool_bound: bool = False
    stretch: int = 1
    """By how much trials were made longer, because shorter ones said too little."""
    spread: float = fit.spread(1.0)

    def valid(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.held is not None]

    def points(self) -> list[fit.Point]:
        return [fit.Point(trial.rate, trial.worst_ratio, trial.cell.runtime_s) for trial in self.valid()]


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
    except NotSteady:
        return _drifting(state)


def _search(state: _State) -> Line:
    held, missed = _bracket(state)
    if held is None:
        return _host_busy(state) if _waiting_share(state) > _WAITING_SHARE_MAX else _never_held(state)
    if missed is None:
        return _not_limited(state, held)
    estimate = _gather(state, _narrow(state, held, missed))
    confirmed = _confirm(state, estimate)
    return _unconfirmed(state) if confirmed is None else _found(state, confirmed)


def _bracket(state: _State) -> tuple[float | None, float | None]:
    """Doubles until the objective is missed, halves until it holds; a miss counts when it is seen twice."""
    first = state.search.start_rate * _START_SHARE
    rate, held, missed = first, None, None
    while True:
        if _holds(state, rate, "bracket"):
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
            if rate < first * _LOWEST_SHARE or rate < 1 or _no_better_when_slower(state):
                return None, missed


def _no_better_when_slower(state: _State) -> bool:
    """Whether the last two halvings of the rate hardly helped: then the latency is not of a queue, and no rate will hold."""
    best: dict[float, float] = {}
    for trial in state.valid():
        best[trial.rate] = min(trial.worst_ratio, best.get(trial.rate, trial.worst_ratio))
    ratios = [best[rate] for rate in sorted(best)[:3]]
    return len(ratios) == 3 and ratios[0] > _HARDLY_BETTER * ratios[2]


def _holds(state: _State, rate: float, phase: Phase) -> bool:
    """A single hold is enough; a single miss may be a stall of a shared machine, so one that is not plain is tried again."""
    first = _trial(state, rate, phase)
    if first.held or _plain_miss(state, first):
        return bool(first.held)
    return bool(_trial(state, rate, phase).held)


def _plain_miss(state: _State, trial: Trial) -> bool:
    """Whether the trial missed throughout, and not through one bad moment: most of its windows, taken alone, miss too."""
    if trial.cell.errors:
        return True
    if trial.cell.ended_early:
        return (trial.cell.processor_wait_share or 0.0) <= _WAITING_SHARE_MAX
    objective, _ = _worst(state.search.slo, trial.cell)
    if objective.io_class is not None:
        return False
    tails = [
        window.latency_us_p99 if objective.quantile >= 0.99 else window.latency_us_p50
        for window in trial.cell.windows
    ]
    known = [tail for tail in tails if tail is not None]
    return bool(known) and median(known) > objective.limit_us


def _narrow(state: _State, held: float, missed: float) -> float:
    while missed / held > _NARROW_ENOUGH:
        rate = (held * missed) ** 0.5
        if _holds(state, rate, "narrow"):
            held = rate
        else:
            missed = rate
    return held


def _gather(state: _State, middle: float) -> float:
    """Trials on both sides of the crossing, in small steps so that one stall leads nowhere; returns where the line should be.

    It goes on until the middle stands still and the interval is narrow: a noisy device gets more trials than a quiet one,
    and longer ones when single trials blur the line.
    """
    count, fitted = 0, None
    while count < _GATHERED_MAX:
        _trial(state, middle * (1 + _PLACES[count % len(_PLACES)] * state.spread), "narrow")
        count += 1
        fitted = _fit(state, middle)
        state.spread = fit.spread(fitted.slope) if fitted else state.spread
        move = fitted.middle / middle if fitted else 1.0
        middle *= min(max(move, 1 / _STEP_LIMIT), _STEP_LIMIT)
        if count < _GATHERED_MIN or fitted is None:
            continue
        cliff = fit.edge(state.points())
        if cliff is not None:
            return cliff[0]
        if fitted.blur > _BLUR_MAX and state.stretch < state.search.stretch_max:
            state.stretch *= 2
            count = 0
        elif 1 / _SETTLED < move < _SETTLED and _is_narrow(state, middle):
            break
    return fitted.crossing if fitted else middle


def _fit(state: _State, rate: float) -> fit.Fit | None:
    points = state.points()
    return fit.fit(fit.near(points, rate, state.spread), fit.slope_floor(points, rate))


def _interval(state: _State, rate: float) -> tuple[float, float] | None:
    points = state.points()
    return fit.edge(points) or fit.interval(
        fit.near(points, rate, state.spread), fit.slope_floor(points, rate), state.search.seed
    )


def _is_narrow(state: _State, rate: float) -> bool:
    ends = _interval(state, rate)
    return ends is not None and ends[1] / ends[0] < _INTERVAL_ENOUGH


def _confirm(state: _State, estimate: float) -> float | None:
    """Fresh trials at the answer: four in five must hold, else it steps down, to where these trials put it, and is tried anew."""
    rate, step = estimate, _STEP_DOWN
    for _ in range(_STEPS_DOWN_MAX + 1):
        if _confirmed_at(state, rate):
            return rate
        fitted = _fit(state, rate)
        better = max(fitted.crossing, rate / _STEP_LIMIT) if fitted else rate
        rate = min(better, rate * (1 - step))
        step *= 2
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
    """One trial that may be believed; a void one is repeated, twice as long, and kept as void. Raises Stopped and NotSteady."""
    runtime_s = _runtime_s(state.search, rate) * state.stretch
    for attempt in range(VOID_RETRIES_MAX + 1):
        if state.cancelled():
            raise Stopped
        trial = _judge(state, _measure(state, rate, runtime_s * 2**attempt), rate, phase)
        if trial.cell.ended_early == "stopped":
            raise Stopped
        state.trials.append(trial)
        state.on_trial(trial, _expected(state))
        if trial.held is not None:
            return trial
    raise NotSteady


def _measure(state: _State, rate: float, runtime_s: float) -> Cell:
    return state.measure(
        rate=rate,
        runtime_s=runtime_s,
        warm_up_s=state.search.warm_up_s,
        window_s=max(WINDOW_S_MIN, runtime_s / TRIAL_WINDOWS),
        give_up_latency_us=HOPELESS_FACTOR * state.search.slo.limit_us_max,
        seed=state.search.seed * 1000 + len(state.trials),
    )


def _runtime_s(search: Search, rate: float) -> float:
    """At least 30/(1-q) I/Os of every class that has an objective, and at least `trial_s` and `trial_ios`."""
    total = sum(io.weight for io in search.workload.classes)
    weights = {io.name: io.weight / total for io in search.workload.classes}
    needed = [
        TAIL_SAMPLES_MIN / (1 - objective.quantile) / (rate * weights.get(objective.io_class or "", 1.0))
        for objective in search.slo.objectives
    ]
    return max(search.trial_s, search.trial_ios / rate, *needed)


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
    """How busy the submitting threads were, kernel work included; 0 where time is virtual, or where each I/O has its own thread."""
    if cell.engine in _NEVER_BUSY or not cell.runtime_s:
        return 0.0
    return (cell.cpu_s.user + cell.cpu_s.system) / (cell.runtime_s * cell.jobs)


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
    ahead = {"bracket": 5 + _GATHERED_MIN, "narrow": 3, "confirm": 0}[phase]
    last = state.trials[-1]
    done_confirming = sum(trial.phase == "confirm" and trial.rate == last.rate for trial in state.trials)
    return len(state.trials) + ahead + max(1, state.search.trials_confirm - done_confirming)


def _found(state: _State, rate: float) -> Line:
    ci95 = _interval(state, rate)
    if ci95 is not None:
        ci95 = min(ci95[0], rate), max(ci95[1], rate)
    near_miss = [t for t in state.valid() if not t.held] or state.valid()
    limiting = min(near_miss, key=lambda trial: abs(trial.rate - rate)).limiting_class
    reason = f"the objective {state.search.slo.text} holds up to {format_rate(rate)} I/Os per second"
    return _line(state, "found", reason, rate, ci95, limiting)


def _never_held(state: _State) -> Line:
    last = state.trials[-1]
    rate = f"at {format_rate(last.rate)} I/Os per second, the lowest rate tried,"
    reason = f"the objective {state.search.slo.text} was never held: {rate} {_shortcoming(state, last)}"
    return _line(state, "never_held", reason, None, None, last.limiting_class)


def _waiting_share(state: _State) -> float:
    """Share of the time that the measuring threads waited for a processor, in the middle one of the trials that missed."""
    shares = [
        t.cell.processor_wait_share
        for t in state.trials
        if not t.held and t.cell.processor_wait_share is not None
    ]
    return median(shares) if shares else 0.0


def _host_busy(state: _State) -> Line:
    reason = (
        f"the machine's processors were too busy to measure storage: {state.search.slo.text} was missed at every rate, but"
        f" for {_waiting_share(state):.0%} of the time the measuring threads waited for a processor; try again on a quiet machine"
    )
    return _line(state, "unsteady", reason, None, None, None)


def _shortcoming(state: _State, trial: Trial) -> str:
    """What was wrong with a trial that missed."""
    if trial.cell.errors:
        return f"{trial.cell.errors:,} of {trial.cell.errors + trial.cell.ios:,} I/Os failed"
    objective, _ = _worst(state.search.slo, trial.cell)
    spread = _spread(objective.io_class, trial.cell)
    measured = quantile_us(spread, objective.quantile)
    whose = f"{objective.io_class} " if objective.io_class else ""
    name = f"{whose}p{objective.quantile * 100:.6g}"
    if measured is None:
        return f"the longest {whose}I/O took {format_us(spread.max)}"
    return f"{name} was {format_us(measured)}"


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


def _unconfirmed(state: _State) -> Line:
    reason = (
        f"no rate near {format_rate(state.trials[-1].rate)} I/Os per second held {state.search.slo.text} in four of five"
        " trials: the storage, or the machine beside it, is not steady enough for a line"
    )
    return _line(state, "unsteady", reason, None, None, state.trials[-1].limiting_class)


def _drifting(state: _State) -> Line:
    last = state.trials[-1]
    reason = (
        f"no trial at {format_rate(last.rate)} I/Os per second can be believed, though each was longer than the one"
        f" before: {last.void_reason}"
    )
    return _line(state, "unsteady", reason, None, None, last.limiting_class)


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
    all_notes = (note for trial in state.trials for note in trial.cell.notes)
    notes = {note.code: note for note in all_notes if note.code not in _OF_ONE_TRIAL}
    void = [trial for trial in state.trials if trial.held is None]
    if void:
        reason = void[-1].void_reason
        notes["void-trials"] = Note(
            code="void-trials", message=f"trials that were void and repeated: {len(void)}, because {reason}"
        )
    waiting = _waiting_share(state)
    if waiting > _WAITING_SHARE_MAX:
        message = (
            f"in the trials that missed, the measuring threads waited for a processor {waiting:.0%} of the time: the machine"
            " was busy with other work, and the line may lie higher than this"
        )
        notes["host-busy"] = Note(code="host-busy", message=message)
    return tuple(notes.values())

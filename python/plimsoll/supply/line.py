"""The line search: the highest rate of arrivals at which the latency objective still holds.

Arrivals are open-loop and each latency counts from when the I/O was due, so a queue cannot hide. The search brackets the
line by doubling, narrows the bracket by halving its ratio, gathers trials around the crossing, and ends with fresh trials at
the answer. The measurement itself is handed in, so that the search runs the same on a device and on a simulated one.
"""

from __future__ import annotations

from collections.abc import Callable

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.facts import Line, Trial
from plimsoll.supply import fit, outcomes
from plimsoll.supply.trials import (
    GATHERED_MIN,
    Dead,
    Measure,
    NotSteady,
    Phase,
    Search,
    State,
    Stopped,
    make_trial,
    plain_miss,
    runtime_needed_s,
)

__all__ = ["Measure", "Search", "find_line", "holds_at"]

_NARROW_ENOUGH = 1.10
_START_SHARE = 0.25
_LOWEST_SHARE = 1 / 512
_HARDLY_BETTER = 0.8
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


def find_line(
    search: Search,
    measure: Measure,
    cancelled: Callable[[], bool] = lambda: False,
    on_trial: Callable[[Trial, int], None] = lambda trial, expected: None,
) -> Line:
    """Searches. `on_trial` is told of every trial and of how many are expected in all.

    Never raises for what the device does: that it never held the objective, or was never brought to its limit, is an answer.
    A device that fails ends the search with the trials made until then; when there are none, the failure is raised.
    """
    state = State(search, measure, cancelled, on_trial)
    try:
        return _search(state)
    except Stopped:
        return outcomes.interrupted(state)
    except NotSteady:
        return outcomes.drifting(state)
    except Dead:
        return outcomes.failed(state, "from some moment on all its I/Os failed")
    except PlimsollError as error:
        if error.status is not ExitStatus.WORLD_FAILED or not state.trials:
            raise
        return outcomes.failed(state, error.message)


def holds_at(
    search: Search,
    rate: float,
    trials: int,
    measure: Measure,
    cancelled: Callable[[], bool] = lambda: False,
    on_trial: Callable[[Trial, int], None] = lambda trial, expected: None,
) -> bool | None:
    """Whether the objective holds at this rate, in so many trials; None when the user asked to end.

    A single miss that is not plain is tried again, as it may be a stall of a shared machine. What is unclear, or fails, does
    not hold: a search says why.
    """
    if rate > search.rate_max or runtime_needed_s(search, rate) > search.trial_s_max:
        return False
    state = State(search, measure, cancelled, on_trial)
    try:
        return _all_hold(state, rate, trials)
    except Stopped:
        return None
    except (NotSteady, Dead):
        return False
    except PlimsollError as error:
        if error.status is not ExitStatus.WORLD_FAILED:
            raise
        return False


def _all_hold(state: State, rate: float, trials: int) -> bool:
    held = misses = 0
    while held < trials:
        trial = make_trial(state, rate, "confirm")
        if trial.held:
            held += 1
            continue
        misses += 1
        if misses > 1 or plain_miss(state, trial):
            return False
    return True


def _search(state: State) -> Line:
    held, missed = _bracket(state)
    if held is None:
        return outcomes.never_held(state)
    if missed is None:
        return outcomes.not_limited(state, held)
    estimate = _gather(state, _narrow(state, held, missed))
    confirmed = _confirm(state, estimate)
    return (
        outcomes.unconfirmed(state)
        if confirmed is None
        else outcomes.found(state, confirmed, _interval(state, confirmed))
    )


def _bracket(state: State) -> tuple[float | None, float | None]:
    """Doubles until the objective is missed, halves until it holds; a miss counts when it is seen twice."""
    rate, held, missed = state.search.start_rate * _START_SHARE, None, None
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
            if _too_low(state, rate) or _no_better_when_slower(state):
                return None, missed


def _too_low(state: State, rate: float) -> bool:
    """Rates that nobody asks for, or at which a trial would take too long for its quantile."""
    lowest = state.search.start_rate * _START_SHARE * _LOWEST_SHARE
    return rate < lowest or runtime_needed_s(state.search, rate) > state.search.trial_s_max


def _no_better_when_slower(state: State) -> bool:
    """Whether the last two halvings of the rate hardly helped: then the latency is not of a queue, and no rate will hold."""
    best: dict[float, float] = {}
    for trial in state.valid():
        best[trial.rate] = min(trial.worst_ratio, best.get(trial.rate, trial.worst_ratio))
    ratios = [best[rate] for rate in sorted(best)[:3]]
    return len(ratios) == 3 and ratios[0] > _HARDLY_BETTER * ratios[2]


def _holds(state: State, rate: float, phase: Phase) -> bool:
    """A single hold is enough; a single miss may be a stall of a shared machine, so one that is not plain is tried again."""
    first = make_trial(state, rate, phase)
    if first.held or plain_miss(state, first):
        return bool(first.held)
    return bool(make_trial(state, rate, phase).held)


def _narrow(state: State, held: float, missed: float) -> float:
    while missed / held > _NARROW_ENOUGH:
        rate = (held * missed) ** 0.5
        if _holds(state, rate, "narrow"):
            held = rate
        else:
            missed = rate
    return held


def _gather(state: State, middle: float) -> float:
    """Trials on both sides of the crossing, in small steps so that one stall leads nowhere; returns where the line should be.

    It goes on until the middle stands still and the interval is narrow: a noisy device gets more trials than a quiet one,
    and longer ones when single trials blur the line.
    """
    count, fitted = 0, None
    while count < _GATHERED_MAX:
        make_trial(state, middle * (1 + _PLACES[count % len(_PLACES)] * state.spread), "narrow")
        count += 1
        fitted = _fit(state, middle)
        state.spread = fit.spread(fitted.slope) if fitted else state.spread
        move = fitted.middle / middle if fitted else 1.0
        middle *= min(max(move, 1 / _STEP_LIMIT), _STEP_LIMIT)
        if count < GATHERED_MIN or fitted is None:
            continue
        cliff = fit.edge(state.points())
        if cliff is not None:
            return cliff[0]
        if state.is_over_budget:
            break
        if fitted.blur > _BLUR_MAX and state.stretch < state.search.stretch_max:
            state.stretch *= 2
            count = 0
        elif 1 / _SETTLED < move < _SETTLED and _is_narrow(state, middle):
            break
    return fitted.crossing if fitted else middle


def _fit(state: State, rate: float) -> fit.Fit | None:
    points = state.points()
    return fit.fit(fit.near(points, rate, state.spread), fit.slope_floor(points, rate))


def _interval(state: State, rate: float) -> tuple[float, float] | None:
    points = state.points()
    return fit.edge(points) or fit.interval(
        fit.near(points, rate, state.spread), fit.slope_floor(points, rate), state.search.seed
    )


def _is_narrow(state: State, rate: float) -> bool:
    ends = _interval(state, rate)
    return ends is not None and ends[1] / ends[0] < _INTERVAL_ENOUGH


def _confirm(state: State, estimate: float) -> float | None:
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


def _confirmed_at(state: State, rate: float) -> bool:
    wanted, misses_allowed = state.search.trials_confirm, state.search.trials_confirm // 5
    held = misses = 0
    while held + misses < wanted:
        if make_trial(state, rate, "confirm").held:
            held += 1
        else:
            misses += 1
        if misses > misses_allowed:
            return False
    return True

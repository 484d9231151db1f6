"""The line search: the rate of arrivals at which the long-run quantile crosses its limit, with a 95 % interval.

Arrivals are open-loop and each latency counts from when the I/O was due, so a queue cannot hide. The search brackets the
line by doubling, narrows the bracket by halving its ratio, gathers trials around the crossing until the interval is narrow, and
ends with fresh trials at its lower end, the safe rate. The measurement itself is handed in, so that the search runs the same on a
device and on a simulated one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf, log

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.base.limits import TRIALS_TO_END_MAX
from plimsoll.facts import Line, Trial
from plimsoll.native.engine import runs_in_virtual_time
from plimsoll.supply import outcomes
from plimsoll.supply.changes import Changed, check_unchanged
from plimsoll.supply.controls import HostBusy, has_stalls, quiet_trial
from plimsoll.supply.fit import spread
from plimsoll.supply.trials import (
    GATHERED_MIN,
    Dead,
    Measure,
    NotSteady,
    OutOfTime,
    Phase,
    Search,
    State,
    Stopped,
    keep,
    plain_miss,
    pooled_ratio,
    runtime_needed_s,
    void_given_up,
    whole_trial,
)

__all__ = ["Measure", "Search", "find_line", "holds_at", "lost_at_first"]

_NARROW_ENOUGH = 1.25
_START_SHARE = 0.25
_LOWEST_SHARE = 1 / 512
_HARDLY_BETTER = 0.8
_GATHERED_MAX = 24
_SETTLED = 1.02
_INTERVAL_ENOUGH, _INTERVAL_FAIR = 1.15, 1.3
"""Upper end over lower one: narrow enough at any rate, and narrow enough where more trials hardly help."""
_STALE_TRIALS, _NO_NARROWER = 4, 0.9
"""Trials hardly help where the last so many left more than that of the interval's width, as a logarithm."""
_STEP_LIMIT = 1.08
_PLACES = (0.0, -1.0, 1.0, -0.5, 0.5)
"""Where around the middle the trials go, in spreads: apart enough for a slope, near enough for a straight line."""
_ROUNDS_MAX = 3
"""How often a safe rate that did not hold sends the search back to gather trials."""
_NOT_AGAIN = "it was the first one, and when it was made again at once, the objective held"
_CLEARLY = 1.5
"""Times as many beyond the limit as may be, in all fresh trials together: twice what chance makes of three. Between this and one
they neither hold nor miss clearly."""


_OF_HOSTS = {
    "host-lost": outcomes.host_lost,
    "clocks-apart": outcomes.not_together,
    "begin-missed": outcomes.not_together,
}
"""What ends a search on several hosts, and is no fault of the storage."""


def find_line(
    search: Search,
    measure: Measure,
    cancelled: Callable[[], bool] = lambda: False,
    on_trial: Callable[[Trial, int], None] = lambda trial, expected: None,
    clock_s: Callable[[], float] | None = None,
) -> Line:
    """Searches. `on_trial` is told of every trial and of how many are expected in all; the budget goes by `clock_s`, else by the
    time that the trials took.

    Never raises for what the device does: that it never held the objective, or was never brought to its limit, is an answer.
    A device that fails ends the search with the trials made until then; when there are none, the failure is raised. A host that is
    lost is an answer also where there are none, unless the user was ending the search.
    """
    state = State(search, measure, cancelled, on_trial, clock_s)
    try:
        return _search(state)
    except Stopped:
        return outcomes.interrupted(state)
    except NotSteady:
        return outcomes.drifting(state)
    except HostBusy:
        return outcomes.host_busy(state)
    except Changed as change:
        return outcomes.changed(state, change)
    except OutOfTime as late:
        return _out_of_time(state, late)
    except Dead as dead:
        return outcomes.failed(state, str(dead))
    except PlimsollError as error:
        if error.id in _OF_HOSTS and cancelled():
            return outcomes.interrupted(state)
        if error.status is not ExitStatus.WORLD_FAILED or not (state.trials or error.id == "host-lost"):
            raise
        return _OF_HOSTS.get(error.id, outcomes.failed)(state, error.message)


def lost_at_first(search: Search, measure: Measure, why: str, *, is_cancelled: bool) -> Line:
    """The answer where a host was lost before the first trial, while it was looked at what the storage can do."""
    state = State(search, measure, lambda: is_cancelled, lambda trial, expected: None)
    return outcomes.interrupted(state) if is_cancelled else outcomes.host_lost(state, why)


def _out_of_time(state: State, late: OutOfTime) -> Line:
    """What is known then; trials that contradict each other were to be settled by those for which no time was left."""
    try:
        check_unchanged(state, at_end=True)
    except Changed as change:
        return outcomes.changed(state, change)
    return outcomes.out_of_time(state, late)


def holds_at(
    search: Search,
    rate: float,
    trials: int,
    measure: Measure,
    cancelled: Callable[[], bool] = lambda: False,
    on_trial: Callable[[Trial, int], None] = lambda trial, expected: None,
    clock_s: Callable[[], float] | None = None,
) -> bool | None:
    """Whether the objective holds at this rate, in so many trials together; None when the user asked to end.

    A single miss that is not plain is tried again, as it may be a stall of a shared machine. What is unclear, fails, or does not
    fit into the time, does not hold: a search says why.
    """
    if rate > search.rate_max or runtime_needed_s(search, rate) > search.trial_s_max:
        return False
    state = State(search, measure, cancelled, on_trial, clock_s)
    try:
        return _all_hold(state, rate, trials)
    except Stopped:
        return None
    except (NotSteady, HostBusy, OutOfTime, Dead):
        return False
    except PlimsollError as error:
        if error.status is not ExitStatus.WORLD_FAILED:
            raise
        return False


def _all_hold(state: State, rate: float, trials: int) -> bool:
    held = misses = 0
    while held < trials:
        trial = quiet_trial(state, rate, "narrow")
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
        return outcomes.never_held(state, stalls=has_stalls(state, state.trials[-1]))
    if missed is None:
        return outcomes.not_limited(state, held)
    state.middle = (held * missed) ** 0.5
    late = None
    try:
        state.middle = _narrow(state, held, missed)
        _gather(state)
        _confirm(state)
    except OutOfTime as ended:
        late = ended
    if state.held_safe is None:
        check_unchanged(state, at_end=True)
    return outcomes.found(state) if late is None else outcomes.at_end_of_time(state, late)


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
                if not _holds_whatever_waits(state, missed):
                    return None, missed
                held, missed = missed, None
                rate = min(held * 2, state.search.rate_max)


def _holds_whatever_waits(state: State, rate: float) -> bool:
    """Before it is said that no rate holds: where a long wait ended the last trial, one at its rate goes to its full length. If
    that holds, the storage stood still when trials began, and none that was given up tells anything."""
    if state.trials[-1].cell.ended_early != "gave_up" or state.made_to_end >= TRIALS_TO_END_MAX:
        return False
    with suppress(OutOfTime):
        keep(state, whole_trial(state, rate, "bracket"))
    if not state.trials[-1].held:
        return False
    void_given_up(state, inf, inf)
    return True


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
    if not state.trials:
        return _first_holds(state, rate, phase)
    first = quiet_trial(state, rate, phase)
    if first.held or plain_miss(state, first):
        return bool(first.held)
    return bool(quiet_trial(state, rate, phase).held)


def _first_holds(state: State, rate: float, phase: Phase) -> bool:
    """The first trial of a search on a real device is made again where it missed, however plainly, as all others would look below
    it: threads, caches and a device that slept were still getting ready. Where it holds then, the first one tells nothing."""
    first = quiet_trial(state, rate, phase)
    if first.held or runs_in_virtual_time(first.cell.engine):
        return bool(first.held)
    missed = len(state.trials) - 1
    if not quiet_trial(state, rate, phase).held:
        return False
    state.trials[missed] = first.model_copy(update={"held": None, "void_reason": _NOT_AGAIN})
    return True


def _narrow(state: State, held: float, missed: float) -> float:
    while missed / held > _NARROW_ENOUGH:
        rate = (held * missed) ** 0.5
        if _holds(state, rate, "narrow"):
            held = rate
        else:
            missed = rate
    return (held * missed) ** 0.5


def _gather(state: State) -> None:
    """Trials on both sides of the crossing, in small steps so that one stall leads nowhere, until the middle stands still and the
    interval is narrow, or fair and no longer becoming narrower: a noisy device gets more trials than a quiet one."""
    widths: list[float] = []
    for count in range(_GATHERED_MAX):
        away = _PLACES[count % len(_PLACES)] * spread(state.slope)
        quiet_trial(state, state.middle * (1 + away), "gather")
        check_unchanged(state)
        moved, width = _move(state)
        widths.append(log(width))
        if count + 1 < GATHERED_MIN:
            continue
        if state.is_over_budget or state.left_s < _confirm_s(state):
            return
        if 1 / _SETTLED < moved < _SETTLED and _is_narrow(widths):
            return


def _is_narrow(widths: Sequence[float]) -> bool:
    """Whether an interval of that history, each the logarithm of upper over lower end, is as narrow as it pays to make it."""
    if widths[-1] < log(_INTERVAL_ENOUGH):
        return True
    before = widths[:-_STALE_TRIALS][-1:]
    is_stale = bool(before) and min(widths[-_STALE_TRIALS:]) > _NO_NARROWER * before[0]
    return is_stale and widths[-1] < log(_INTERVAL_FAIR)


def _move(state: State) -> tuple[float, float]:
    """Brings the middle to where the trials put the crossing, by small steps; by how much, and the interval's upper end over its
    lower one."""
    fitted = state.fitted()
    if fitted is None:
        return 1.0, inf
    state.slope = fitted[0].slope
    moved = min(max(fitted[0].crossing / state.middle, 1 / _STEP_LIMIT), _STEP_LIMIT)
    state.middle *= moved
    return moved, fitted[0].width


def _confirm_s(state: State) -> float:
    """What the fresh trials at the safe rate take."""
    each_s = state.search.warm_up_s + runtime_needed_s(state.search, state.middle)
    return state.search.trials_confirm * each_s


def _confirm(state: State) -> None:
    """Fresh trials at the safe rate, which rests on them: the others chose it. Where they do not hold together a lower one is
    tried; where they miss clearly, more trials are gathered first."""
    safe = inf
    for _ in range(_ROUNDS_MAX):
        fitted = state.fitted()
        if fitted is None:
            return
        state.missed_safe, safe = None, min(fitted[0].ci95[0], _below(state, safe))
        fresh = [quiet_trial(state, safe, "confirm") for _ in range(state.search.trials_confirm)]
        check_unchanged(state)
        if _is_confirmed(state, fresh):
            state.held_safe = safe
            return
        if pooled_ratio(state, _known(fresh)) > _CLEARLY:
            state.missed_safe = safe
            _move(state)
            _gather(state)


def _is_confirmed(state: State, fresh: Sequence[Trial]) -> bool:
    known = _known(fresh)
    return bool(known) and pooled_ratio(state, known) <= 1


def _known(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.held is not None]


def _below(state: State, rate: float) -> float:
    """Where half as many I/Os lie beyond the limit as at this rate, by the curve's slope."""
    return rate * (1 - spread(state.slope))

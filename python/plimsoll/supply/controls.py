"""Control trials: whether what was late was late by the load, or by the host.

Between the trials of a search, one at a twentieth of what the storage can do is made now and then. No queue forms there, so that
late I/Os are not the load's: other work on this host, or on what the storage shares with others, made them late. What was
measured since the last control that held is void then, whether it held or missed, and the search waits for a quiet moment.
"""

from __future__ import annotations

from math import sqrt

from plimsoll.base.limits import (
    CONTROL_IOS,
    CONTROL_RATE_SHARE,
    CONTROL_S,
    CONTROLS_MAX,
    TRIAL_WINDOWS,
    WINDOW_S_MIN,
)
from plimsoll.base.units import format_rate
from plimsoll.facts import Objective, Trial
from plimsoll.native.engine import runs_in_virtual_time
from plimsoll.native.latency import quantile_us
from plimsoll.supply.readings import spread_of
from plimsoll.supply.trials import Phase, State, Stopped, give_up_us, judge, make_trial, point_of

_EVERY = 4
"""Trials around the line between two controls."""
_CONTROL_S_MAX = 2.0
_CONTROL_WARM_UP_S = 0.1
_STALLS_FACTOR = 10.0
"""A tail so many times the median is none of a service time: an exponential one's p99 is 7 times its median."""
_CHANCE_Z = 2.33


class HostBusy(Exception):
    """The host was not quiet until the budget was spent."""


def quiet_trial(state: State, rate: float, phase: Phase) -> Trial:
    """A valid trial, and that no busy host spoilt; raises what `make_trial` raises, and HostBusy."""
    for _ in range(CONTROLS_MAX):
        trial = make_trial(state, rate, phase)
        if not _is_due(state, trial):
            return trial
        if _held(state):
            state.checked = len(state.trials)
            return trial
        _void(state)
        _wait_for_quiet(state)
    raise HostBusy


def has_stalls(state: State, trial: Trial) -> bool:
    """Whether the trial's late I/Os are stalls: far more than may be, and far slower than half of them are served."""
    if runs_in_virtual_time(trial.cell.engine) or trial.cell.errors or trial.cell.was_away:
        return False
    return any(_stalls(trial, objective) for objective in state.search.slo.objectives)


def _stalls(trial: Trial, objective: Objective) -> bool:
    point = point_of(trial, objective)
    may_be = point.allowed * point.ios
    if point.beyond < max(2.0, may_be + _CHANCE_Z * sqrt(may_be) + 0.5):
        return False
    spread = spread_of(objective, trial.cell)
    tail, half = quantile_us(spread, objective.quantile) or spread.max, spread.p50
    return tail is not None and half is not None and tail > _STALLS_FACTOR * half


def _is_due(state: State, trial: Trial) -> bool:
    if trial.held is None or trial.cell.errors or runs_in_virtual_time(trial.cell.engine):
        return False
    if trial.phase in ("bracket", "narrow"):
        return not trial.held
    return len(state.trials) - state.checked >= _EVERY


def _held(state: State) -> bool:
    """A control trial, kept beside the others; one that the storage is too slow for at any rate holds in this sense."""
    if state.cancelled():
        raise Stopped
    rate = control_rate(state)
    runtime_s = min(_CONTROL_S_MAX, max(CONTROL_S, CONTROL_IOS / rate))
    cell = state.measure(
        rate=rate,
        runtime_s=runtime_s,
        warm_up_s=_CONTROL_WARM_UP_S,
        window_s=max(WINDOW_S_MIN, runtime_s / TRIAL_WINDOWS),
        give_up_latency_us=give_up_us(state.search),
        seed=state.search.seed * 1000 + 500 + len(state.controls),
    )
    if cell.ended_early == "stopped":
        raise Stopped
    bound = state.tool_bound
    state.controls.append(judge(state, cell, rate, "control"))
    state.tool_bound = bound
    return not has_stalls(state, state.controls[-1])


def control_rate(state: State) -> float:
    """At which controls are made, I/Os per second."""
    return max(1.0, CONTROL_RATE_SHARE * state.search.start_rate)


def _void(state: State) -> None:
    """What was measured since the last control that held says nothing; a brief trial that held all the same did hold."""
    reason = (
        f"a control trial at {format_rate(control_rate(state))} I/Os per second missed as well:"
        " this host, or what shares the storage with it, was busy"
    )
    for number, trial in enumerate(state.trials[state.checked :], state.checked):
        if trial.held is not None and not (trial.held and trial.phase in ("bracket", "narrow")):
            state.trials[number] = trial.model_copy(update={"held": None, "void_reason": reason})


def _wait_for_quiet(state: State) -> None:
    for _ in range(CONTROLS_MAX):
        if state.left_s < CONTROL_S:
            break
        if _held(state):
            state.checked = len(state.trials)
            return
    raise HostBusy

"""What a line search can have missed: a wait that comes seldom, and yet makes more I/Os late than may be when it does.

The curve counts what lies beyond the limit up to eight times what may, so that one stall does not outweigh all other trials; and a
trial that one wait ended is made again. Both are right for a stall that was chance, and wrong for one that goes on coming as
often. The search cannot tell these apart, and what it never met it knows nothing of; so it says how much it can have missed.
"""

from __future__ import annotations

from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.facts import Note, Objective, Trial
from plimsoll.supply.trials import GIVEN_UP, State, point_of

_UNSEEN = 3.0
"""Events of which so many were to be expected are met in 95 of 100 searches (rule of three)."""
_WAIT_S_MAX = 10.0
"""Storage that goes on after a wait goes on sooner than that."""
_LATE_THROUGHOUT, _HELD_ABOVE = 8.0, 2
"""Times as many beyond the limit as may be, where so many trials at no lower rate held: that was a wait, and no queue."""


def rare_waits(state: State, objective: Objective) -> Note | None:
    """The note on waits that were met and hardly count, else on those that may not have been met; None where no wait that storage
    knows would be long enough to matter."""
    message = _met(state, objective) or _not_met(state, objective)
    return None if message is None else Note(code="rare-waits", message=message)


def _met(state: State, objective: Objective) -> str | None:
    made_again = [trial for trial in state.trials if trial.void_reason == GIVEN_UP]
    waits_us = [_wait_us(trial) for trial in state.valid() if trial.held]
    unseen = [trial for trial in made_again if max(waits_us, default=0.0) < _wait_us(trial)]
    clipped = [trial for trial in state.valid() if _is_late_by_a_wait(state, trial, objective)]
    met = [*unseen, *clipped]
    if not met:
        return None
    wait = format_us(max(_wait_us(trial) for trial in met))
    return (
        f"{len(met)} of {len(state.trials)} trials met a wait of {wait} or more, which hardly counts here: where such waits go on"
        " coming as often, the line may lie far lower; longer trials tell (--trial 1m, with a --budget for them)"
    )


def _is_late_by_a_wait(state: State, trial: Trial, objective: Objective) -> bool:
    held_above = sum(bool(other.held) and other.rate >= trial.rate for other in state.trials)
    return held_above >= _HELD_ABOVE and point_of(trial, objective).ratio >= _LATE_THROUGHOUT


def _wait_us(trial: Trial) -> float:
    return trial.cell.latency_us.max or 0.0


def _not_met(state: State, objective: Objective) -> str | None:
    """A wait once in so many seconds makes as many late as may be where it lasts the share of them that may be late."""
    seconds = sum(trial.cell.runtime_s for trial in state.valid()) / _UNSEEN
    wait_s = (1 - objective.quantile) * seconds
    if wait_s > _WAIT_S_MAX:
        return None
    ios = sum(trial.cell.ios for trial in state.valid()) / _UNSEEN
    return (
        f"what comes less often than once in {format_rate(ios)} I/Os, or {format_seconds(seconds)}, may not have been seen; a wait"
        f" of more than {format_us(1e6 * wait_s)} would lower the line all the same"
    )

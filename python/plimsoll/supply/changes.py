"""Whether the target stayed the same while its line was searched: a throttle may be moved, or somebody else's load begin.

Then what held at first is missed later, or the other way round, clearly and at rates that lie apart. Misses and holds that
contradict each other but are mixed in time are noise, and only make the interval wider. A miss of one bad moment is no clear one:
a short trial may have been over before that moment came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from math import inf

from plimsoll.facts import Trial
from plimsoll.supply.trials import State, median_window

_CLEARLY_HELD, _CLEARLY_MISSED = 0.7, 3.0
"""Of worst ratios."""
_APART = 1.15
"""A rate that held must lie so far above one that missed."""
_SLOWED = 2.0
"""Or, when the search is over, so far above all that a missed trial got done, in its best window too."""
_EACH_MIN = 2
"""Then on each side at least: one may have met a bad moment."""
_WINDOWS_MIN = 3
"""Of so many windows at least: one stall makes no slow storage."""
_CONTRADICTIONS_MIN = 3
"""Trials that contradict others, on both sides together: of two trials one may have met a stall."""


@dataclass
class Changed(Exception):
    """What held and what missed, each clearly; `worse` tells which came later."""

    held_rate: float
    missed_rate: float
    worse: bool


def check_unchanged(state: State, at_end: bool = False) -> None:
    """Raises Changed. `at_end`: no later trial can tell any more whether storage got far less done only because it was asked for
    too much.
    """
    trials = list(enumerate(state.valid()))
    held = [one for one in trials if one[1].held and one[1].worst_ratio <= _CLEARLY_HELD]
    missed = [one for one in trials if _is_clearly_missed(state, one[1])]
    above = [one for one in held if any(one[1].rate > _most(other, at_end) for _, other in missed)]
    below = [one for one in missed if any(other.rate > _most(one[1], at_end) for _, other in held)]
    if len(above) + len(below) < _CONTRADICTIONS_MIN or (at_end and min(len(above), len(below)) < _EACH_MIN):
        return
    worse = _all_before(above, below)
    if worse or _all_before(below, above):
        highest, lowest = max(one.rate for _, one in above), min(_carried(one, at_end) for _, one in below)
        raise Changed(highest, lowest, worse)


def outpaced(state: State) -> tuple[Trial, Trial] | None:
    """A trial that held, and a later one in which not half of that rate was done even in the best window, where nothing that held
    since shows that this was one bad moment; None where there is none. Storage that is asked too much still does what it can."""
    trials = state.valid()
    for number, missed in enumerate(trials):
        served = _served(missed)
        if missed.held or missed.cell.errors or served is None:
            continue
        above = [one.held and one.rate > _SLOWED * served for one in trials]
        if any(above[:number]) and not any(above[number:]):
            return max(compress(trials[:number], above), key=lambda one: one.rate), missed
    return None


def _most(missed: Trial, at_end: bool) -> float:
    """The highest rate that a trial may hold beside this one without contradicting it."""
    served = _served(missed) if at_end else None
    return min(_APART * missed.rate, inf if served is None else _SLOWED * served)


def _carried(missed: Trial, at_end: bool) -> float:
    """The rate at which it was missed, or all that it got done where that was far less."""
    served = _served(missed) if at_end else None
    return missed.rate if served is None else min(missed.rate, served)


def _served(trial: Trial) -> float | None:
    """I/Os per second of its best window; None where too few saw any."""
    rates = [window.iops for window in trial.cell.windows if window.iops]
    return max(rates) if len(rates) >= _WINDOWS_MIN else None


def _is_clearly_missed(state: State, trial: Trial) -> bool:
    if trial.held is not False or trial.worst_ratio < _CLEARLY_MISSED:
        return False
    return bool(trial.cell.ended_early) or not 0 < median_window(state.search.slo, trial.cell) <= 1


def _all_before(early: Sequence[tuple[int, Trial]], late: Sequence[tuple[int, Trial]]) -> bool:
    return max(number for number, _ in early) < min(number for number, _ in late)

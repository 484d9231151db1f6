"""The line beside others: from a small rate up in steps of a quarter, each watched, and ended before others are hurt.

What a search for a free storage does is what others cannot bear: a closed loop at first, and trials far beyond the line. Here the
rate only rises, until the objective is missed twice, the guard says that it is enough, or the highest rate that matters is reached.
Then two rates between the last that held and the first that missed narrow it down; the line is the higher of those that held.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import sqrt

from plimsoll.base.limits import HOPELESS_FACTOR, TRIAL_WINDOWS, WINDOW_S_MIN
from plimsoll.base.units import format_rate
from plimsoll.context import Cancel
from plimsoll.facts import Cell, Line, Trial
from plimsoll.supply.guard import LOOKS_AGAIN, STOP_AT, Guard
from plimsoll.supply.readings import worst
from plimsoll.supply.trials import Measure, Search, runtime_needed_s

STEP = 1.25
START_PER_S = 20.0
"""Few enough for any disk."""
_START_SHARE = 0.05
"""Of what others ask for already: hardly more than they differ by from second to second."""
_FEW_SHARE, _STEP_OF_FEW = 0.25, 2.0
"""While ours are so few beside theirs, steps may be larger."""
_STEP_S_MIN = 2.0
_STEP_S_MAX = 5.0
"""Slow rates show fewer I/Os in a step than the quantile needs; at the answer a trial is as long as it takes."""
_NARROWINGS = 2


class _Ended(Exception):
    """No further step; the state says why."""


@dataclass
class _Climb:
    search: Search
    measure: Measure
    guard: Guard
    cancel: Cancel
    on_trial: Callable[[Trial, int], None]
    trials: list[Trial] = field(default_factory=list)
    held: float | None = None
    missed: float | None = None
    failed: bool = False

    def step(self, rate: float, whole: bool = False) -> bool:
        """Whether the objective held at that rate; a miss is looked at twice. Raises `_Ended`."""
        trial = self._guarded(rate, whole)
        if not trial.held:
            trial = self._guarded(rate, whole)
        if trial.held:
            self.held = max(rate, self.held or 0.0)
        else:
            self.missed = min(rate, self.missed or rate)
        return bool(trial.held)

    def _guarded(self, rate: float, whole: bool) -> Trial:
        trial, ratio = self._once(rate, whole)
        for _ in range(LOOKS_AGAIN):
            if (ratio < STOP_AT and trial.held is not None) or self.cancel.is_set:
                break
            self.guard.rest(self.cancel)
            trial, ratio = self._once(rate, whole)
        at = f"at {format_rate(rate)} I/Os per second of ours"
        if ratio >= STOP_AT:
            self.guard.stop(f"others' latency was {ratio:.2f} times what it was before, {at}")
        elif trial.held is None and not self.cancel.is_set:
            self.guard.stop(f"no step came to its end without an alarm, {at}")
        if self.cancel.is_set or self.guard.stopped is not None:
            raise _Ended
        return trial

    def _once(self, rate: float, whole: bool) -> tuple[Trial, float]:
        if self.cancel.is_set or self.guard.stopped is not None:
            raise _Ended
        needed_s = runtime_needed_s(self.search, rate)
        runtime_s = needed_s if whole else min(max(_STEP_S_MIN, needed_s), _STEP_S_MAX)
        self.guard.begin()
        cell = self.measure(
            rate=rate,
            runtime_s=runtime_s,
            warm_up_s=self.search.warm_up_s,
            window_s=max(WINDOW_S_MIN, runtime_s / TRIAL_WINDOWS),
            give_up_latency_us=HOPELESS_FACTOR * self.search.slo.limit_us_max,
            seed=self.search.seed * 1000 + len(self.trials),
        )
        trial = self._trial(rate, cell)
        self.trials.append(trial)
        self.on_trial(trial, len(self.trials) + 1)
        if cell.errors or cell.ended_early == "errors":
            self.failed = True
            raise _Ended
        return trial, self.guard.end(cell)

    def _trial(self, rate: float, cell: Cell) -> Trial:
        objective, ratio = worst(self.search.slo, cell)
        stopped = cell.ended_early == "stopped"  # by the user, or because others were hurt
        held = None if stopped else ratio <= 1 and not cell.ended_early and cell.errors == 0
        return Trial(
            rate=rate,
            achieved=cell.iops,
            latency_us=cell.latency_us,
            held=held,
            worst_ratio=ratio,
            limiting_class=objective.io_class or _slowest(cell),
            phase="bracket",
            void_reason="it was ended before its time" if stopped else None,
            cell=cell,
        )


def find_gently(
    search: Search,
    measure: Measure,
    guard: Guard,
    cancel: Cancel,
    rate_max: float,
    on_trial: Callable[[Trial, int], None] = lambda trial, expected: None,
) -> Line:
    """Searches as far as others bear it, and no higher than `rate_max` I/Os per second. Its answer says what was shared.

    Ended by the guard, the line is a lower bound: the highest rate that held.
    """
    climb = _Climb(search, measure, guard, cancel, on_trial)
    with suppress(_Ended):
        _climb_up(climb, min(rate_max, search.rate_max))
    return _line(climb, rate_max)


def _climb_up(climb: _Climb, rate_max: float) -> None:
    rate = min(rate_max, max(START_PER_S, _START_SHARE * (climb.guard.others_iops or 0.0)))
    few = _FEW_SHARE * (climb.guard.others_iops or 0.0)
    while climb.step(rate):
        if rate >= rate_max:
            return
        rate = min(rate * (_STEP_OF_FEW if _STEP_OF_FEW * rate <= few else STEP), rate_max)
    if climb.held is None:
        return
    for _ in range(_NARROWINGS):
        assert climb.missed is not None, "it has just missed"
        climb.step(sqrt(climb.held * climb.missed))


def _line(climb: _Climb, rate_max: float) -> Line:
    shared = climb.guard.shared()
    base = Line(
        line_iops=climb.held, ci95=None, outcome="interrupted", reason="", slo=climb.search.slo, workload=climb.search.workload,
        trials=tuple(climb.trials), shared=shared,
    )  # fmt: skip
    return base.model_copy(update=_outcome(climb, rate_max, f"beside {shared.words}"))


def _outcome(climb: _Climb, rate_max: float, beside: str) -> dict[str, object]:
    slo, held = climb.search.slo.text, climb.held
    known = (
        f"{slo} held up to {format_rate(held)} I/Os per second {beside}"
        if held
        else f"{slo} was not seen to hold {beside}"
    )
    if climb.failed:
        return {
            "outcome": "failed",
            "line_iops": None,
            "reason": f"the storage failed after {len(climb.trials)} trials: I/Os failed",
        }
    if climb.guard.stopped is not None:
        why = f"{known}; the load was ended there, because {climb.guard.stopped}"
        if held is None:
            return {"outcome": "unsteady", "reason": why}
        return {"outcome": "not_limited", "reason": f"{why}, so the line lies at or above it"}
    if climb.cancel.is_set:
        return {"outcome": "interrupted", "reason": f"the search was interrupted; {known}"}
    if held is None:
        lowest = f"not even at {format_rate(climb.missed)} I/Os per second"
        reason = f"the objective {slo} was never held, {lowest}, {beside}"
        return {"outcome": "never_held", "reason": reason, "limiting_class": _limiting(climb)}
    if climb.missed is None:
        return {
            "outcome": "not_limited",
            "reason": f"{known}, the most that was tried ({format_rate(rate_max)})",
        }
    ends = (held, climb.missed)
    return {"outcome": "found", "ci95": ends, "reason": f"{known}", "limiting_class": _limiting(climb)}


def _slowest(cell: Cell) -> str | None:
    return max(cell.classes, key=lambda one: one.latency_us.p99 or 0.0).name if cell.classes else None


def _limiting(climb: _Climb) -> str | None:
    missed = [trial for trial in climb.trials if trial.held is False]
    return min(missed, key=lambda trial: trial.rate).limiting_class if missed else None

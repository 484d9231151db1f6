"""Drives the worst stretches of a demand as they were, and looks for the factor at which the objective no longer holds.

First each stretch at its own rates, longest first; one that lies within another has been driven with it. Where they hold, one of
ten seconds is driven faster, first a little below and a little above the factor that the lines say, then further out in steps that
grow until one held and one missed, and half way between these; where one misses, that one is driven slower. Once the factor is
known to a tenth, its I/Os come in bursts, and what time is left narrows it further. The clock decides how far it goes: on a real
storage a stretch takes as long as it took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.demand.busiest import Stretch, busiest, series_of
from plimsoll.facts import Demand, Note, Plan, Replay, ReplayTrial, Slo
from plimsoll.facts.replay import REPLAY_LEFT_OUT, WINDOW_S, last_of_each
from plimsoll.flows.line import quiet_live, trial_plan
from plimsoll.predict.storage_time import AtLine, share_of_time
from plimsoll.predict.verdict import Measured
from plimsoll.requests.line import LineRequest
from plimsoll.supply.replay import drive, in_words, judge, not_driven_yet
from plimsoll.supply.slo import slo_of
from plimsoll.supply.targets import Opened

BURSTS = (64, 8)
"""I/Os that one query or one checkpoint hands over at once."""
NEAR = (0.95, 1.05)
"""Of the factor that the lines say."""
_FAIR, _CLOSE = 1.11, 1.05
"""Upper factor over lower one: the bursts may come in between, and that is near enough."""
_STEP, _STEP_BLIND = 1.12, 2.0
"""Beyond what was tried near the factor that the lines say, each further step as long as all before it; and where they say none."""
_TRIALS_MAX = 12
_FACTOR_MAX = 100.0
_START_S = 1.0
"""What a trial takes beside its stretch: threads, warm-up, the last answers."""


@dataclass(frozen=True)
class Replayed:
    """What is driven: a demand on an opened target, and by how much the lines say that it can grow."""

    made: Opened
    demand: Demand
    asked: LineRequest
    expected: float | None
    budget_s: float


@dataclass
class _Search:
    ctx: Context
    what: Replayed
    plan: Plan
    slo: Slo
    begun_s: float
    trials: list[ReplayTrial] = field(default_factory=list)
    left_out: list[Stretch] = field(default_factory=list)

    @property
    def is_simulated(self) -> bool:
        return self.what.made.simulation is not None

    def fits(self, stretch: Stretch) -> bool:
        """Whether there is time for it."""
        if self.ctx.cancel.is_set or len(self.trials) >= _TRIALS_MAX:
            return False
        spent_s = self.ctx.clock.monotonic_s() - self.begun_s
        return self.is_simulated or spent_s + stretch.duration_s + _START_S <= self.what.budget_s

    def driven(self, stretch: Stretch, factor: float, burst: int = 1) -> ReplayTrial | None:
        """A trial, once more where this host spoilt it; None where there was no time or nothing to ask for."""
        trial = None
        for _ in range(2):
            if not self.fits(stretch):
                break
            trial = self._once(stretch, factor, burst)
            if trial is None or trial.held is not None:
                break
        return trial

    def _once(self, stretch: Stretch, factor: float, burst: int) -> ReplayTrial | None:
        demand = self.what.demand
        series = series_of(stretch, demand.database, factor * (demand.burst_factor or 1.0), burst)
        if series is None:
            return None
        iops = sum(io.weight for io in series.workload.classes)
        asked = not_driven_yet(stretch.begin_time, stretch.duration_s, iops, series.mb_per_s, factor, burst)
        self._tell(asked)
        slo = slo_of(self.slo.text, series.workload)
        seed = self.plan.seed * 1000 + 500 + len(self.trials)
        live = quiet_live(self.ctx, False)
        plan, permits = self.plan.but(seed=seed), self.what.made.permits
        cell, rows = drive(series.workload, series.arrivals, slo, plan, permits, self.ctx.cancel, live)
        trial = judge(cell, rows, slo, asked)
        self.trials.append(trial)
        self.ctx.remark("replay", in_words(trial))
        return trial

    def _tell(self, trial: ReplayTrial) -> None:
        spent_s = self.ctx.clock.monotonic_s() - self.begun_s
        left_s = None if self.is_simulated else max(0.0, self.what.budget_s - spent_s)
        share = None if self.is_simulated else min(1.0, spent_s / self.what.budget_s)
        self.ctx.progress("replay", f"{trial.duration_s:.3g} s at {trial.factor:.3g} times", share, left_s)

    def bounds(self) -> tuple[float | None, float | None]:
        """The highest factor that held below all that missed, and the lowest that missed."""
        own = [trial for trial in self.trials if trial.burst == 1]
        missed = min((trial.factor for trial in own if trial.held is False), default=None)
        held = (trial.factor for trial in own if trial.held and (missed is None or trial.factor < missed))
        return max(held, default=None), missed


def replay(ctx: Context, what: Replayed, measured: Sequence[Measured]) -> Replay | None:
    """The worst stretches driven, as far as the budget goes; None where the lines leave nothing to find them by."""
    lines = at_lines(measured)
    if not lines or ctx.cancel.is_set:
        return None
    stretches = busiest(what.demand.intervals, share_of_time(lines))
    if not stretches:
        return None
    deciding = max(measured, key=lambda mix: mix.iops)
    plan = trial_plan(what.made, what.asked, deciding.workload)
    search = _Search(ctx, what, plan, slo_of(what.asked.slo, deciding.workload), ctx.clock.monotonic_s())
    missed = _as_they_were(search, stretches)
    _at_factors(search, missed or _of_ten_seconds(search, stretches))
    return _result(search)


def _as_they_were(search: _Search, stretches: Sequence[Stretch]) -> Stretch | None:
    """Each stretch at its own rates; the first that misses, which ends it."""
    driven: list[Stretch] = []
    for stretch in stretches:
        if any(longer.holds(stretch) for longer in driven):
            continue
        trial = search.driven(stretch, 1.0)
        if trial is None:
            search.left_out.append(stretch)
            continue
        driven.append(stretch)
        if trial.held is False:
            return stretch
    return None


def _of_ten_seconds(search: _Search, stretches: Sequence[Stretch]) -> Stretch:
    """The one to drive at other factors: the longest in virtual time, else the longest that is no longer than a window."""
    if search.is_simulated:
        return stretches[0]
    return next((one for one in stretches if one.duration_s <= WINDOW_S + 1e-6), stretches[-1])


def _at_factors(search: _Search, stretch: Stretch) -> None:
    """Narrows the factor down; in between, the same stretch with its I/Os in bursts."""
    for near in NEAR:
        if search.what.expected is not None:
            _try(search, stretch, near * search.what.expected)
    _narrow(search, stretch, _FAIR)
    if all(trial.held for trial in last_of_each(search.trials) if trial.factor == 1.0):
        for burst in BURSTS:
            search.driven(stretch, 1.0, burst)
    _narrow(search, stretch, _CLOSE)


def _narrow(search: _Search, stretch: Stretch, close: float) -> None:
    while (factor := _next(search, close)) is not None:
        if not _try(search, stretch, factor):
            break


def _try(search: _Search, stretch: Stretch, factor: float) -> bool:
    """Whether a trial told something. What lies outside of the known bounds is known."""
    held, missed = search.bounds()
    if (
        factor > _FACTOR_MAX
        or (held is not None and factor <= held)
        or (missed is not None and factor >= missed)
    ):
        return False
    trial = search.driven(stretch, factor)
    return trial is not None and trial.held is not None


def _next(search: _Search, close: float) -> float | None:
    """The factor to try next; None where it is known well enough."""
    held, missed = search.bounds()
    if held is None and missed is None:
        return None
    if held is None:
        assert missed is not None, "one of them is known"
        return missed / _step(search) if missed > 1 / _FACTOR_MAX else None
    if missed is None:
        return held * _step(search)
    if missed / held <= close:
        return None
    # Where only the demand's own rates held, half way to them lies far below what the lines say.
    return max(sqrt(held * missed), missed / _step(search)) if held == 1.0 else sqrt(held * missed)


def _step(search: _Search) -> float:
    expected = search.what.expected
    if expected is None:
        return _STEP_BLIND
    low, high = (near * expected for near in NEAR)
    beyond = {trial.factor for trial in search.trials if trial.burst == 1 and not low <= trial.factor <= high}
    return _STEP ** (2 ** len(beyond - {1.0}))


def at_lines(measured: Sequence[Measured]) -> list[AtLine]:
    """The loads at which the storage has no time left: the lines, and of mixes that only held the rate that did."""
    return [AtLine(rate, rate * mix.workload.mean_bytes) for mix in measured if (rate := mix.rate_iops)]


def _result(search: _Search) -> Replay | None:
    if not search.trials:
        return None
    held, missed = search.bounds()
    return Replay(
        slo=search.slo,
        trials=tuple(search.trials),
        headroom=None if _missed_by_failures(search, missed) else held,
        missed=missed,
        budget_s=search.what.budget_s,
        reason=_reason(search, held, missed),
        notes=tuple(_notes(search)),
    )


def _missed_by_failures(search: _Search, missed: float | None) -> bool:
    """Whether I/Os failed where the lowest factor missed: below it none did by chance, which is no capacity."""
    return any(trial.errors for trial in search.trials if trial.factor == missed and trial.burst == 1)


def _reason(search: _Search, held: float | None, missed: float | None) -> str:
    own = last_of_each(trial for trial in search.trials if trial.burst == 1) or search.trials
    first = next((trial for trial in own if trial.factor == 1.0 and trial.held is not True), own[0])
    span = f"the {format_seconds(first.duration_s)} from {first.begin_time:%Y-%m-%d %H:%M:%S}"
    words = {
        True: "held the objective",
        False: f"missed it: {first.reason}",
        None: f"told nothing: {first.reason}",
    }
    at = f"driven as they were, {span} {words[first.held]}"
    if first.factor != 1.0:
        at = f"{span} were driven at other factors only"
    if held is None:
        return (
            at
            if missed is None or missed == 1.0
            else f"{at}; at {_factor_words(missed, ' of')} the rates, the lowest factor that was tried, it missed"
        )
    beyond = "" if held == 1.0 else f"; at {_factor_words(held, ' of')} the rates it held"
    upper = "" if missed is None else f"{',' if beyond else ';'} at {_factor_words(missed)} it no longer did"
    return f"{at}{beyond}{upper}"


def _factor_words(factor: float, of: str = "") -> str:
    """`1.43 times`, and below 1 `63.5 %` with what links it to the next word, as a headroom is said."""
    return f"{factor:.3g} times" if factor >= 1 else f"{100 * factor:.3g} %{of}"


def _notes(search: _Search) -> list[Note]:
    notes = [
        Note(
            code=REPLAY_LEFT_OUT,
            message=f"the {format_seconds(one.duration_s)} from {one.begin_time:%H:%M:%S} were not replayed: the budget of"
            f" {format_seconds(search.what.budget_s)} was too short; give a longer --budget",
        )
        for one in search.left_out
    ]
    demand = search.what.demand
    if demand.resolution_s > WINDOW_S:
        bursts = "" if demand.burst_factor is None else f" times the burst factor of {demand.burst_factor:g}"
        averages = f"averages over {format_seconds(demand.resolution_s)}{bursts}"
        message = f"the replay drives {averages}, for what happened within them is not known"
        notes.append(Note(code="replay-averages", message=message))
    notes += [
        Note(
            code="replay-bursts",
            message=f"arriving {trial.burst} at a time, the same I/Os miss the objective: {trial.reason}",
        )
        for trial in search.trials
        if trial.burst > 1 and trial.held is False
    ]
    return notes

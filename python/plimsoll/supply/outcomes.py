"""What a line search ends with, in facts and in words: found, never held, not limited, unsteady, failed, interrupted."""

from __future__ import annotations

from statistics import median
from typing import Literal

from plimsoll.base.limits import OTHERS_PROCESSORS_MAX, WAITING_SHARE_MAX
from plimsoll.base.units import format_rate, format_ratio, format_seconds, format_share, format_us
from plimsoll.facts import Line, Note, Trial
from plimsoll.native.latency import quantile_us
from plimsoll.supply.changes import Changed, outpaced
from plimsoll.supply.rare_waits import rare_waits
from plimsoll.supply.readings import disturbance, others_processors, spread_of, worst
from plimsoll.supply.trials import OutOfTime, State, one_of_us, pooled_ratio, rose_while_it_held

Outcome = Literal["found", "never_held", "not_limited", "unsteady", "failed", "host_lost", "interrupted"]

_WIDE = 3.0
"""An interval whose upper end is so many times the lower one is told with the answer."""
_OF_ONE_TRIAL = frozenset({"gave-up"})
"""Codes of notes that say something of a trial and nothing of the line."""


def found(state: State, ended: str | None = None) -> Line:
    """The crossing with its interval; where no valid trial missed, all that is known is that so much held.
    `ended`: what ended the search before its fresh trials."""
    held = max((trial.rate for trial in state.valid() if trial.held), default=0.0)
    if all(trial.held for trial in state.valid()):
        return not_limited(state, held, ended)
    if state.held_safe is None and (pair := outpaced(state)) is not None:
        return _outpaced(state, *pair, ended)
    fitted = state.fitted()
    if fitted is None:
        return _between(state, ended)
    if state.missed_safe is not None and fitted[0].ci95[0] > state.missed_safe:
        return unconfirmed(state, ended)
    crossing, (low, high), objective = fitted[0].crossing, fitted[0].ci95, fitted[1]
    safe = held_by_all(state, min(low, state.held_safe or low))
    if safe is None:
        return _contradicted(state, low)
    ci95 = (safe, high)
    at = [trial for trial in state.valid() if not trial.held]
    near = min(at, key=lambda trial: abs(trial.rate - crossing))
    limiting = objective.io_class or near.limiting_class
    words = _found_words(state, crossing, ci95, ended)
    line = _confirmed(state, _line(state, "found", words, crossing, ci95, limiting, objective.host))
    note = rare_waits(state, objective)
    return line if note is None else line.model_copy(update={"notes": (*line.notes, note)})


def held_by_all(state: State, rate: float) -> float | None:
    """The highest rate up to this one at and below which all trials together hold; None where there is none. A stall counts in full
    here, which the curve clips, and so does one that only brief trials met."""
    rates = sorted({rate, *(trial.rate for trial in _up_to(state, rate))}, reverse=True)
    return next((one for one in rates if pooled_ratio(state, _up_to(state, one)) <= 1), None)


def _up_to(state: State, rate: float) -> list[Trial]:
    return [trial for trial in state.valid() if trial.rate <= rate]


def _contradicted(state: State, safe: float) -> Line:
    """At no rate that was tried up to the one that the curve calls safe did the trials hold together."""
    reason = (
        f"it cannot be told where {state.search.slo.text} is reached: by the curve {format_rate(safe)} I/Os per second were safe,"
        f" but all trials up to there together missed; {_so_far(state)}"
    )
    return _line(state, "unsteady", reason, None, None, state.trials[-1].limiting_class)


def _outpaced(state: State, held: Trial, missed: Trial, ended: str | None) -> Line:
    """One trial alone says that the storage became slower, and no later one says whether it stayed so."""
    reason = (
        f"it cannot be told where {state.search.slo.text} is reached: it held at {format_rate(held.rate)} I/Os per second, and"
        f" later, when {format_rate(missed.rate)} were asked for, no more than {format_rate(missed.achieved)} were done; no trial"
        " since then shows whether the storage stays so slow"
    ) + (f": {ended}" if ended else "")
    return _line(state, "unsteady", reason, None, None, missed.limiting_class, missed.limiting_host)


def _between(state: State, ended: str | None) -> Line:
    """Too few trials for a curve: the line lies between the highest rate that held and the lowest that missed."""
    low, high = bounds(state)
    assert low is not None, "the search has looked"
    assert high is not None, "the search has looked"
    rate = (low * high) ** 0.5
    words = _found_words(state, rate, (low, high), ended)
    return _confirmed(state, _line(state, "found", words, rate, (low, high), None))


def _confirmed(state: State, line: Line) -> Line:
    return line.model_copy(update={"confirmed": state.held_safe is not None})


def bounds(state: State) -> tuple[float | None, float | None]:
    """The highest rate that held below all that missed, and the lowest that missed."""
    missed = min((trial.rate for trial in state.valid() if not trial.held), default=None)
    held = (trial.rate for trial in state.valid() if trial.held and (missed is None or trial.rate < missed))
    return max(held, default=None), missed


def _found_words(state: State, rate: float, ci95: tuple[float, float], ended: str | None) -> str:
    low, high = ci95
    told = [
        f"the line for {state.search.slo.text} is {format_rate(rate)} I/Os per second",
        f"the safe rate is {format_rate(low)}",
    ]
    if ended is not None:
        told.append(f"{ended} before fresh trials could confirm it")
    elif state.held_safe is None:
        told.append("fresh trials could not confirm that: they neither held nor missed clearly")
    if (apart := _missed_below(state, low)) is not None:
        told.append(apart)
    if high > _WIDE * low:
        told.append(f"the upper end of its interval is {high / low:.1f} times the lower one")
    return "; ".join(told)


def _missed_below(state: State, safe: float) -> str | None:
    """Why trials at or below the safe rate may have missed: chance, or a stall that weighs more in a brief trial than in all."""
    trials = _up_to(state, safe)
    missed = sum(not trial.held for trial in trials)
    if not missed:
        return None
    ratio = format_ratio(pooled_ratio(state, trials))
    of = f"of {_count(len(trials))} at or below that {missed} missed"
    return f"{of}, and all together had {ratio} times as many late I/Os as may be"


def at_end_of_time(state: State, late: OutOfTime) -> Line:
    """The budget ended between bracket and answer: the best that is known, unless its safe rate has just been missed."""
    low, high = bounds(state)
    if state.fitted() is None and (low is None or high is None):
        return out_of_time(state, late)
    return found(state, _budget_ended(state))


def _budget_ended(state: State) -> str:
    return f"the budget of {format_seconds(state.search.budget_s)} ended the search"


def out_of_time(state: State, late: OutOfTime) -> Line:
    """The budget was spent before there was a bracket: a rate that held, where nothing missed, is a lower bound."""
    held, missed = bounds(state)
    if held is not None and missed is None:
        return not_limited(state, held, _budget_ended(state))
    took = f"a trial at {format_rate(late.rate)} I/Os per second takes {format_seconds(late.runtime_s)}"
    reason = (
        f"it cannot be told where {state.search.slo.text} is reached: {took}, and of the budget of"
        f" {format_seconds(state.search.budget_s)} {format_seconds(max(0.0, state.left_s))} are left; {_so_far(state)}"
    )
    return _line(state, "unsteady", reason, None, None, None)


def changed(state: State, change: Changed) -> Line:
    """The target did not stay the same: nothing can be said of what it is now, and never a yes."""
    before, after = ("held", "missed") if change.worse else ("missed", "held")
    rates = (change.held_rate, change.missed_rate) if change.worse else (change.missed_rate, change.held_rate)
    reason = (
        f"the target changed under the search: {state.search.slo.text} was {before} at {format_rate(rates[0])} I/Os per second"
        f" and later {after} at {format_rate(rates[1])}; it cannot be told where the line is now"
    )
    return _line(state, "unsteady", reason, None, None, None)


def _so_far(state: State) -> str:
    held, missed = bounds(state)
    told = [
        f"it {words} at {format_rate(rate)}"
        for words, rate in (("held", held), ("was missed", missed))
        if rate is not None
    ]
    return f"so far {' and '.join(told)}" if told else "no trial told anything"


def never_held(state: State, stalls: bool = False) -> Line:
    """No rate held. Where that was this host's doing, or a tail of stalls that does not fall with the rate, it cannot be told."""
    if (words := _disturbance(state)) is not None:
        return _host_busy(state, words)
    if stalls:
        return host_busy(state)
    last = state.trials[-1]
    if _gave_up_within(state, last):
        return _stalled(state, last)
    if rose_while_it_held(state.search.slo, last):
        return drifting(state)
    rate = f"at {format_rate(last.rate)} I/Os per second, the lowest rate tried,"
    reason = f"the objective {state.search.slo.text} was never held: {rate} {_shortcoming(state, last)}"
    return _line(state, "never_held", reason, None, None, last.limiting_class, last.limiting_host)


def _gave_up_within(state: State, trial: Trial) -> bool:
    """Whether a trial was given up for one long wait, while every quantile that is asked for was within its limit."""
    return (
        trial.cell.ended_early == "gave_up"
        and not trial.cell.errors
        and all(
            (quantile_us(spread_of(one, trial.cell), one.quantile) or one.limit_us + 1) <= one.limit_us
            for one in state.search.slo.objectives
        )
    )


def _stalled(state: State, last: Trial) -> Line:
    """A rare stall ended the trial before its quantile was known: that is neither held nor missed."""
    reason = (
        f"it cannot be told where {state.search.slo.text} is reached: at {format_rate(last.rate)} I/Os per second, the lowest"
        f" rate tried, {_shortcoming(state, last)}, within the limit, but one I/O waited for {format_us(last.latency_us.max)},"
        " and the trial was given up: the storage stands still now and then"
    )
    return _line(state, "unsteady", reason, None, None, None)


def host_busy(state: State) -> Line:
    """What was late was late at a rate without a queue as well."""
    last = state.controls[-1] if state.controls else state.trials[-1]
    reason = (
        f"it cannot be told where {state.search.slo.text} is reached: at only {format_rate(last.rate)} I/Os per second"
        f" {_shortcoming(state, last)}, so that {one_of_us(state)}, or what shares the storage with it, was busy; {_so_far(state)};"
        " try again at a quiet moment, or give a longer --budget"
    )
    return _line(state, "unsteady", reason, None, None, None)


def _host_busy(state: State, words: str) -> Line:
    reason = (
        f"{_machine(state)} is too busy to measure storage: {state.search.slo.text} held at no rate, but {words};"
        " try again on a quiet machine"
    )
    return _line(state, "unsteady", reason, None, None, None)


def unconfirmed(state: State, ended: str | None = None) -> Line:
    """Fresh trials at the safe rate missed, and there was no time to find another."""
    rate = state.missed_safe or state.trials[-1].rate
    reason = (
        f"fresh trials at {format_rate(rate)} I/Os per second missed {state.search.slo.text}, though by the trials before it"
        " was safe: the storage, or the machine beside it, is not steady enough for a line"
    ) + (f"; {ended}" if ended else "")
    return _line(state, "unsteady", reason, None, None, state.trials[-1].limiting_class)


def not_limited(state: State, held: float, ended: str | None = None) -> Line:
    """The highest rate that was tried and valid still held; it is a lower bound. `ended`: why no higher one was tried."""
    reason = (
        f"the storage was never brought to its limit: {state.search.slo.text} still held at {format_rate(held)} I/Os per"
        f" second, and {ended or _why_no_higher(state, held)}; the line lies at or above it"
    )
    return _line(state, "not_limited", reason, held, None, None)


def _why_no_higher(state: State, held: float) -> str:
    if state.tool_bound:
        return "our own CPU time, not the storage, was the limit"
    if any(trial.held is None and trial.rate > held for trial in state.trials):
        return "no trial above it was valid"
    return "that is the highest rate tried"


def drifting(state: State) -> Line:
    """A trial stayed void however long it was made."""
    last = state.trials[-1]
    reason = (
        f"no trial at {format_rate(last.rate)} I/Os per second was valid, though each was longer than the one"
        f" before: {last.void_reason}"
    )
    return _line(state, "unsteady", reason, None, None, last.limiting_class)


def failed(state: State, why: str) -> Line:
    """The storage stopped answering in the middle of the search; the trials so far are kept."""
    known = f"; {_so_far(state)}" if state.valid() else ""
    reason = f"the storage failed after {_trials(state)}, and the line is not known: {why}{known}"
    return _line(state, "failed", reason, None, None, None)


def host_lost(state: State, why: str) -> Line:
    """One of several hosts is there no more: what the others hold is another line."""
    known = f"; {_so_far(state)} with all of them" if state.valid() else ""
    when = f"after {_trials(state)}" if state.trials else "before a trial had ended"
    reason = f"a host was lost {when}, and the line of all is not known: {why}{known}"
    return _line(state, "host_lost", reason, None, None, None)


def not_together(state: State, why: str) -> Line:
    """Several hosts could not begin at one moment any more."""
    reason = f"it cannot be told where {state.search.slo.text} is reached: {why}; {_so_far(state)}"
    return _line(state, "unsteady", reason, None, None, None)


def interrupted(state: State) -> Line:
    """The user asked to end; the trials so far are kept."""
    known = f"; {_so_far(state)}" if state.valid() else ""
    reason = f"the search was interrupted after {_trials(state)}; the line is not known yet{known}"
    return _line(state, "interrupted", reason, None, None, None)


def _trials(state: State) -> str:
    return _count(len(state.trials))


def _count(trials: int) -> str:
    return "1 trial" if trials == 1 else f"{trials} trials"


def _shortcoming(state: State, trial: Trial) -> str:
    """What was wrong with a trial that missed."""
    if trial.cell.errors:
        return f"{trial.cell.errors:,} of {trial.cell.errors + trial.cell.ios:,} I/Os failed"
    objective, _ = worst(state.search.slo, trial.cell)
    spread = spread_of(objective, trial.cell)
    measured = quantile_us(spread, objective.quantile)
    whose = f"{objective.host}'s " if objective.host else ""
    whose += f"{objective.io_class} " if objective.io_class else ""
    name = f"{whose}p{objective.quantile * 100:.6g}"
    if measured is None:
        return f"the longest {whose}I/O took {format_us(spread.max)}"
    return f"{name} was {format_us(measured)}"


def _disturbance(state: State) -> str | None:
    """What this host did to our threads in most of the trials that did not hold, in the words of the last one; None for nothing."""
    not_held = [disturbance(state.search.slo, trial.cell) for trial in state.trials if not trial.held]
    words = [found for found in not_held if found is not None]
    return words[-1] if 2 * len(words) > len(not_held) else None


def _machine(state: State) -> str:
    return "this machine" if state.search.slo.hosts == 1 else "one of the hosts"


def _waiting_share(state: State) -> float:
    """Share of the time that the measuring threads waited for a CPU, in the middle one of those that did not hold."""
    shares = [
        t.cell.processor_wait_share
        for t in state.trials
        if not t.held and not t.cell.was_away and t.cell.processor_wait_share is not None
    ]
    return median(shares) if shares else 0.0


def _line(
    state: State,
    outcome: Outcome,
    reason: str,
    rate: float | None,
    ci95: tuple[float, float] | None,
    limiting: str | None,
    host: str | None = None,
) -> Line:
    return Line(
        line_iops=rate,
        ci95=ci95,
        outcome=outcome,
        reason=reason,
        slo=state.search.slo,
        workload=state.search.workload,
        limiting_class=limiting,
        limiting_host=host,
        trials=tuple(state.trials),
        controls=tuple(state.controls),
        notes=_notes(state),
    )


def _notes(state: State) -> tuple[Note, ...]:
    """Notes of all trials, each code once, of several hosts of each; and how many trials were void."""
    all_notes = (
        (note, note.message.partition(":")[0] if trial.cell.hosts else "")
        for trial in state.trials
        for note in trial.cell.notes
    )
    notes = {note.code + whose: note for note, whose in all_notes if note.code not in _OF_ONE_TRIAL}
    void = [trial for trial in state.trials if trial.held is None]
    if void:
        reason = void[-1].void_reason
        notes["void-trials"] = Note(
            code="void-trials",
            message=f"trials that were void: {len(void)}; the last one because {reason}",
        )
    if (note := _waiting_note(state)) is not None:
        notes[note.code] = note
    return tuple(notes.values())


def _waiting_note(state: State) -> Note | None:
    """Whose fault it is when the measuring threads had to wait: other programs', or the cost of the I/Os themselves."""
    waiting = _waiting_share(state)
    if waiting <= WAITING_SHARE_MAX:
        return None
    waited = f"in the trials that did not hold, the measuring threads waited for a CPU {format_share(waiting)} of the time: "
    others = median(others_processors(t.cell) for t in state.trials if not t.held)
    if others > OTHERS_PROCESSORS_MAX:
        reason = "the machine was busy with other work, and on a quiet one the line may lie higher"
        return Note(code="host-busy", message=waited + reason)
    reason = "the I/Os themselves use up this machine's CPUs, and a larger machine may reach a higher line"
    return Note(code="processor-bound", message=waited + reason)

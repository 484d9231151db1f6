"""Whether a line is the storage's: what the checks say of the trials that it rests on, brought together.

The search has rules of its own for trials whose rate fell, that came late, or in which I/Os failed; of the last the line says
that they failed. What is left are the checks that ask whether the storage was measured at all: bounds, page cache, coverage, the
device's own counters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plimsoll.facts import Cell, Check, Line
from plimsoll.supply.checks import deciding
from plimsoll.supply.checks.outage import outage_words

_RULED_BY_THE_SEARCH = ("cliff", "errors", "kept_up", "outage", "tool_bound")
_SHARE_MIN = 1 / 3
"""A check that failed in fewer of the trials may have done so by chance, as beside somebody else's I/O."""


def judge_trials(line: Line, checks_of: Callable[[Cell], Sequence[Check]]) -> tuple[Check, ...]:
    """The deciding checks that failed in a third or more of the trials that held; each once, with the first one's reason."""
    held = [trial for trial in line.trials if trial.held]
    errors = _errors(line)
    failed: dict[str, list[Check]] = {}
    for trial in held:
        # On several hosts one check may fail several times.
        first = {check.name: check for check in reversed(deciding(checks_of(trial.cell)))}
        for name, check in first.items():
            if name not in _RULED_BY_THE_SEARCH:
                failed.setdefault(name, []).append(check)
    deciding_ones = (found for found in failed.values() if len(found) >= _SHARE_MIN * len(held))
    return (*errors, *_outages(line), *(_whole(found, len(held)) for found in deciding_ones))


def _errors(line: Line) -> list[Check]:
    """That I/Os failed beside a line that was found: the trials in which they did never hold, whatever their latency."""
    hit = [trial for trial in line.trials if trial.cell.errors]
    if not hit or line.outcome not in ("found", "not_limited"):
        return []
    ios = sum(trial.cell.errors for trial in hit)
    failed = f"{ios:,} {'I/O' if ios == 1 else 'I/Os'} failed, in {len(hit)} of {len(line.trials)} trials"
    reason = f"{failed}, and a trial with a failed one never holds"
    return [Check(name="errors", passed=False, reason=reason, figures={"errors": float(ios)})]


def _outages(line: Line) -> list[Check]:
    """That the server was away in a trial, which is void: a line beside that is one of the times in between."""
    hit = [trial for trial in (*line.trials, *line.controls) if trial.cell.was_away]
    if not hit:
        return []
    trials = len(line.trials) + len(line.controls)
    reason = f"in {len(hit)} of {trials} trials, the first one void, {outage_words(hit[0].cell)}"
    figures = {"outages": float(len(hit)), "outage_s": sum(trial.cell.outage_s for trial in hit)}
    return [Check(name="outage", passed=False, reason=reason, figures=figures)]


def _whole(found: list[Check], held: int) -> Check:
    first = found[0]
    reason = f"in {len(found)} of {held} trials that held: {first.reason}"
    return first.model_copy(update={"reason": reason})

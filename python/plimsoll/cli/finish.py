"""From answers to exit statuses."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Check, Line, Note, Verdict
from plimsoll.native.errors import STORAGE_FAILED

_LINE = {
    "found": ExitStatus.DONE,
    "not_limited": ExitStatus.DONE,
    "never_held": ExitStatus.ANSWER_IS_NO,
    "unsteady": ExitStatus.ANSWER_IS_NO,
    "failed": ExitStatus.WORLD_FAILED,
    "interrupted": ExitStatus.INTERRUPTED,
}


def line_status(line: Line) -> ExitStatus:
    """1 when the objective never held the storage was too unsteady, or a check failed; 4 when I/Os failed, whatever the answer."""
    if line.outcome != "interrupted" and any(trial.cell.errors for trial in line.trials):
        return ExitStatus.WORLD_FAILED
    if line.outcome in ("found", "not_limited") and line.checks:
        return ExitStatus.ANSWER_IS_NO
    return _LINE[line.outcome]


def verdict_status(verdict: Verdict) -> ExitStatus:
    """0 carries, 1 does not, 5 cannot tell: part of what was needed is missing, and the reason names it."""
    if verdict.carries is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if verdict.carries else ExitStatus.ANSWER_IS_NO


def failed(notes: Iterable[Note]) -> bool:
    """Whether the storage failed in the middle of the run."""
    return any(note.code == STORAGE_FAILED for note in notes)


def checks_status(checks: Iterable[Check]) -> ExitStatus:
    """1 when a check failed that says that the number is not the storage's; the others that failed warn."""
    from plimsoll.supply.checks import deciding

    return ExitStatus.ANSWER_IS_NO if deciding(checks) else ExitStatus.DONE

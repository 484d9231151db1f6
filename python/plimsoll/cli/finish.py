"""From answers to exit statuses."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Line, Verdict

_LINE = {
    "found": ExitStatus.DONE,
    "not_limited": ExitStatus.DONE,
    "never_held": ExitStatus.ANSWER_IS_NO,
    "unsteady": ExitStatus.ANSWER_IS_NO,
    "interrupted": ExitStatus.INTERRUPTED,
}


def line_status(line: Line) -> ExitStatus:
    """1 when the objective never held or the storage was too unsteady for a line; 4 when it was I/Os that failed."""
    if line.outcome == "never_held" and line.trials[-1].cell.errors:
        return ExitStatus.WORLD_FAILED
    return _LINE[line.outcome]


def verdict_status(verdict: Verdict) -> ExitStatus:
    """0 carries, 1 does not, 5 cannot tell: part of what was needed is missing, and the reason names it."""
    if verdict.carries is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if verdict.carries else ExitStatus.ANSWER_IS_NO

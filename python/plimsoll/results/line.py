"""The rate of arrivals at which the long-run latency crosses its objective."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate
from plimsoll.facts import Line, Run, Trial
from plimsoll.results._kind import ResultKind, RunColumn

_STATUS = {
    "found": ExitStatus.DONE,
    "not_limited": ExitStatus.DONE,
    "never_held": ExitStatus.ANSWER_IS_NO,
    "unsteady": ExitStatus.ANSWER_IS_NO,
    "failed": ExitStatus.WORLD_FAILED,
    "interrupted": ExitStatus.INTERRUPTED,
}


def _answer(line: Line) -> str:
    objective = line.slo.text
    doubt = ", not the storage's" if line.checks else ""
    doubt += ", shared with others" if line.shared else ""
    is_safe = line.outcome == "found" and line.safe_iops is not None and not line.checks
    safe = f", safe {format_rate(line.safe_iops)}" if is_safe else ""
    rate = f"{format_rate(line.line_iops)} IOPS{safe}{doubt}"
    match line.outcome:
        case "found":
            return f"line {rate} at {objective}"
        case "not_limited":
            return f"line at least {rate} at {objective}"
        case "never_held":
            return f"{objective} never held"
        case "unsteady":
            return "cannot tell where the line is"
        case "failed":
            return "no line, the storage failed"
        case "interrupted":
            known = f", line so far {rate} at {objective}" if line.line_iops is not None else ""
            return f"interrupted{known}"


def line_status(line: Line) -> ExitStatus:
    """1 when the objective never held, it cannot be told, or a check failed; 4 when I/Os failed, whatever the answer."""
    if line.outcome != "interrupted" and any(trial.cell.errors for trial in line.trials):
        return ExitStatus.WORLD_FAILED
    if line.outcome in ("found", "not_limited") and line.checks:
        return ExitStatus.ANSWER_IS_NO
    return _STATUS[line.outcome]


def _status(run: Run) -> ExitStatus:
    return line_status(run.results["line"])


RESULT = ResultKind(
    fact=Line,
    rows=(Trial,),
    rank=40,
    answer=_answer,
    status=_status,
    columns=(
        RunColumn("line_iops", "real", lambda run: run.line and run.line.line_iops),
        RunColumn("slo", "text", lambda run: run.line and run.line.slo.text),
    ),
)

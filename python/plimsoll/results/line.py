"""The rate of arrivals at which the long-run latency crosses its objective."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate
from plimsoll.facts import LatencyUs, Line, Run, Trial
from plimsoll.results._compared import Compared, Quantity, cell_work
from plimsoll.results._kind import ResultKind, RunColumn
from plimsoll.results._line_hosts import hosts_lost, hosts_said
from plimsoll.results._words import unconfirmed_said

_STATUS = {
    "found": ExitStatus.DONE,
    "not_limited": ExitStatus.DONE,
    "never_held": ExitStatus.ANSWER_IS_NO,
    "unsteady": ExitStatus.ANSWER_IS_NO,
    "failed": ExitStatus.WORLD_FAILED,
    "host_lost": ExitStatus.DONE_IN_PART,
    "interrupted": ExitStatus.INTERRUPTED,
}


def _answer(line: Line) -> str:
    failed = sum(trial.cell.errors for trial in line.trials)
    return _found(line) + (f", {failed:,} errors" if failed else "")


def _found(line: Line) -> str:
    objective = line.slo.text
    doubt = ", not valid" if line.checks else ""
    doubt += ", shared with others" if line.shared else ""
    is_safe = line.outcome == "found" and line.safe_iops is not None and not line.checks
    safe = f", safe {format_rate(line.safe_iops)}{unconfirmed_said(line)}" if is_safe else ""
    rate = f"{format_rate(line.line_iops)} IOPS{safe}{doubt}"
    objective += hosts_said(line)
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
        case "host_lost":
            return f"no line, lost: {hosts_lost(line)}"
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


def _figures(run: Run) -> list[Quantity]:
    line: Line = run.results["line"]
    is_bound = line.outcome == "not_limited"
    return [
        Quantity("line.line_iops", "line, I/Os per s", "per_s", line.line_iops, "more", line.ci95, is_bound=is_bound),
        Quantity("line.safe_iops", "safe I/Os per s", "per_s", line.safe_iops, "more", is_bound=is_bound),
        Quantity("line.beside_mb_per_s", "MB/s beside it", "mb_per_s", line.beside_mb_per_s, None),
    ]  # fmt: skip


def line_work(line: Line) -> dict[str, str]:
    """What a line was searched for."""
    asked = {"slo": line.slo.text, "beside": line.beside or "nothing"}
    if line.hosts:
        asked["hosts"] = str(len(line.hosts))
    if not line.trials:
        return asked
    # The rate is what is searched for.
    of_cell = {word: said for word, said in cell_work(line.trials[0].cell).items() if word != "rate"}
    return asked | of_cell


def line_doubts(line: Line) -> list[str]:
    """Checks that failed over its trials, others on the storage, and a search that came to nothing."""
    found = [f"the check {one.name.replace('_', ' ')} failed: {one.reason}" for one in line.checks]
    if line.outcome in ("unsteady", "failed", "host_lost"):
        found.append(line.reason)
    if line.confirmed is False:
        found.append("its safe rate is not confirmed by fresh trials")
    if line.shared is not None:
        found.append(f"measured beside {line.shared.words}")
    return found


def _latencies(run: Run) -> dict[str, LatencyUs]:
    """The held trial nearest the line."""
    line: Line = run.results["line"]
    held = [trial for trial in line.trials if trial.held]
    if not held:
        return {}
    at = line.line_iops or max(trial.rate for trial in held)
    return {"near the line": min(held, key=lambda trial: abs(trial.rate - at)).latency_us}


_COMPARED = Compared(
    figures=_figures,
    work=lambda run: line_work(run.results["line"]),
    doubts=lambda run: line_doubts(run.results["line"]),
    latencies=_latencies,
)

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
    compared=_COMPARED,
)

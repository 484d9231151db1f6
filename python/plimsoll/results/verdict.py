"""Whether a storage carries a database."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Run, Verdict
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(verdict: Verdict) -> str:
    if verdict.carries is None:
        return "cannot tell, measured beside others" if verdict.shared else "cannot tell"
    answer = "carries" if verdict.carries else "does not carry"
    if verdict.headroom is not None:
        answer += f", headroom {verdict.headroom:.3g}"
        answer += "" if verdict.moment is None else f" at {verdict.moment:%Y-%m-%d %H:%M:%S}"
    if verdict.limiting_class and not verdict.carries:
        answer += f", limited by {verdict.limiting_class}"
    return f"{answer}, measured beside others" if verdict.shared else answer


def _status(run: Run) -> ExitStatus:
    """0 carries, 1 does not, 5 cannot tell: part of what was needed is missing, and the reason names it."""
    verdict: Verdict = run.results["verdict"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if verdict.carries is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if verdict.carries else ExitStatus.ANSWER_IS_NO


RESULT = ResultKind(
    fact=Verdict,
    rank=30,
    answer=_answer,
    status=_status,
    envelope="assess",
    columns=(
        RunColumn("carries", "boolean", lambda run: run.verdict and run.verdict.carries),
        RunColumn("headroom", "real", lambda run: run.verdict and run.verdict.headroom),
    ),
)

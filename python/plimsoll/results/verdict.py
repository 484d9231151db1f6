"""Whether a storage carries a database."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_ratio
from plimsoll.facts import Run, Verdict
from plimsoll.results._kind import ResultKind, RunColumn, fact_data
from plimsoll.results.work_window import work_status

_WORDS = {True: "carries", False: "does not carry", None: "cannot tell"}


def _answer(verdict: Verdict) -> str:
    return _alone(verdict) + ("" if verdict.work is None else f"; {verdict.work}")


def _alone(verdict: Verdict) -> str:
    """Without the work that may run beside it."""
    answer = _WORDS[verdict.carries]
    if verdict.carries is None:
        return f"{answer}, measured beside others" if verdict.shared else answer
    if verdict.headroom is not None:
        answer += f", headroom {format_ratio(verdict.headroom)}"
        answer += "" if verdict.moment is None else f" at {verdict.moment:%Y-%m-%d %H:%M:%S}"
    if verdict.limiting_class and not verdict.carries:
        answer += f", limited by {verdict.limiting_class}"
    return f"{answer}, measured beside others" if verdict.shared else answer


def _status(run: Run) -> ExitStatus:
    """0 carries, 1 does not, 5 cannot tell: part of what was needed is missing, and the reason names it.

    A storage that carries the database, and not the work that was asked about beside it, has the status of that.
    """
    verdict: Verdict = run.results["verdict"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if verdict.carries is None:
        return ExitStatus.DONE_IN_PART
    if not verdict.carries:
        return ExitStatus.ANSWER_IS_NO
    return ExitStatus.DONE if run.work_window is None else work_status(run.work_window)


def _data(run: Run, kind: str) -> dict[str, Any]:
    """The verdict, with the window of work as a result of its own beside it."""
    window = run.work_window
    return {
        **fact_data(run, kind),
        **({} if window is None else {"work_window": window.model_dump(mode="json")}),
    }


RESULT = ResultKind(
    fact=Verdict,
    rank=30,
    answer=_answer,
    status=_status,
    data=_data,
    envelope="assess",
    columns=(
        RunColumn("verdict", "text", lambda run: run.verdict and _WORDS[run.verdict.carries]),
        RunColumn("carries", "boolean", lambda run: run.verdict and run.verdict.carries),
        RunColumn("headroom", "real", lambda run: run.verdict and run.verdict.headroom),
    ),
)

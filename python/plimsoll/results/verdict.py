"""Whether a storage carries a database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate, format_ratio
from plimsoll.facts import ClassVerdict, MixVerdict, Run, Verdict
from plimsoll.predict.failover import in_short
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind, RunColumn, fact_data
from plimsoll.results._words import doubts_of_trials
from plimsoll.results.consolidation import which_fit
from plimsoll.results.demand import demand_work
from plimsoll.results.failover import failover_status
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
        least = "at least " if verdict.is_at_least else ""
        answer += f", headroom {least}{format_ratio(verdict.headroom)}"
    if verdict.moment is not None:
        answer += f"{',' if verdict.headroom is None else ''} at {verdict.moment:%Y-%m-%d %H:%M:%S}"
    if verdict.limiting_class and not verdict.carries:
        answer += f", limited by {verdict.limiting_class}"
    return f"{answer}, measured beside others" if verdict.shared else answer


def _status(run: Run) -> ExitStatus:
    """0 carries, 1 does not, 5 cannot tell: part of what was needed is missing, and the reason names it.

    A storage that carries the database, and not the work that was asked about beside it, has the status of that. Of several nodes
    all count, in normal work and lost.
    """
    verdict: Verdict = run.results["verdict"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if run.failover is not None:
        return failover_status(run.failover)
    if verdict.carries is None:
        return ExitStatus.DONE_IN_PART
    if not verdict.carries:
        return ExitStatus.ANSWER_IS_NO
    return ExitStatus.DONE if run.work_window is None else work_status(run.work_window)


def _data(run: Run, kind: str) -> dict[str, Any]:
    """The verdict, with the window of work and the databases that are judged together as results of their own beside it."""
    beside = {
        "work_window": run.work_window,
        "consolidation": run.consolidation,
        "failover": run.failover,
    }
    return {
        **fact_data(run, kind),
        **{name: one.model_dump(mode="json") for name, one in beside.items() if one is not None},
    }


def _figures(run: Run) -> list[Quantity]:
    verdict: Verdict = run.results["verdict"]
    decides = next(iter(verdict.mixes), None)
    bound = decides is not None and decides.at_least
    replayed = verdict.replay_headroom
    return [
        Quantity(
            "verdict.headroom", "headroom", "times", verdict.headroom, "more", verdict.headroom_ci95, is_bound=bound
        ),
        Quantity("verdict.replay_headroom", "headroom, replayed", "times", replayed, "more"),
        Quantity("verdict.line_iops", "line, I/Os per s", "per_s", verdict.line_iops, "more", is_bound=bound),
        Quantity("verdict.asked_iops", "demand, I/Os per s", "per_s", verdict.load_iops, None),
        *(
            Quantity(f"verdict.classes.{one.name}.latency_us_p99", f"p99 near the line, {one.name.replace('_', ' ')}",
                     "us", one.latency_us_p99, "less")
            for one in verdict.classes
        ),
    ]  # fmt: skip


def _beside(run: Run) -> list[str]:
    """Of several databases which fit, or which lost node is survived, and what speaks against the trials."""
    fit = [] if run.consolidation is None else [which_fit(run.consolidation)]
    nodes = [] if run.failover is None else [in_short(run.failover)]
    return [*fit, *nodes, *doubts_of_trials(run)]


def _work(run: Run) -> dict[str, str]:
    """The objective and the demand: of another demand headroom is another thing."""
    verdict: Verdict = run.results["verdict"]
    asked = {"slo": verdict.slo, "demand": f"{format_rate(verdict.demand_iops)} I/Os per s"}
    bursts = "none" if verdict.burst_factor is None else f"{verdict.burst_factor:g}"
    return asked | {"burst factor": bursts} | ({} if run.demand is None else demand_work(run.demand))


def _doubts(run: Run) -> Iterator[str]:
    verdict: Verdict = run.results["verdict"]
    if verdict.carries is None:
        yield f"it cannot tell: {verdict.reason}"
    if verdict.shared is not None:
        yield f"measured beside {verdict.shared.words}"
    yield from doubts_of_trials(run)


_COMPARED = Compared(figures=_figures, work=_work, doubts=_doubts)

RESULT = ResultKind(
    fact=Verdict,
    rows=(MixVerdict, ClassVerdict),
    rank=30,
    answer=_answer,
    beside=_beside,
    status=_status,
    data=_data,
    envelope="assess",
    columns=(
        RunColumn("verdict", "text", lambda run: run.verdict and _WORDS[run.verdict.carries]),
        RunColumn("carries", "boolean", lambda run: run.verdict and run.verdict.carries),
        RunColumn("headroom", "real", lambda run: run.verdict and run.verdict.headroom),
    ),
    compared=_COMPARED,
)

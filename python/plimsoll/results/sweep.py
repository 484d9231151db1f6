"""Proofs with rising numbers of sessions."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.facts import Run, Sweep, SweepPoint
from plimsoll.facts.proof import LEFT_OUT
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results.proof import proof_data, proof_status


def _answer(sweep: Sweep) -> str:
    most = max(sweep.points, key=lambda point: point.operations_per_s, default=None)
    if most is None:
        return "no point of the sweep was measured"
    knee = "no knee" if sweep.knee_sessions is None else f"knee at {sweep.knee_sessions} sessions"
    return (
        f"at most {format_rate(most.operations_per_s)} operations per s with {most.sessions} sessions, {knee}"
    )


def _figures(run: Run) -> list[Quantity]:
    """Of each number of sessions."""
    quantities: list[Quantity] = []
    for one in run.results["sweep"].points:
        at, who = f"sweep.points.{one.sessions}", f", {one.sessions} sessions"
        quantities += [
            Quantity(f"{at}.operations_per_s", f"operations per s{who}", "per_s", one.operations_per_s, "more", one.ci95),
            Quantity(f"{at}.latency_us_p99", f"p99{who}", "us", one.latency_us_p99, "less"),
        ]  # fmt: skip
    return quantities


def _work(run: Run) -> dict[str, str]:
    return dict(run.results["sweep"].settings or {})


def _doubts(run: Run) -> list[str]:
    return [note.message for note in run.notes if note.code == LEFT_OUT]


RESULT = ResultKind(
    fact=Sweep,
    rows=(SweepPoint,),
    rank=10,
    answer=_answer,
    status=proof_status,
    data=proof_data,
    envelope="prove",
    compared=Compared(figures=_figures, work=_work, doubts=_doubts),
)

"""Proofs with rising numbers of sessions."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.facts import Sweep, SweepPoint
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


RESULT = ResultKind(
    fact=Sweep,
    rows=(SweepPoint,),
    rank=10,
    answer=_answer,
    status=proof_status,
    data=proof_data,
    envelope="prove",
)

"""A run of a real database."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate
from plimsoll.facts import Condition, OperationResult, Proof, QueryResult, Run
from plimsoll.facts.proof import LEFT_OUT
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(proof: Proof) -> str:
    doubt = "" if proof.holds else ", not to be believed"
    if proof.queries:
        right = sum(one.answer == "right" for one in proof.queries)
        return f"{right} of {len(proof.queries)} answers right{doubt}"
    if proof.operations_per_s is None:
        return f"nothing was proved{doubt}"
    return f"{format_rate(proof.operations_per_s)} operations per s{doubt}"


def proof_status(run: Run) -> ExitStatus:
    """130 interrupted, 4 the database went, 1 not to be believed, 5 no prediction although one was asked for, else 0."""
    codes = {note.code for note in run.notes}
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(code.startswith("database-") for code in codes):
        return ExitStatus.WORLD_FAILED
    believed = run.proof.holds if run.proof is not None else LEFT_OUT not in codes
    if not believed:
        return ExitStatus.ANSWER_IS_NO
    unpredicted = run.prediction is not None and run.prediction.error_share is None
    return ExitStatus.DONE_IN_PART if unpredicted else ExitStatus.DONE


def proof_data(run: Run, _: str = "proof") -> dict[str, Any]:
    """The proof's own fields; `latency_us` again by operation, as the contract has it. A sweep has no proof of its own."""
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **({} if run.proof is None else _fields(run.proof)),
        "prediction": None if run.prediction is None else run.prediction.model_dump(mode="json"),
        "sweep": None if run.sweep is None else run.sweep.model_dump(mode="json"),
    }


def _fields(proof: Proof) -> dict[str, Any]:
    by_operation = {
        one.name: one.latency_us.model_dump(mode="json", exclude={"hdr"}) for one in proof.operations
    }
    return {**proof.model_dump(mode="json"), "latency_us": by_operation}


RESULT = ResultKind(
    fact=Proof,
    rows=(OperationResult, QueryResult, Condition),
    rank=20,
    answer=_answer,
    status=proof_status,
    data=proof_data,
    envelope="prove",
    columns=(RunColumn("operations_per_s", "real", lambda run: run.proof and run.proof.operations_per_s),),
)

"""A proof as the command line gives it: JSON by its contract, tables for people, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Proof, Run
from plimsoll.facts.proof import LEFT_OUT

if TYPE_CHECKING:
    from plimsoll.cli.session import Session


def finish_proof(here: Session, run: Run) -> int:
    """Prints the proof or sweep and gives the status.

    130 interrupted, 4 the database went, 1 not to be believed, 5 no prediction although one was asked for, else 0.
    """

    def show() -> None:
        from plimsoll.cli.show_proof import show_proof

        show_proof(run)

    return here.finish("prove", proof_data(run), show, run.notes, proof_status(run))


def proof_status(run: Run) -> ExitStatus:
    """See `finish_proof`."""
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


def proof_data(run: Run) -> dict[str, Any]:
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

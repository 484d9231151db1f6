"""A proof as the command line gives it: JSON by its contract, tables for people, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Proof, Run

if TYPE_CHECKING:
    from plimsoll.cli.session import Session


def finish_proof(here: Session, run: Run) -> int:
    """Prints the proof and gives the status: 130 interrupted, 4 the database went, 1 it may not be believed, else 0."""
    assert run.proof is not None, "a prove run has a proof"

    def show() -> None:
        from plimsoll.cli.show_proof import show_proof

        show_proof(run)

    return here.finish("prove", proof_data(run), show, run.notes, proof_status(run))


def proof_status(run: Run) -> ExitStatus:
    """See `finish_proof`."""
    assert run.proof is not None, "a prove run has a proof"
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(note.code.startswith("database-") for note in run.notes):
        return ExitStatus.WORLD_FAILED
    return ExitStatus.DONE if run.proof.holds else ExitStatus.ANSWER_IS_NO


def proof_data(run: Run) -> dict[str, Any]:
    """The proof's own fields; `latency_us` again by operation, as the contract has it."""
    proof: Proof | None = run.proof
    assert proof is not None, "a prove run has a proof"
    return {
        "run": run.id,
        **proof.model_dump(mode="json"),
        "latency_us": {
            one.name: one.latency_us.model_dump(mode="json", exclude={"hdr"}) for one in proof.operations
        },
        "prediction": None if run.prediction is None else run.prediction.model_dump(mode="json"),
        "sweep": None if run.sweep is None else run.sweep.model_dump(mode="json"),
    }

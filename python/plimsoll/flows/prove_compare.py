"""`plimsoll prove compare`: by how much one stored proof did more than another, and how sure that is."""

from __future__ import annotations

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import Proof, Run
from plimsoll.predict.comparison import Comparison, compare
from plimsoll.predict.queries import QueryComparison, compare_queries


def compare_proofs(
    ctx: Context, first: str, second: str
) -> tuple[Comparison | QueryComparison, tuple[Run, Run]]:
    """The second run against the first, by their ids. Raises UsageError `proof-none`, `proof-unlike`, and what loading raises."""
    runs = ctx.store.load(first), ctx.store.load(second)
    one, other = _proof(runs[0]), _proof(runs[1])
    if one.workload != other.workload:
        message = f"a proof of {one.workload} and one of {other.workload} have nothing to compare"
        raise UsageError(
            "proof-unlike", message, "Compare two runs of the same workload; see plimsoll store list."
        )
    return compare_queries(one, other) if one.queries else compare(one, other), runs


def _proof(run: Run) -> Proof:
    if run.proof is None or not (run.proof.slices or run.proof.queries):
        message = f"run {run.id} holds neither operations over time nor queries to compare"
        raise UsageError("proof-none", message, "Runs of plimsoll prove do; see plimsoll store list.")
    return run.proof

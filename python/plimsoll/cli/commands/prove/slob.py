"""`plimsoll prove slob`: its actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.cli.asking import asks
from plimsoll.cli.commands.prove.acting import carried_out
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.flows.prove_slob import SlobProof
    from plimsoll.requests.prove_slob import ProveSlobRequest


@asks("prove_slob.ProveSlobRequest")
def slob(asked: ProveSlobRequest, place: Place) -> int:
    """Drive a database with random block reads and updates, as SLOB does.

    Sessions loop inside the server and commit each operation. Their own counts and the server's must agree, or the run says so.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows import prove_slob as flow

    proof = flow.slob_proof(asked)
    with session(place) as here:
        acts = {
            "run": flow.prove_slob, "sweep": flow.sweep_slob, "setup": flow.set_up, "status": flow.look,
            "drop": flow.take_away,
        }  # fmt: skip
        return carried_out(here, asked.action, acts[asked.action], proof, _told)


def _told(here: Session, proof: SlobProof, loaded: Any, done: str) -> int:
    """What tables were made, are there, or were dropped; 1 when they are not as they should be."""
    from dataclasses import asdict

    from plimsoll.base.errors import ExitStatus

    usable = loaded is not None and loaded.state == "loaded" and loaded.one_row_per_block
    status = ExitStatus.DONE if usable or done == "dropped" else ExitStatus.ANSWER_IS_NO

    def show() -> None:
        if loaded is None:
            say("There are no tables of Plimsoll's." if done != "dropped" else "There was nothing to drop.")
            return
        say(
            f"{loaded.schemas} schemas of {loaded.scale:,} blocks, {loaded.state}, by {loaded.made_by}: {done}."
        )
        for table in loaded.tables:
            say(f"  {table.table}: {table.rows:,} rows in {table.blocks:,} blocks")

    data = {"action": done, "tables": None if loaded is None else asdict(loaded)}
    return here.finish("prove-slob", data, show, proof.notes, status)

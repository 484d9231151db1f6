"""`plimsoll prove tpch`: its actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.cli.asking import asks
from plimsoll.cli.commands.prove.acting import carried_out
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.flows.prove_tpch import TpchProof
    from plimsoll.requests.prove_tpch import ProveTpchRequest


@asks("prove_tpch.ProveTpchRequest")
def tpch(asked: ProveTpchRequest, place: Place) -> int:
    """Run the 22 queries of TPC-H on a database, and check the answers.

    Answers at scales 0.01, 0.1 and 1 are known. Derived from TPC-H, and not comparable to published TPC-H results.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows import prove_tpch as flow

    proof = flow.tpch_proof(asked)
    with session(place) as here:
        acts = {"run": flow.prove_tpch, "setup": flow.set_up, "status": flow.look, "drop": flow.take_away}
        return carried_out(here, asked.action, acts[asked.action], proof, _told)


def _told(here: Session, proof: TpchProof, found: Any, done: str) -> int:
    """What was made, is there, or was dropped; 1 when what was asked for is not loaded data of ours."""
    from dataclasses import asdict

    from plimsoll.base.errors import ExitStatus
    from plimsoll.base.units import format_bytes

    def show() -> None:
        scale = f" at scale {found.marker.scale}, {found.marker.layout}" if found.marker else ""
        size = f", {format_bytes(found.bytes)}" if found.bytes else ""
        word = "dropped" if done == "dropped" and found.marker else found.state
        say(f"Schema plimsoll_tpch: {word}{scale}{size}.")

    usable = found.state == "loaded" or done == "dropped"
    data = {"action": done, **asdict(found)}
    return here.finish("prove-tpch", data, show, (), ExitStatus.DONE if usable else ExitStatus.ANSWER_IS_NO)

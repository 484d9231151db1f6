"""`plimsoll prove order-entry`: its actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.cli.asking import asks
from plimsoll.cli.commands.prove.acting import carried_out
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.flows.prove_orders import OrdersProof, Verified
    from plimsoll.requests.prove_order_entry import ProveOrderEntryRequest

_KIND = "prove-order-entry"


@asks("prove_order_entry.ProveOrderEntryRequest")
def order_entry(asked: ProveOrderEntryRequest, place: Place) -> int:
    """Drive a database with order entry: five transactions of TPC-C's shape.

    They run in the server's procedures; afterwards the data must fulfil thirteen conditions. It is no TPC-C result.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows import prove_orders as flow

    proof = flow.orders_proof(asked)
    with session(place) as here:
        acts = {
            "run": flow.prove_orders,
            "setup": flow.set_up,
            "verify": flow.verify,
            "status": flow.look,
            "drop": flow.take_away,
        }
        return carried_out(here, asked.action, acts[asked.action], proof, _told)


def _told(here: Session, proof: OrdersProof, found: Any, done: str) -> int:
    """What is there, what of it holds, or whether something was dropped; 1 when it is not loaded data of ours, or does not hold."""
    from dataclasses import asdict

    from plimsoll.base.errors import ExitStatus

    if done == "verified":
        return _verified(here, found)

    if done == "dropped":
        words = "Dropped schema plimsoll_orders." if found else "There was nothing to drop."
        return here.finish(_KIND, {"action": done, "was_there": found}, lambda: say(words))

    def show() -> None:
        if found.scale is None:
            say(f"Schema plimsoll_orders: {found.state}.")
        else:
            scale = found.scale
            sizes = f"{scale.items:,} items, {scale.customers_per_district:,} customers per district, seed {scale.seed}"
            say(f"Warehouses: {scale.warehouses}; {sizes}; {found.state}.")

    data = {
        "action": done,
        "state": found.state,
        "scale": None if found.scale is None else asdict(found.scale),
    }
    status = ExitStatus.DONE if found.state == "loaded" else ExitStatus.ANSWER_IS_NO
    return here.finish(_KIND, data, show, (), status)


def _verified(here: Session, found: Verified) -> int:
    """Whether what was acknowledged is there; 1 when it is not, 5 when it cannot be told."""
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.tables import show_figures
    from plimsoll.facts import Condition
    from plimsoll.pages import proof_tables, proof_words

    def show() -> None:
        say(f"{proof_words.verified(found.conditions)}.")
        table = proof_tables.conditions(found.conditions)
        show_figures(table)
        say(f"run {found.run.id}, {found.run.title}")

    data = {
        "action": "verified",
        "run": found.run.id,
        "holds": found.holds,
        "conditions": [one.model_dump(mode="json") for one in found.conditions],
    }
    statuses = {True: ExitStatus.DONE, False: ExitStatus.ANSWER_IS_NO, None: ExitStatus.DONE_IN_PART}
    return here.finish(
        _KIND, data, show, (), statuses[found.holds],
        lambda: [of_facts("conditions", Condition, found.conditions)],
    )  # fmt: skip

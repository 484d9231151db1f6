"""Proofs: real databases, driven."""

from __future__ import annotations

from plimsoll.api._asking import asks
from plimsoll.api._results import Proved
from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.requests.prove_order_entry import ProveOrderEntryRequest
from plimsoll.requests.prove_slob import ProveSlobRequest
from plimsoll.requests.prove_tpch import ProveTpchRequest


@asks(ProveSlobRequest)
def prove_slob(ctx: Context, asked: ProveSlobRequest) -> Proved:
    """A database driven with random block reads and updates, as `plimsoll prove slob`; `action` is run or sweep.

    Example:
        found = plimsoll.prove_slob(scale="64M", threads=4, update_pct=20, runtime="30s")
        found.proof.holds, found.proof.operations_per_s
        found.frame("slices")  # each second of the window
    """
    from plimsoll.flows import prove_slob as flow

    acts = {"run": flow.prove_slob, "sweep": flow.sweep_slob}
    if asked.action not in acts:
        raise _of_tables(ProveSlobRequest.verb, asked.action)
    return Proved(acts[asked.action](ctx, flow.slob_proof(asked)))


@asks(ProveTpchRequest)
def prove_tpch(ctx: Context, asked: ProveTpchRequest) -> Proved:
    """TPC-H's 22 queries and whether the answers are right, as `plimsoll prove tpch run`.

    Example:
        found = plimsoll.prove_tpch()
        found.frame("queries")  # seconds and answers
    """
    from plimsoll.flows import prove_tpch as flow

    if asked.action != "run":
        raise _of_tables(ProveTpchRequest.verb, asked.action)
    return Proved(flow.prove_tpch(ctx, flow.tpch_proof(asked)))


@asks(ProveOrderEntryRequest)
def prove_order_entry(ctx: Context, asked: ProveOrderEntryRequest) -> Proved:
    """Order entry and the conditions on what it leaves, as `plimsoll prove order-entry run`.

    Example:
        found = plimsoll.prove_order_entry(database="embedded")
        found.proof.conditions
    """
    from plimsoll.flows import prove_orders as flow

    if asked.action != "run":
        raise _of_tables(ProveOrderEntryRequest.verb, asked.action)
    return Proved(flow.prove_orders(ctx, flow.orders_proof(asked)))


def _of_tables(verb: str, action: str) -> UsageError:
    return UsageError(
        "usage", f"{action} gives no proof", f"Do it once on the command line: plimsoll {verb} {action}."
    )

"""A mix of order-entry transactions in the database's own procedures: many small reads and writes, and a commit after each.

Shape, cardinalities and mix are those of the TPC-C specification; it is no TPC-C, and its results compare with no published ones.
`load` makes the data, `prove` drives it and checks it, `verify` checks it again after a crash, `drop` removes what Plimsoll made.
"""

from plimsoll.proof.order_entry.load import load
from plimsoll.proof.order_entry.prove import (
    LEDGER_BEGAN,
    Outcome,
    acknowledged_in,
    ledger_began,
    other_ledger,
    prove,
    verify,
)
from plimsoll.proof.order_entry.schema import SCHEMA, Found, drop, look
from plimsoll.proof.order_entry.settings import KINDS, MIX, Options, Scale
from plimsoll.proof.order_entry.worker import WORKLOAD, Acknowledged, worker_of

__all__ = [
    "KINDS",
    "LEDGER_BEGAN",
    "MIX",
    "SCHEMA",
    "WORKLOAD",
    "Acknowledged",
    "Found",
    "Options",
    "Outcome",
    "Scale",
    "acknowledged_in",
    "drop",
    "ledger_began",
    "load",
    "look",
    "other_ledger",
    "prove",
    "verify",
    "worker_of",
]

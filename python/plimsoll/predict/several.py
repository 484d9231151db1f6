"""A verdict in the words that fit several databases."""

from __future__ import annotations

from plimsoll.facts import Demand, Verdict
from plimsoll.facts.demand import SEVERAL

_WORDS = (
    ("the database asks for", "the databases together ask for"),
    ("carries the database", "carries the databases together"),
    ("carry the database", "carry the databases together"),
)


def of_several(demand: Demand, verdict: Verdict) -> Verdict:
    """The verdict on the sum of several demands; that on a single one as it is."""
    if demand.database.kind != SEVERAL:
        return verdict
    reason = verdict.reason
    for one, many in _WORDS:
        reason = reason.replace(one, many)
    return verdict.model_copy(update={"reason": reason})

"""Demands whose reads were counted above the operating system's cache: an upper bound of what a storage is asked for.

A yes holds all the more. A no must hold for what surely was asked: the writes and the log, and of the reads the share
that is known to have reached it. What the cache answered here may be cold on another host, so a yes is never given for less than
all of it; between the two it cannot be told.
"""

from __future__ import annotations

from plimsoll.base.units import format_share
from plimsoll.demand.cached import may_be_cached
from plimsoll.facts import Demand, Verdict, Workload

_ALL_REACHED = 0.9
"""Caches of a few per cent move no verdict."""


def reads_are_bound(demand: Demand) -> bool:
    """Whether the cache may have answered a tenth or more of the reads that were counted."""
    cached = demand.cached_read_share
    if not may_be_cached(demand.database):
        return False
    return cached is None or 1 - cached < _ALL_REACHED


def surely_asked(workload: Workload, demand: Demand) -> Workload | None:
    """The part of a mix that the storage was surely asked for, each class weighted by its I/Os per second; None for nothing."""
    reached = 0.0 if demand.cached_read_share is None else 1 - demand.cached_read_share
    classes = tuple(
        io if io.op == "write" else io.model_copy(update={"weight": io.weight * reached})
        for io in workload.classes
        if io.op == "write" or reached > 0
    )
    return workload.model_copy(update={"classes": classes}) if classes else None


def confirmed(verdict: Verdict, demand: Demand, refused: bool | None) -> Verdict:
    """A no, with whether what surely was asked for is refused as well; None where that was not measured."""
    known = _known(demand)
    if refused:
        reason = f"{verdict.reason} Nor does it carry what surely reached the storage: {known}."
        return verdict.model_copy(update={"reason": reason})
    carried = "that alone was not measured" if refused is None else "that alone may be carried"
    why = f"reads were counted above the operating system's cache, and are an upper bound; {known}, and {carried}"
    no = f"{verdict.reason[0].lower()}{verdict.reason[1:]}"
    return verdict.model_copy(
        update={"carries": None, "reason": f"It cannot be told: {why}. With all reads that were counted {no}"}
    )


def _known(demand: Demand) -> str:
    if demand.cached_read_share is None:
        return "what is sure are its writes"
    return f"what is sure are its writes and {format_share(1 - demand.cached_read_share)} of its reads"

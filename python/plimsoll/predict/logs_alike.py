"""Logs that databases force in different ways, and that are all taken as forced in the dearer one: no no rests on that alone."""

from __future__ import annotations

from plimsoll.demand.summed import LOGS_ALIKE
from plimsoll.facts import Demand, Verdict, Workload

_LOG = "redo_write"


def logs_are_bound(demand: Demand) -> bool:
    """Whether its log is taken as dearer than it may be."""
    return any(note.code == LOGS_ALIKE for note in demand.notes)


def without_log(workload: Workload) -> Workload | None:
    """The mix without the writes of the log; None where nothing else is in it."""
    classes = tuple(io for io in workload.classes if io.name != _LOG)
    return workload.model_copy(update={"classes": classes}) if classes else None


def confirmed_without_log(verdict: Verdict, refused: bool | None) -> Verdict:
    """A no, with whether the demand without its logs is refused as well; None where that was not measured."""
    if refused:
        reason = f"{verdict.reason} Nor does it carry them without the writes of their logs."
        return verdict.model_copy(update={"reason": reason})
    without = (
        "what they ask for without was not measured"
        if refused is None
        else "without these they may be carried"
    )
    why = f"the logs are written in different ways, and all were taken as the dearer one; {without}"
    no = f"{verdict.reason[0].lower()}{verdict.reason[1:]}"
    return verdict.model_copy(
        update={"carries": None, "reason": f"It cannot be told: {why}. As measured {no}"}
    )

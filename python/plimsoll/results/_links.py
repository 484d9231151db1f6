"""What calibrations of all kinds say of the targets and of the links to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Cell, Run
from plimsoll.results._kind import cells_status


def calibrated_status(run: Run, cells: Sequence[Cell], missed: bool = False) -> ExitStatus:
    """4 when storage failed, 1 when a figure is not valid, lies beyond what the links carry, or the answer is no."""
    from plimsoll.supply.link_bound import is_exceeded

    status = cells_status(run, cells, any(note.code == "point-failed" for note in run.notes))
    if status is ExitStatus.WORLD_FAILED and any(note.code == "host-lost" for note in run.notes):
        return ExitStatus.DONE_IN_PART
    links = run.links
    missed = missed or any(note.code == "hosts-apart" for note in run.notes)
    # Links that the user named may be others than those that are there: then only the note warns.
    beyond = links is not None and not links.stated and is_exceeded(links.used_share)
    return ExitStatus.ANSWER_IS_NO if status is ExitStatus.DONE and (beyond or missed) else status


def targets_data(run: Run) -> list[dict[str, Any]]:
    """All targets of a run."""
    targets = run.targets or ((run.target,) if run.target else ())
    return [target.model_dump(mode="json") for target in targets]


def links_doubts(run: Run) -> list[str]:
    """More was measured than the links carry, where nobody named others than those that are there."""
    from plimsoll.supply.link_bound import is_exceeded

    links = run.links
    if links is None or links.stated or not is_exceeded(links.used_share):
        return []
    return ["more was measured than the links between carry"]

"""A line of `plimsoll store list`."""

from __future__ import annotations

from plimsoll.facts import Run, RunSummary
from plimsoll.results import answer


def summarize(run: Run) -> RunSummary:
    """What the list says of a run."""
    return RunSummary(
        id=run.id,
        kind=run.kind,
        title=run.title,
        started_at=run.started_at,
        duration_s=(run.ended_at - run.started_at).total_seconds(),
        interrupted=run.interrupted,
        result=answer(run),
        tags=run.tags,
    )

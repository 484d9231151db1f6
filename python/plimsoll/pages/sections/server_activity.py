"""What a PostgreSQL counted in the time of a demand: the report of two snapshots that a DBA expects."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.pages._section import Section
from plimsoll.results import Block, activity_blocks


def applies(subject: Subject) -> bool:
    """Whether the run is a demand, and the server's counts are with it."""
    return bool(_of_demand(subject))


def blocks(subject: Subject) -> list[Block]:
    """The same as on a terminal."""
    return _of_demand(subject)


def _of_demand(subject: Subject) -> list[Block]:
    """A verdict, a proof or advice has other things to tell."""
    demand = subject.run.demand
    return activity_blocks(demand) if demand is not None and subject.run.kind == "demand" else []


SECTION = Section(
    "What the server counted", "Load, cache, I/O, WAL, checkpoints and settings.", 45, applies, blocks
)

"""A proof while it ran: operations, latency, CPUs and device above one axis of time."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Words

_HOW_TO_READ = (
    "All lanes share one axis of time, which begins when the window opened. Where operations become slow, look straight down: "
    "either the CPUs were busy, or the device's queue grew, or neither."
)


def applies(subject: Subject) -> bool:
    """Whether slices of it were kept."""
    return charts.load("proof-over-time").applies(subject)


def blocks(subject: Subject) -> list[Block]:
    """The lanes."""
    return [Words(_HOW_TO_READ), Figure("proof-over-time")]


SECTION = Section("Second by second", "Operations beside what machine and device did.", 14, applies, blocks)

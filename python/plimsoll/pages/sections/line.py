"""The load line: how latency grows with the rate, and where the objective is lost."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.pages._say import sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Words, hosts_grid, hosts_words

_HOW_TO_READ = (
    "I/Os arrive at a given rate whether or not earlier ones are done, as they do from many users at once, and each is timed "
    "from the moment it was due. Dots are trials that held the objective, crosses missed it, open diamonds are void."
)


def applies(subject: Subject) -> bool:
    """Whether a line was searched."""
    return subject.run.line is not None


def blocks(subject: Subject) -> list[Block]:
    """The chart, or the reason why there is none."""
    line = subject.run.line
    assert line is not None
    if charts.load("load-line").applies(subject):
        drawn: list[Block] = [Words(_HOW_TO_READ), Figure("load-line")]
    else:
        drawn = [Words(f"No trial gave a latency to draw. {sentence(line.reason)}")]
    return [*drawn, hosts_words(line), hosts_grid(line)] if line.hosts else drawn


SECTION = Section("The load line", "Latency against the rate of arrivals.", 20, applies, blocks)

"""Working sets of rising size: their rates, and where a cache ends."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.base.units import format_bytes, format_seconds
from plimsoll.charts import Subject
from plimsoll.facts import WorkingSetSweep
from plimsoll.pages._blocks import Block, Figure, Pairs, Section, Words
from plimsoll.pages._say import percent

_METHOD = (
    "Each set is read once in full and then at random. A cache that holds all of it answers all reads; of a larger set it answers "
    "only its share, so the rate falls. A fall counts where every repeat shows it, by half as much again at least."
)


def applies(subject: Subject) -> bool:
    """Whether working sets were measured."""
    return subject.run.working_sets is not None


def blocks(subject: Subject) -> list[Block]:
    """The curve, how it was measured, and what was asked."""
    found = subject.run.working_sets
    assert found is not None, "applies() has looked"
    shown: list[Block] = [Words(_METHOD)]
    if charts.load("working-sets").applies(subject):
        shown.append(Figure("working-sets"))
    return [*shown, Pairs("Asked", _asked(found))]


def _asked(found: WorkingSetSweep) -> tuple[tuple[str, str], ...]:
    known = [one.read_once_share for one in found.sets if one.read_once_share is not None]
    before = format_seconds(found.read_once_s)
    return (
        ("reads", f"{format_bytes(found.block_bytes)}, random, {found.depth} outstanding"),
        ("repeats", str(found.repeats)),
        ("each measurement", format_seconds(found.duration_s)),
        ("read once before", f"{percent(min(known, default=None))} of each set at least, in {before}"),
    )


SECTION = Section("Working sets", "Rates over bytes visited, and where a cache ends.", 23, applies, blocks)

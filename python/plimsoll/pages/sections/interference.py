"""What database clients do to each other on this storage: the answers in sentences, then the matrix."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.base.units import format_mb, format_rate, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import Interference
from plimsoll.pages._say import name
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Grid, Words

_COLUMNS = ("class", "I/Os per s", "MB/s", "mean", "p50", "p99", "p99.9")


def applies(subject: Subject) -> bool:
    """Whether clients were measured beside each other."""
    return subject.run.interference is not None


def blocks(subject: Subject) -> list[Block]:
    """Sentences, the matrix, and each client alone as fast as it can."""
    found = subject.run.interference
    assert found is not None, "applies() has looked"
    shown: list[Block] = [Words(sentence) for sentence in found.answers]
    if charts.load("interference-matrix").applies(subject):
        shown.append(Figure("interference-matrix"))
    return [*shown, Grid("Each client alone, as fast as it can", _alone(found))]


def _alone(found: Interference) -> Table:
    rows = [
        (
            name(io.name), format_rate(io.iops), format_mb(io.mb_per_s), format_us(io.latency_us.mean),
            format_us(io.latency_us.p50), format_us(io.latency_us.p99), format_us(io.latency_us.p999),
        )
        for encounter in found.encounters
        if encounter.paced is None
        for io in encounter.cell.classes
    ]  # fmt: skip
    return Table(_COLUMNS, tuple(rows), (False, *(True,) * 6))


SECTION = Section(
    "Beside each other", "What clients of different kinds do to each other.", 18, applies, blocks
)

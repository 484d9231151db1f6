"""Several measurements of one run side by side: the jobs of a job file, clients beside each other, files taken in."""

from __future__ import annotations

from plimsoll.base.units import format_mb, format_rate, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import Run
from plimsoll.pages._say import name
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid, Words

_COLUMNS = ("measurement", "class", "I/Os per s", "MB/s", "mean", "p50", "p99", "p99.9")


def applies(subject: Subject) -> bool:
    """Whether the run has cells of its own, beside trials and points."""
    return bool(subject.run.cells)


def blocks(subject: Subject) -> list[Block]:
    """One table, a line for each class of each measurement."""
    away = any(cell.lost_rate for cell in subject.run.cells)
    words = (
        [Words("Where the server was away for a time, rates are those while it was there.")] if away else []
    )
    return [Grid("Rate and latency by class", _table(subject.run)), *words]


def _table(run: Run) -> Table:
    rows = [
        (
            cell.workload.name, name(io.name), format_rate(io.iops * cell.connected_factor),
            format_mb(io.mb_per_s * cell.connected_factor), format_us(io.latency_us.mean),
            format_us(io.latency_us.p50), format_us(io.latency_us.p99), format_us(io.latency_us.p999),
        )
        for cell in run.cells
        for io in cell.told_classes or cell.classes
    ]  # fmt: skip
    return Table(_COLUMNS, tuple(rows), (False, False, *(True,) * 6))


SECTION = Section("Measurements", "Every measurement of the run, class by class.", 25, applies, blocks)

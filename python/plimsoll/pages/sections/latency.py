"""Latency as a distribution, out to the slowest I/O: what an average hides."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.base.units import format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import LatencyUs
from plimsoll.pages._say import name
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Grid


def applies(subject: Subject) -> bool:
    """Whether there is a distribution to draw, or a cell with latencies."""
    return charts.load("latency-distribution").applies(subject) or bool(_latencies(subject))


def blocks(subject: Subject) -> list[Block]:
    """The chart where buckets are at hand; the quantiles of a single cell by class."""
    found: list[Block] = []
    if charts.load("latency-distribution").applies(subject):
        found.append(Figure("latency-distribution"))
    if _latencies(subject):
        found.append(Grid(_caption(subject), _table(subject)))
    return found


def _caption(subject: Subject) -> str:
    changed = subject.run.cell is not None and subject.run.cell.change is not None
    return "Latency by class, over the whole time" if changed else "Latency by class"


def _latencies(subject: Subject) -> list[tuple[str, LatencyUs]]:
    cell = subject.run.cell
    if cell is None:
        return []
    classes = (
        [(name(result.name), result.latency_us) for result in cell.classes] if len(cell.classes) > 1 else []
    )
    service = (
        [("all I/Os, from submission", cell.service_us)]
        if cell.arrivals.kind != "closed" and cell.service_us
        else []
    )
    return [
        (label, latency)
        for label, latency in [*classes, *service, ("all I/Os", cell.latency_us)]
        if latency.count
    ]


def _table(subject: Subject) -> Table:
    columns = ("class", "I/Os", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "slowest")
    rows = []
    for label, latency in _latencies(subject):
        figures = (
            latency.mean,
            latency.p50,
            latency.p90,
            latency.p99,
            latency.p999,
            latency.p9999,
            latency.max,
        )
        rows.append((label, f"{latency.count:,}", *(format_us(figure) for figure in figures)))
    return Table(columns, tuple(rows), (False, *(True for _ in columns[1:])))


SECTION = Section("Latency", "The distribution of latency, out to the slowest I/O.", 30, applies, blocks)

"""Places of a report that say the same thing twice: where they differ by more than rounding, both cells are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from plimsoll.facts import ReportedDoubt
from plimsoll.reports.figures.counters import Counters
from plimsoll.reports.figures.quantity import Quantity, agree
from plimsoll.reports.figures.totals import ROUNDING_SHARE_MAX

_TWICE_ROUNDED = 1.1
"""Statspack rounds to two decimals, then to the one that it prints: 0.348 becomes 0.35 and then 0.4."""

_LOAD: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("redo size", ("Redo size", "Redo size (bytes)")),
    ("physical reads", ("Physical reads", "Physical read (blocks)")),
    ("physical writes", ("Physical writes", "Physical write (blocks)")),
    ("physical read IO requests", ("Read IO requests",)),
    ("physical write IO requests", ("Write IO requests",)),
)
"""Statistics, and what the Load Profile calls them per second."""
_STATISTICS = (
    "physical read total IO requests",
    "physical read total bytes",
    "physical write total IO requests",
    "physical write total bytes",
    "redo size",
    "redo writes",
)


def doubts_of(counters: Counters) -> Iterator[ReportedDoubt]:
    """The Load Profile against the statistics, and statistics per second against their totals."""
    for statistic, labels in _LOAD:
        total = counters.per_second(counters.activity_total(statistic))
        yield from _compare(total, counters.load(*labels), f"{statistic} per second")
    for statistic in _STATISTICS:
        total = counters.per_second(counters.activity_total(statistic))
        rate = counters.evidence.find("instance_activity", "statistic", statistic, "per_s")
        yield from _compare(total, rate, f"{statistic} per second")


def negative_counts(counters: Counters) -> Iterator[ReportedDoubt]:
    """Counts below zero that were come across, each place once: something was restarted or reset meanwhile."""
    for found in counters.evidence.negative.values():
        (cell,) = found.cells
        message = f"{found.source} prints {cell.value} for '{cell.row}': a count that went backwards, and is not used"
        yield ReportedDoubt(code="count-negative", message=message, cells=found.cells)


def _compare(total: Quantity | None, rate: Quantity | None, what: str) -> Iterator[ReportedDoubt]:
    if total is None or rate is None:
        return
    if agree(total, replace(rate, slack=rate.slack * _TWICE_ROUNDED), ROUNDING_SHARE_MAX):
        return
    message = f"{rate.source} says {rate.value:,.2f} {what}, and {total.how} is {total.value:,.2f}"
    yield ReportedDoubt(code="total-differs", message=message, cells=rate.cells + total.cells)

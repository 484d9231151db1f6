"""How long I/O took on average, by class, where a report prints it: evidence beside the demand, and no part of it.

Two sections may print it: IOStat times requests, and sessions time their waits for them. Many reports of 12.2 and later print
10 µs for a small read for which sessions waited 400 µs; on Exadata IOStat's time of a large read may be a thousand times the wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plimsoll.facts import ReportedDoubt
from plimsoll.facts.demand import DemandClassName
from plimsoll.reports.figures.counters import Counters
from plimsoll.reports.figures.quantity import Quantity

_EVENTS: dict[DemandClassName, tuple[tuple[str, str], ...]] = {
    "small_read": (
        ("foreground_waits", "cell single block physical read"),
        ("foreground_waits", "db file sequential read"),
    ),
    "large_read": (
        ("foreground_waits", "direct path read"),
        ("foreground_waits", "db file scattered read"),
    ),
    "redo_write": (("background_waits", "log file parallel write"),),
    "temp_read": (("foreground_waits", "direct path read temp"),),
    "temp_write": (("foreground_waits", "direct path write temp"),),
}
"""Waits that end with one read or write of the class. Those of the database writer are for a batch, so they say nothing of one."""
_SERVICE: dict[DemandClassName, str] = {"small_read": "small_read_us", "large_read": "large_read_us"}

NO_LATENCY: dict[DemandClassName, str] = {
    "small_write": "reports print no time per write: 'db file parallel write' is the wait for a batch",
    "large_write": "reports print no time per write: 'db file parallel write' is the wait for a batch",
}
NOT_PRINTED = "the report prints neither a service time nor waits for it, or rounds them to nothing"


APART_MAX = 10.0
"""Times that are further apart than this are not of the same thing: a queue or a cache makes less of a difference."""
_WAITED_FOR_WHOLE: tuple[DemandClassName, ...] = ("small_read",)
"""Classes whose wait is for all of one request. Sessions read large ones ahead, and wait for what is left of them."""


@dataclass(frozen=True)
class Latency:
    """What is taken, and what speaks against it."""

    taken: Quantity | None
    doubt: ReportedDoubt | None = None


def latency(counters: Counters, name: DemandClassName) -> Latency:
    """IOStat's service time of data files, else the average wait. Where both are printed they are held against each other."""
    served, waited = _service(counters, name), _wait(counters, name)
    if served is None or waited is None:
        return Latency(waited if served is None else served)
    if max(served.value, waited.value) <= APART_MAX * min(served.value, waited.value):
        return Latency(served)
    taken = waited if name in _WAITED_FOR_WHOLE else served
    return Latency(taken, _apart(name, served, waited, taken))


def latency_doubts(counters: Counters) -> Iterator[ReportedDoubt]:
    """Of all classes for which two sections print a time."""
    for name in _SERVICE:
        doubt = latency(counters, name).doubt
        if doubt is not None:
            yield doubt


def _service(counters: Counters, name: DemandClassName) -> Quantity | None:
    column = _SERVICE.get(name)
    if column is None:
        return None
    found = counters.iostat("iostat_by_filetype", "Data File", column)
    return found.said("service time of data files") if found is not None and found.value else None


def _wait(counters: Counters, name: DemandClassName) -> Quantity | None:
    found = (counters.wait_us(view, event) for view, event in _EVENTS.get(name, ()))
    return next((known for known in found if known is not None), None)


def _apart(name: DemandClassName, served: Quantity, waited: Quantity, taken: Quantity) -> ReportedDoubt:
    event = next((cell.row for cell in waited.cells), "sessions")
    message = (
        f"{served.source} says {served.value:,.0f} µs for each {name.replace('_', ' ')}, and sessions waited "
        f"{waited.value:,.0f} µs for '{event}'; the time of {taken.source} is shown"
    )
    return ReportedDoubt(code="latencies-differ", message=message, cells=served.cells + waited.cells)

"""How long I/O took on average, by class, where a report prints it: evidence beside the demand, and no part of it."""

from __future__ import annotations

from plimsoll.demand.reports.figures.counters import Counters
from plimsoll.demand.reports.figures.known import Known
from plimsoll.facts.demand import DemandClassName

_EVENTS: dict[DemandClassName, tuple[tuple[str, str], ...]] = {
    "small_read": (("foreground_waits", "db file sequential read"),),
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


def latency(counters: Counters, name: DemandClassName) -> Known | None:
    """IOStat's service time of data files, else the average wait."""
    column = _SERVICE.get(name)
    if column is not None:
        found = counters.iostat("iostat_by_filetype", "Data File", column)
        if found is not None and found.value:
            return found.said("service time of data files")
    for view, event in _EVENTS.get(name, ()):
        found = counters.wait_us(view, event)
        if found is not None:
            return found
    return None

"""Reports with a known cause, for tests of advice: the real reader reads them, and rules see nothing else.

Each is of 1,000.2 seconds on eight CPUs. Seconds of waits are those of sessions, `behind` those of background processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source
from plimsoll.rules import Interval, Storage, interval_of
from tiny_reports import Table, activity, awr, waits

Waits = Mapping[str, tuple[int, float]]
"""Event → how often, and seconds."""

CPUS, ELAPSED_S = 8, 1000.2


def report(
    sessions: Waits,
    behind: Waits | None = None,
    *,
    db_time_s: float,
    cpu_s: float,
    busy: float | None = 0.3,
    counts: Mapping[str, int] | None = None,
    more: Sequence[Table] = (),
    db_name: str = "SHOP",
    begin: str = "01-May-24 10:00:00",
    end: str = "01-May-24 10:16:40",
    startup: str = "01-Jan-24 08:00",
) -> bytes:
    """An AWR report of these waits; `busy` is the host's share of CPU time, None where it is not printed."""
    tables = [time_model({"DB time": db_time_s, "DB CPU": cpu_s}), waits(_rows(sessions))]
    if behind:
        tables.append(waits(_rows(behind), background=True))
    if busy is not None:
        tables.append(host(busy))
    if counts:
        tables.append(activity(counts))
    return awr(*tables, *more, db_name=db_name, begin=begin, end=end, startup=startup, db_time_s=db_time_s)


def _rows(found: Waits) -> list[tuple[str, str, str, str]]:
    return [
        (event, f"{count:,}", f"{seconds:,.0f}", f"{1000 * seconds / count:.2f}")
        for event, (count, seconds) in found.items()
    ]


def time_model(seconds: Mapping[str, float]) -> Table:
    """Time Model Statistics."""
    rows = [(name, f"{value:,.2f}", "1.00") for name, value in seconds.items()]
    return "Time Model Statistics", ("Statistic Name", "Time (s)", "% of DB Time"), rows


def host(busy: float, queue: float = 0.0) -> Table:
    """Operating System Statistics; `busy` and `queue` as shares of the CPUs' time."""
    every = CPUS * ELAPSED_S * 100
    values = {
        "BUSY_TIME": busy * every,
        "IDLE_TIME": (1.0 - busy) * every,
        "OS_CPU_WAIT_TIME": queue * every,
        "NUM_CPUS": CPUS,
    }
    rows = [(name, f"{value:,.0f}", "") for name, value in values.items()]
    return "Operating System Statistics", ("Statistic", "Value", "End Value"), rows


def reading(data: bytes, file: str = "awr.html") -> Reading:
    """What the reader makes of it."""
    return read_all(Source(file, content=data))[0]


def interval(data: bytes, storage: Storage | None = None) -> Interval:
    """What rules see of it."""
    read = reading(data)
    assert read.content is not None
    return interval_of(read.report, read.content, storage or Storage())

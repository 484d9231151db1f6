"""The host has no CPU left.

What it finds:
    The host's CPUs were busy for 90 % of the time or more, or processes waited in the run queue for half as long as they
    ran, or longer. Of a cluster: the CPUs of a quarter of its instances or more were 90 % busy. Of a server that is
    watched: its own processes waited so, and for a fifth of DB time or more.
Why it matters:
    A session whose wait is over must get a CPU before it goes on, and that time is counted as part of the wait. Reads and
    commits then look slow although storage is not.
What to do:
    Find what uses the CPUs, also outside the database; judge storage in an interval with CPU to spare.
Evidence:
    The host's busy, idle and run-queue time. Of a server that is watched on its own host, the time that its processes were
    ready to run and had no CPU, by the kernel's scheduler: these are the seconds of the finding. Time under a limit of a
    control group (cgroup) counts as well.
Source:
    gtsproj's rule SAR_002 (less than 10 % idle); N. Savinov on waits of hosts that lack CPU; Linux, sched-stats.rst.
"""

from __future__ import annotations

from plimsoll.facts import PrintedCell
from plimsoll.reports.figures.evidence import Row
from plimsoll.rules._interval import WATCHED, Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_BUSY_MIN = 0.9
_VIEW = "host_cpu"
_QUEUE_MIN = 0.5
_INSTANCES_SHARE_MIN = 0.25
"""Of a cluster's instances: what fewer of them lack is told by their own reports."""
_SHARE_MIN = 0.2
"""Of DB time: where sessions wait for storage most of the time, a queue beside little CPU time says nothing."""


def words_of(interval: Interval) -> str | None:
    """That it is so; None where it is not, or is not printed."""
    if interval.busy is not None and interval.busy.value >= _BUSY_MIN:
        return f"the host's CPUs were {100 * interval.busy.value:.0f} % busy"
    if busy_rows := _busy_instances(interval):
        told = ", ".join(f"of {row['instance_number']:.0f} {row['busy_percent']:.0f} %" for row in busy_rows)
        return f"the CPUs of instances were busy: {told}"
    queue, busy = interval.cpu_queue, interval.busy_time
    if (
        queue is not None
        and busy is not None
        and busy.value
        and queue.value >= _QUEUE_MIN * busy.value
        and _is_busy(interval)
    ):
        return f"processes waited {queue.value:,.0f} s for a CPU and had one for {busy.value:,.0f} s"
    return None


def cells(interval: Interval) -> tuple[PrintedCell, ...]:
    """What it stands on."""
    numbers = (interval.number(_VIEW, row, "busy_percent") for row in _busy_instances(interval))
    return cells_of(interval.busy, interval.cpu_queue, interval.busy_time, *numbers)


def _busy_instances(interval: Interval) -> list[Row]:
    """The mean over a cluster hides an instance whose host is full."""
    rows = [
        row
        for row in interval.rows(_VIEW)
        if row["instance_number"] is not None and row["busy_percent"] is not None
    ]
    busy = [row for row in rows if row["busy_percent"] >= 100.0 * _BUSY_MIN]
    return busy if len(busy) >= _INSTANCES_SHARE_MIN * len(rows) else []


def _is_busy(interval: Interval) -> bool:
    """Some systems count a queue on hosts that are idle: virtual processors that were folded away."""
    if interval.system in WATCHED:
        return (interval.share(_queue_s(interval)) or 0.0) >= _SHARE_MIN
    return interval.busy is None or interval.busy.value >= _QUEUE_MIN


def _queue_s(interval: Interval) -> float | None:
    """Seconds of DB time in the queue: of a server that is watched those of its processes, as far as DB time has room."""
    queue, used, db_time = interval.cpu_queue, interval.busy_time, interval.db_time
    if queue is None or used is None or db_time is None or interval.system not in WATCHED:
        return None
    return min(queue.value, max(0.0, db_time.value - used.value))


def _find(interval: Interval) -> Found | None:
    words = words_of(interval)
    if words is None:
        return None
    return Found(reason=words, cells=cells(interval), db_time_s=_queue_s(interval))


RULE = Rule(
    title="The host lacks CPU",
    family="cpu",
    advice="Find what uses the CPUs; judge storage in an interval with CPU to spare.",
    disproof="The operating system's own count shows idle CPUs: a partition's entitlement was taken for the whole host.",
    find=_find,
    systems=("oracle", *WATCHED),
)

"""Most of DB time is CPU time.

What it finds:
    Sessions spent half of DB time or more on CPUs.
Why it matters:
    Faster storage takes nothing off the time on CPUs, and sessions that wait less ask for more CPU.
What to do:
    Find the statements that use most CPU; add or speed up CPUs.
Evidence:
    DB CPU and DB time; the host's busy time where it is printed.
Source:
    Burleson's cases on solid-state disks: with 73 % CPU and 11 % disk, do not move.
"""

from __future__ import annotations

from plimsoll.rules._interval import WATCHED, Interval, cells_of
from plimsoll.rules._rule import Found, Rule

SHARE_MIN = 0.5


def _find(interval: Interval) -> Found | None:
    share = interval.share(None if interval.db_cpu is None else interval.db_cpu.value)
    if interval.db_cpu is None or share is None or share < SHARE_MIN:
        return None
    host = "" if interval.busy is None else f"; the host's CPUs were {100 * interval.busy.value:.0f} % busy"
    return Found(
        reason=f"{interval.db_cpu.value:,.0f} s of DB time were spent on CPUs, {100 * share:.1f} %{host}",
        cells=cells_of(interval.db_cpu, interval.db_time, interval.busy),
        db_time_s=interval.db_cpu.value,
        events=("CPU",),
    )


RULE = Rule(
    title="Sessions are on CPUs most of the time",
    family="cpu",
    advice="Look for the statements that use most CPU. Faster storage will not help.",
    disproof="ASH shows far more sessions on CPU than DB CPU accounts for: then they queue for it.",
    find=_find,
    systems=("oracle", *WATCHED),
)

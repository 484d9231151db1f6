"""A good part of DB time is neither CPU nor a wait.

What it finds:
    CPU time and all waits together leave a fifth of DB time or more unaccounted for.
Why it matters:
    Time in which sessions are ready to run and have no CPU is in neither; nor are waits that are not instrumented.
What to do:
    Look at the host's run queue; compare DB CPU with the sessions that ASH counts as on CPU, which includes those in the
    queue.
Evidence:
    DB time, DB CPU and all waits.
Source:
    byte-way's and J. Beresniewicz's notes on DB time that does not add up.
"""

from __future__ import annotations

from plimsoll.rules._events import UNACCOUNTED
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.2


def _find(interval: Interval) -> Found | None:
    seconds = interval.parts.get(UNACCOUNTED)
    share = interval.share(seconds)
    if seconds is None or share is None or share < _SHARE_MIN:
        return None
    host = "" if interval.busy is None else f"; the host's CPUs were {100 * interval.busy.value:.0f} % busy"
    return Found(
        reason=f"{seconds:,.0f} s, {100 * share:.0f} % of DB time, are neither CPU time nor a wait{host}",
        cells=cells_of(interval.db_time, interval.db_cpu, interval.busy),
        db_time_s=seconds,
        events=(UNACCOUNTED,),
    )


RULE = Rule(
    title="DB time is not accounted for",
    family="cpu",
    advice="Look at the run queue of the host: sessions that are ready to run wait for a CPU.",
    disproof="Waits that are not printed make up for it.",
    find=_find,
    severity="hint",
)

"""Sessions meet at the same blocks, latches and mutexes.

What it finds:
    Waits for buffers, latches, mutexes and the library cache take 5 % of DB time or more.
Why it matters:
    Many sessions want the same thing in memory. Faster storage makes more of them meet.
What to do:
    By event: literals and parsing for the library cache and the shared pool; hot blocks for buffers; statements with many
    gets for chains.
Evidence:
    Waits and time for these events.
Source:
    gtsproj's rules WAIT_009 to 011; OSPRep.
"""

from __future__ import annotations

from plimsoll.rules._events import CONCURRENCY
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule, of_waits

_SHARE_MIN = 0.05


def _find(interval: Interval) -> Found | None:
    return of_waits(interval, interval.waits_of(CONCURRENCY), _SHARE_MIN, "")


RULE = Rule(
    title="Sessions meet at the same blocks and latches",
    family="contention",
    advice="By event: parsing for the library cache, hot blocks for buffers, statements with many gets for chains of buffers.",
    disproof="The waits vanish with more CPU: then holders had lost theirs.",
    find=_find,
    systems=("oracle", "postgresql"),
)

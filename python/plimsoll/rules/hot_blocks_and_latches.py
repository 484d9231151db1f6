"""Sessions meet at the same blocks, latches and mutexes.

What it finds:
    Waits for buffers, latches, mutexes and the library cache take 5 % of DB time or more.
Why it matters:
    Many sessions contend for the same structures in memory. Faster storage can make the contention worse.
What to do:
    By event: literals and parsing for the library cache and the shared pool; hot blocks for buffers; statements with many
    gets for `cache buffers chains`.
Evidence:
    Waits and time for these events.
Source:
    gtsproj's rules WAIT_009 to 011; OSPRep.
"""

from __future__ import annotations

from plimsoll.rules._events import CONCURRENCY
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.05

RULE = Rule(
    title="Contention for blocks and latches",
    family="contention",
    advice="By event: parsing for the library cache, hot blocks for buffers, statements with many gets for chains of buffers.",
    disproof="The waits vanish with more CPU: then the holders were waiting for a CPU.",
    find=part_waited_for(CONCURRENCY, _SHARE_MIN),
    systems=("oracle", "postgresql"),
)

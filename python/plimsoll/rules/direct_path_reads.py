"""Sessions wait for reads that go past the cache.

What it finds:
    Direct path reads take a tenth of DB time or more.
Why it matters:
    Parallel query and large serial scans bypass the buffer cache, so that a larger cache changes nothing. One wait stands
    for several reads that are under way at the same time.
What to do:
    Storage with more throughput, or fewer bytes to scan: partitioning, fewer columns, compression.
Evidence:
    Waits and time for `direct path read`; the requests of `Direct Reads` in IOStat by Function, which bound what can be
    saved.
Source:
    gtsproj's rule WAIT_003; M. Ault's articles on Tier Zero, where these waits led to the partitions that were scanned.
"""

from __future__ import annotations

from plimsoll.rules._events import DIRECT
from plimsoll.rules._finders import reads_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.10

RULE = Rule(
    title="Sessions wait for direct path reads",
    family="reads",
    advice="Measure storage for large reads; see in Segments by Direct Physical Reads what is scanned.",
    disproof="IOStat by Function shows few bytes of direct reads.",
    find=reads_waited_for(DIRECT, _SHARE_MIN, "large"),
)

"""Sessions wait for reads of several blocks.

What it finds:
    Multi-block reads into the buffer cache, which full scans make, take a tenth of DB time or more.
Why it matters:
    A scan reads blocks that an index would not, and may push other blocks out of the cache.
What to do:
    See which segments are scanned; give them an index or partitions, or keep small ones in the keep pool. Storage with more
    throughput shortens the rest.
Evidence:
    Waits and time for `db file scattered read`, and DB time.
Source:
    gtsproj's rule WAIT_002; M. Ault's articles on Tier Zero, step on wait events.
"""

from __future__ import annotations

from plimsoll.rules._events import MULTI
from plimsoll.rules._finders import reads_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.10

RULE = Rule(
    title="Sessions wait for multi-block reads",
    family="reads",
    advice="See which segments are scanned, and whether an index would do; then measure storage for reads of this size.",
    disproof="The same statements with another plan read as much.",
    find=reads_waited_for(MULTI, _SHARE_MIN, "large"),
)

"""Sessions wait for blocks of other instances.

What it finds:
    Waits of the class Cluster take 8 % of DB time or more.
Why it matters:
    Blocks travel between instances over the interconnect. Storage has no part in it.
What to do:
    Where transfers are fast, look at which instance works on which data; where they are slow, at the network and at the CPU
    of the other instance.
Evidence:
    Waits and time for events that begin with `gc`.
Source:
    PeterR's decision rules (8 to 10 % of DB time); Oracle's RAC manual.
"""

from __future__ import annotations

from plimsoll.rules._events import CLUSTER
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.08

RULE = Rule(
    title="Sessions wait for other instances",
    family="cluster",
    advice="Let each instance work on data of its own; look at the interconnect where a transfer takes more than a millisecond.",
    disproof="The waits stay with one instance alone.",
    find=part_waited_for(CLUSTER, _SHARE_MIN),
)

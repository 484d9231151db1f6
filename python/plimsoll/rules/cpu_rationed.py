"""The Resource Manager keeps sessions from CPUs.

What it finds:
    Sessions wait for the Resource Manager to let them run (`resmgr`) for 5 % of DB time or more.
Why it matters:
    They are ready to run, but a resource plan or `CPU_COUNT` limits how many may. The host may have idle CPUs at the same
    time, and storage has no part in it.
What to do:
    See which consumer group waits, and whether the plan is still wanted: plans of maintenance windows become active at
    night by themselves.
Evidence:
    Waits and time for events that begin with `resmgr:`, such as `resmgr:cpu quantum`.
Source:
    Oracle's administrator's guide on the Resource Manager.
"""

from __future__ import annotations

from plimsoll.rules._events import RATIONED
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.05

RULE = Rule(
    title="The Resource Manager rations CPU",
    family="cpu",
    advice="See which consumer group waits, and what its plan, or CPU_COUNT, lets it have.",
    disproof="The waits stay without a plan.",
    find=part_waited_for(RATIONED, _SHARE_MIN),
)

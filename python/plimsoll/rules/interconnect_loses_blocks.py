"""The interconnect loses blocks.

What it finds:
    Blocks that one instance sent to another did not arrive.
Why it matters:
    Each is requested again after a long wait. The cause is in the network, such as dropped packets or different frame sizes
    (MTU).
What to do:
    Look at the network's error counters, and at its frame size (MTU).
Evidence:
    `gc blocks lost` in Instance Activity.
Source:
    T. Kalsekar's and Oracle's notes on lost blocks.
"""

from __future__ import annotations

from plimsoll.rules._finders import counted
from plimsoll.rules._rule import Rule

RULE = Rule(
    title="The interconnect loses blocks",
    family="cluster",
    advice="Look at the network's own counters of errors, and at its frame size.",
    disproof="An instance was restarted meanwhile.",
    find=counted("gc blocks lost", "{} blocks were lost between instances"),
    severity="hint",
)

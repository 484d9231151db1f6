"""The interconnect loses blocks.

What it finds:
    Blocks that were sent from one instance to another did not arrive.
Why it matters:
    Each is asked for again after a long wait. It is about the network: packets dropped, or a frame size that differs.
What to do:
    Look at the network's own counters of errors, and at its frame size.
Evidence:
    `gc blocks lost` in Instance Activity.
Source:
    T. Kalsekar's and Oracle's notes on lost blocks.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule


def _find(interval: Interval) -> Found | None:
    lost = interval.statistic("gc blocks lost")
    if lost is None or not lost.value:
        return None
    return Found(reason=f"{lost.value:,.0f} blocks were lost between instances", cells=cells_of(lost))


RULE = Rule(
    title="The interconnect loses blocks",
    family="cluster",
    advice="Look at the network's own counters of errors, and at its frame size.",
    disproof="An instance was restarted meanwhile.",
    find=_find,
    severity="hint",
)

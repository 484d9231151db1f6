"""Statements are parsed anew too often.

What it finds:
    Hard parses take 5 % of DB time or more.
Why it matters:
    CPU time and latches are spent on plans that are used once. Storage has no part in it.
What to do:
    Use bind variables, or cursor_sharing; a shared pool large enough to keep parsed statements.
Evidence:
    `hard parse elapsed time` of the time model.
Source:
    Oravision's rules (5 % of DB time).
"""

from __future__ import annotations

from plimsoll.rules._finders import time_spent
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.05

RULE = Rule(
    title="Too many hard parses",
    family="parsing",
    advice="Use bind variables, and a shared pool that keeps what was parsed.",
    disproof="The statements are of a kind that runs once: a report, a load.",
    find=time_spent("hard parse elapsed time", "hard parses", _SHARE_MIN),
)

"""The log cannot go on because it is not archived yet.

What it finds:
    Sessions wait for `log file switch (archiving needed)` for 2 % of DB time or more.
Why it matters:
    All sessions that change data stop until a log file is archived. The cause is the archive destination, slow or full, and
    not the storage of the log.
What to do:
    Free space at the archive destination, or make it faster; add archiver processes.
Evidence:
    Waits and time for that event.
Source:
    Oracle's tuning guide on this event; Quest's support notes.
"""

from __future__ import annotations

from plimsoll.rules._finders import waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.02

RULE = Rule(
    title="Archiving is behind",
    family="log configuration",
    advice="Free or speed up the archive destination, or add archiving processes.",
    disproof="The archive destination is idle while sessions wait.",
    find=waited_for("log file switch (archiving needed)", _SHARE_MIN),
)

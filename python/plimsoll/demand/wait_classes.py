"""What a session of PostgreSQL at work waits for, by the names of its wait: the classes that `at_work_…` of a snapshot counts.

A snapshot has them of the moment, told apart by its query (`moment.14.sql`); of looks that were kept by their names they are told
apart here. A test holds the one to the other. Names of waits were spelt otherwise before 17.
"""

from __future__ import annotations

AT_WORK = ("client backend", "parallel worker")
"""Types of processes whose time is DB time."""
HIDDEN = "unknown"
"""The type of a wait that a session tells nobody."""
_NAMED = {
    "walsync": "commit",
    "walwrite": "commit",
    "syncrep": "standby",
    "buffileread": "temp",
    "buffilewrite": "temp",
    "datafileread": "read",
    "datafileprefetch": "read",
    "aioiocompletion": "read",
    "aioiouringexecution": "read",
    "bufferio": "read",
}
_TYPED = {
    "IO": "write",
    "Lock": "lock",
    "LWLock": "latch",
    "BufferPin": "latch",
    "Buffer": "latch",
    "Client": "client",
    "Activity": "client",
}


def waits_for(event_type: str | None, event: str | None) -> str:
    """The class of a wait; `cpu` of none."""
    if event is None:
        return "cpu"
    return _NAMED.get(event.lower()) or _TYPED.get(event_type or "", "other")

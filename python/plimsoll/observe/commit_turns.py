"""Whether the seconds in which calls of PostgreSQL's XLogFlush are watched are like the others, by flushes, which all seconds have.

What comes back in a rhythm, such as a limit that is set and lifted, can miss the watched seconds, or fall into them alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from plimsoll.facts import CommitsOfRole, CommitTimes
from plimsoll.observe.roles import SESSIONS, WALWRITER

APART_FACTOR = 2.0
"""The mean flush of all seconds is more than this times that of the watched ones, or less than a part of it."""
_MATTERS_SHARE = 0.1
"""Of the time of a commit: what is less makes no other cause."""
FLUSHES_MIN = 10
"""In either of them; of fewer nothing is told."""


class Apart(NamedTuple):
    """Flushes of the log by one role that took another time in watched seconds than in all."""

    role: str
    watched_us: float
    """What write and flush of one took, on average, in watched seconds."""
    all_us: float
    """So, in all."""


def turns_apart(rows: Iterable[CommitsOfRole]) -> tuple[Apart, ...]:
    """By role, that which differs most first. A checkpointer's flushes are of data in one kind and of the log in the other, and a
    walwriter's are all of the same."""
    by_role: dict[str, dict[str, CommitsOfRole]] = {}
    for row in rows:
        if row.role in SESSIONS and row.role != WALWRITER:
            by_role.setdefault(row.role, {})[row.kind] = row
    found = (one for role, kinds in by_role.items() for one in _apart(role, kinds))
    return tuple(sorted(found, key=lambda one: -abs(one.all_us - one.watched_us)))


def _apart(role: str, kinds: dict[str, CommitsOfRole]) -> Iterator[Apart]:
    watched, others = kinds.get("leader"), kinds.get("sync")
    if watched is None or others is None or watched.times is None or others.times is None:
        return
    if min(watched.commits, others.commits) < FLUSHES_MIN:
        return
    watched_us, others_us = _disk_us(watched.times), _disk_us(others.times)
    commits = watched.commits + others.commits
    all_us = (watched_us * watched.commits + others_us * others.commits) / commits
    total_us = max(watched.total_us_mean or 0.0, others.total_us_mean or 0.0)
    is_apart = max(all_us, watched_us) > APART_FACTOR * min(all_us, watched_us)
    if is_apart and abs(all_us - watched_us) > _MATTERS_SHARE * total_us:
        yield Apart(role, watched_us, all_us)


def _disk_us(times: CommitTimes) -> float:
    return times.write_us + times.flush_us

"""What would help commits that wait, by what they wait for and by who commits: nobody is told to change what he cannot."""

from __future__ import annotations

import re

from plimsoll.facts.commits import CommitCauseName
from plimsoll.observe.roles import FOREGROUND, SESSIONS, WRITES_DATA

_OF_DATABASES = re.compile(rf"mysqld|mariadbd|({FOREGROUND}|lgwr|lg\d\d) \S+|oracle")
"""Processes of other databases whose flushes their sessions wait for."""

_ABOVE = (
    "A faster device would not help: look for a limit of their control group (io.max; blkio.throttle.*_device with version 1), for"
    " a file system that is frozen (fsfreeze) and for a full queue (nr_requests: plimsoll watch --limits), and at what lies between"
    " the file system and that disk."
)
"""The same for everybody."""

_ANY: dict[CommitCauseName, str] = {
    "disk": "A device with faster flushes for the files that it writes, or fewer flushes by the program itself.",
    "above the disk": _ABOVE,
    "run queue": "Give it processors: move away or limit what runs beside it, or raise its weight or limit (cpu.weight, cpu.max).",
    "group commit": "Its flushes wait for their turn longer than for the disk itself: let it flush less often, or less at once.",
    "lock": "No process that was started with it flushed while they waited: what holds the lock does something else, which has to"
    " be found there.",
    "standby": "Look at the standby's disk, its processors and the network to it.",
    "processor": "Most of their time they compute, and wait for nothing.",
    "other": "They wait for something that is not told apart, such as memory, a read, or the lock of a file.",
}
"""For any program that flushes files."""

_BESIDE_SESSIONS = (
    "Sessions do not wait for these flushes: spread them (checkpoint_completion_target, max_wal_size), or put the data on a device"
    " with faster ones."
)
"""For who flushes data of PostgreSQL, where it waits for the disk."""

_SESSIONS: dict[CommitCauseName, str] = {
    "disk": "Put the log on a device with faster flushes, such as one with power-loss protection, apart from the data; or flush"
    " less often: several changes to a commit, or no wait for the flush where the last commits may be lost.",
    "run queue": "Give it processors: move away or limit what runs beside it, raise its weight or its limit (cpu.weight, cpu.max),"
    " or keep fewer sessions at work at once.",
    "group commit": "Commits wait for their turn longer than for the disk itself: keep fewer sessions at work at once, such as by a"
    " pool, or put several changes into a commit.",
    "lock": "Nobody of the same server flushed while they waited, so that a faster device would not help: see in the database"
    " which lock it is, as by wait_event of pg_stat_activity, and who holds it.",
    "standby": "Look at the standby's disk, its processors and the network to it, and at how fast it applies where"
    " synchronous_commit is remote_apply; or ask less of it, as remote_write does, where its last commits may be lost.",
    "processor": "Most of their time they compute: a faster processor, or fewer and larger commits, would help.",
}
"""For sessions of a database, and for those who write its log for them."""


def advice_for(cause: CommitCauseName, role: str) -> str:
    """What would help commits of that role."""
    if role in SESSIONS or _OF_DATABASES.fullmatch(role):
        return _SESSIONS.get(cause, _ANY[cause])
    return _BESIDE_SESSIONS if cause == "disk" and role in WRITES_DATA else _ANY[cause]

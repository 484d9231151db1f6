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

_EITHER = (
    "Look first for what holds them back above the disk, as it would cost least: a limit of their control group (io.max;"
    " blkio.throttle.*_device with version 1), a file system that is frozen (fsfreeze), a full queue (nr_requests: plimsoll watch"
    " --limits). Where others write to the same disk, watch again without them, which tells both apart, before a faster device"
    " is bought."
)
"""Where it is not told which: also for everybody."""

_LEADERS_WAIT = (
    "Look first at commit_delay, where it is set: who flushes spends most of its time in the queue itself, as it does where it"
    " sleeps for so long before its flush, and to set it to 0 or lower ends that. Where it is not set: "
)
"""Before the advice for a group commit."""

_LEADERS_SLEEP = (
    "Set commit_delay to 0 or lower: who flushes sleeps for most of its time before its flush, and the others wait for that."
    " Without it: "
)
"""The same, where it is seen to sleep."""

_ANY: dict[CommitCauseName, str] = {
    "disk": "A device with faster flushes for the files that it writes, or fewer flushes by the program itself.",
    "above the disk": _ABOVE,
    "disk or above it": _EITHER,
    "run queue": "Give it processors: move away or limit what runs beside it, or raise its weight or limit (cpu.weight, cpu.max).",
    "group commit": "Its flushes wait for their turn behind others: let it flush less often, or less at once.",
    "lock": "No process that was started with it flushed while they waited: what holds the lock does something else, which has to"
    " be found there.",
    "standby": "Look at the standby's disk, its processors and the network to it.",
    "processor": "While they compute they wait for nothing: a faster processor would help.",
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
    "group commit": "Commits wait for their turn behind others: keep fewer sessions at work at once, such as by a"
    " pool, or put several changes into a commit.",
    "lock": "Nobody of the same server flushed while they waited, so that a faster device would not help: see in the database"
    " which lock it is, as by wait_event of pg_stat_activity, and who holds it.",
    "standby": "Look at the standby's disk, its processors and the network to it, and at how fast it applies where"
    " synchronous_commit is remote_apply; or ask less of it, as remote_write does, where its last commits may be lost.",
    "processor": "While they compute they wait for nothing: a faster processor, or fewer and larger commits, would help.",
}
"""For sessions of a database, and for those who write its log for them."""


def advice_for(
    cause: CommitCauseName, role: str, is_delayed: bool = False, is_seen_asleep: bool = False
) -> str:
    """What would help commits of that role; `is_delayed`: who flushes for them spends most of its time in the queue, and sleeps
    there as far as is known."""
    if role in SESSIONS or _OF_DATABASES.fullmatch(role):
        told = _SESSIONS.get(cause, _ANY[cause])
        if cause == "group commit" and is_delayed and role in SESSIONS:
            return f"{_LEADERS_SLEEP if is_seen_asleep else _LEADERS_WAIT}{told[0].lower()}{told[1:]}"
        return told
    return _BESIDE_SESSIONS if cause == "disk" and role in WRITES_DATA else _ANY[cause]

"""Waits by what they are for: the parts into which the DB time of an interval is taken apart."""

from __future__ import annotations

from functools import cache

CPU, RATIONED, OTHER = "cpu", "CPU that is rationed", "other waits"
UNACCOUNTED, NOT_PRINTED = "not accounted for", "waits not printed"
RUNNING = "CPU or reads, not told apart"
UNSAMPLED = "CPU, and waits that were not sampled"
"""Of a server that counts its sessions' time, and at whose sessions nobody looked."""
NO_CPU = "CPU time, which is not printed, and the rest"
SINGLE, MULTI, DIRECT, SHARED = (
    "single-block reads",
    "multi-block reads",
    "direct path reads",
    "reads by other sessions",
)
TEMP, COMMITS, LOGS, WRITES = "temporary I/O", "commits", "log switches and buffer", "writes of data blocks"
OTHER_IO = "other I/O"
"""Of control files, dumps, backups and others that are no data block and no log."""
CLUSTER, LOCKS, CONCURRENCY, NETWORK = (
    "other instances",
    "locks",
    "latches, mutexes and hot blocks",
    "network",
)

ONE_BLOCK = ("db file sequential read", "cell single block physical read")
"""How the names of waits begin that are for one block each."""
READ_PARTS = (SINGLE, MULTI, DIRECT, SHARED)
STORAGE_PARTS = (*READ_PARTS, TEMP, WRITES, OTHER_IO)
CONTENTION_PARTS = (CLUSTER, LOCKS, CONCURRENCY)

_NAMED = {
    "db file sequential read": SINGLE,
    "db file parallel read": SINGLE,
    "db flash cache single block physical read": SINGLE,
    "db file scattered read": MULTI,
    "db flash cache multiblock physical read": MULTI,
    "direct path read": DIRECT,
    "read by other session": SHARED,
    "direct path read temp": TEMP,
    "direct path write temp": TEMP,
    "log file sync": COMMITS,
    "log buffer space": LOGS,
    "free buffer waits": WRITES,
    "write complete waits": WRITES,
    "direct path write": WRITES,
    "buffer busy waits": CONCURRENCY,
    "enq: TX - index contention": CONCURRENCY,
    "enq: TX - allocate ITL entry": CONCURRENCY,
    "row cache lock": CONCURRENCY,
    "latch free": CONCURRENCY,
    "sync remote write": COMMITS,
    "reads of data files": SINGLE,
    "temporary files": TEMP,
    "writes of data files": WRITES,
    "writes of the log": COMMITS,
    "SyncRep": COMMITS,
    "locks": LOCKS,
    "lightweight locks": CONCURRENCY,
    RUNNING: RUNNING,
}
_BEGINNINGS = (
    ("resmgr:", RATIONED),
    ("log file switch", LOGS),
    ("cell single block", SINGLE),
    ("cell list of blocks", SINGLE),
    ("cell multiblock", MULTI),
    ("cell smart", DIRECT),
    ("direct path read", DIRECT),
    ("direct path write", WRITES),
    ("securefile direct-read", DIRECT),
    ("securefile direct-write", WRITES),
    ("local write wait", WRITES),
    ("gcs drm", CLUSTER),
    ("gc ", CLUSTER),
    ("ges ", CLUSTER),
    ("global cache", CLUSTER),
    ("enq: cf", OTHER_IO),
    ("enq: ko", WRITES),
    ("enq: ro", WRITES),
    ("enq: hw", CONCURRENCY),
    ("enq: sq", CONCURRENCY),
    ("enq: us", CONCURRENCY),
    ("enq: fb", CONCURRENCY),
    ("enq: ", LOCKS),
    ("enqueue", LOCKS),
    ("latch", CONCURRENCY),
    ("library cache", CONCURRENCY),
    ("cursor:", CONCURRENCY),
    ("buffer busy", CONCURRENCY),
    ("control file", OTHER_IO),
    ("disk file", OTHER_IO),
    ("async disk io", OTHER_IO),
    ("datapump dump file", OTHER_IO),
    ("data file init write", OTHER_IO),
    ("db file", OTHER_IO),
    ("direct path sync", OTHER_IO),
    ("dbms_file_transfer", OTHER_IO),
    ("external table", OTHER_IO),
    ("flashback", OTHER_IO),
    ("i/o slave", OTHER_IO),
    ("io done", OTHER_IO),
    ("log archive i/o", OTHER_IO),
    ("log file sequential read", OTHER_IO),
    ("recovery read", OTHER_IO),
    ("rman backup", OTHER_IO),
    ("utl_file i/o", OTHER_IO),
    ("sql*net", NETWORK),
    ("tcp socket", NETWORK),
)
_BACKGROUND = (
    "db file parallel write",
    "log file parallel write",
    "log file sequential read",
    "log file single write",
    "control file parallel write",
    "lns wait on sendreq",
    "lgwr-lns wait on channel",
    "redo transport misc",
    "arch wait on sendreq",
)
"""What only processes of the database itself wait for: no session's time."""
_IDLE = (
    "sql*net message from client",
    "sql*net message to client",
    "sql*net more data from client",
    "rdbms ipc message",
    "pmon timer",
    "smon timer",
    "dispatcher timer",
    "virtual circuit status",
    "virtual circuit wait",
    "shared server idle wait",
    "jobq slave wait",
    "class slave wait",
    "diag idle wait",
    "space manager: slave idle wait",
    "pl/sql lock timer",
    "null event",
    "pipe get",
    "wakeup time manager",
    "job scheduler coordinator slave wait",
    "job scheduler coordinator sl",
    "lock manager wait for remote message",
    "ges remote message",
    "gcs remote message",
    "watchdog main loop",
)
_IDLE_BEGINNINGS = ("px deq", "streams aq", "queue monitor", "wait for unread message", "parallel recovery")
_WHOLE = (
    "log file switch (checkpoint incomplete)",
    "log file switch (archiving needed)",
    "log file switch completion",
    "log file switch (private strand flush incomplete)",
    "enq: TX - row lock contention",
    "enq: TM - contention",
)
_CUT_MIN, _CUT_MAX = 24, 31
_ALL_NAMED = {name.lower(): part for name, part in _NAMED.items()}


def is_idle(event: str) -> bool:
    """Whether a session that waits for it has nothing to do."""
    plain = event.lower()
    is_named = (
        plain in _IDLE or plain.startswith(_IDLE_BEGINNINGS) or (_is_cut(plain) and _begins(plain, _IDLE))
    )
    return is_named or "idle" in plain or plain.endswith(" timer")


def whole_name(event: str) -> str:
    """The whole name of an event that a report cuts, where it is known here; Statspack and text cut them to 26 signs and more."""
    name = event.strip()
    if not _is_cut(name.lower()) or name.lower() in _ALL_NAMED:
        return name
    found = [whole for whole in (*_NAMED, *_WHOLE) if whole.lower().startswith(name.lower())]
    return found[0] if len(found) == 1 else name


def may_be_cut(event: str) -> bool:
    """Whether a table that cuts names may have cut this one, so that it can stand for several events."""
    name = event.strip()
    return _is_cut(name.lower()) and name.lower() not in _ALL_NAMED and name not in _WHOLE


def is_cut_of(short: str, event: str) -> bool:
    """Whether a table that cuts names may print the event so."""
    return len(short) >= _CUT_MIN and event.lower().startswith(short.lower())


def _is_cut(event: str) -> bool:
    return _CUT_MIN <= len(event) <= _CUT_MAX


def _begins(event: str, names: tuple[str, ...]) -> bool:
    return any(name.startswith(event) for name in names)


def is_background(event: str) -> bool:
    """Whether no session of a user waits for it."""
    return event.lower() in _BACKGROUND


@cache
def part_of(event: str) -> str:
    """The part of DB time that it belongs to."""
    plain = event.lower()
    found = (part for beginning, part in _BEGINNINGS if plain.startswith(beginning))
    return _ALL_NAMED.get(plain) or next(found, OTHER)

"""Why commits took as long as they did: the log's own write, another site's copy, or what is left: scheduling and group commit.

A session that commits waits for the log writer. It gets the CPU, finishes the write that it is at, writes, and wakes the session,
which must get a CPU again. Of that only the one or two writes are I/O (K. Closson, articles on LGWR, 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from plimsoll.facts import PrintedCell
from plimsoll.predict.faster_storage import LOG_WRITES_PER_COMMIT
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._interval import WATCHED, Interval, Wait, cells_of

SYNC, LOG_WRITE = "log file sync", "log file parallel write"
FLUSH, STANDBY, FLUSH_TIME = "writes of the log", "SyncRep", "a write of the log"
"""Of a server that was watched: what sessions wait for when they commit, and the server's own time of a write."""
REMOTE = (
    "SYNC Remote Write",
    "LNS wait on SENDREQ",
    "LGWR-LNS wait on channel",
    "Redo Transport MISC",
    "LNS wait on LGWR",
)
"""Waits of the log writer for a synchronous standby."""
SHARE_MIN = 0.02
"""Of DB time. Our choice: smaller waits are not worth a finding."""
IO_SHARE_MIN = 0.5
"""From half of the wait on, the log's own writes are called the cause."""
COUNTS_APART_MAX = 0.2


@dataclass(frozen=True)
class Commits:
    """The wait for commits, taken apart. Shares are of its seconds, 0 to 1."""

    sync: Wait
    write: Wait | None
    write_us: float | None
    """Of one write of the log; None where it is not printed, or among no first few."""
    io_share: float | None
    """So much is I/O: two writes for each commit, more where they vary, or all of what the log writer waited."""
    remote_share: float
    """At least so much is the wait for a standby."""
    group_size: float | None
    """Commits for each write of the log."""
    against: tuple[str, ...]
    cells: tuple[PrintedCell, ...]

    @property
    def flush_s(self) -> float:
        """Seconds that sessions waited for the log's device, where they write it themselves."""
        return self.sync.seconds if self.sync.event == FLUSH else 0.0

    @property
    def cause(self) -> str:
        """`I/O`, `replication`, `group commit`, `scheduling`, `mostly not I/O` where it is one of these two, or `unknown`."""
        if self.remote_share >= IO_SHARE_MIN:
            return "replication"
        is_bound_alone = self.sync.event == SYNC and self.write_us is None
        if self.io_share is None or (is_bound_alone and self.io_share >= IO_SHARE_MIN):
            return "unknown"
        if self.io_share >= IO_SHARE_MIN:
            return "I/O"
        if self.write_us is None:
            return "mostly not I/O"
        return "group commit" if (self.group_size or 0.0) >= _GROUP_MIN else "scheduling"


_GROUP_MIN = 8.0
"""Sessions that one write wakes: from more than the CPUs of a small host on, waking them takes the log writer's own time."""


def commits_of(interval: Interval) -> Commits | None:
    """The wait for commits; None where nobody waited for one."""
    if interval.system in WATCHED:
        return _of_watched(interval)
    sync = interval.wait(SYNC)
    if sync is None or not sync.seconds:
        return None
    write = interval.behind(LOG_WRITE)
    remote_s = sum(wait.seconds for event in REMOTE if (wait := interval.behind(event)) is not None)
    remote = tuple(
        cell for event in REMOTE if (wait := interval.behind(event)) is not None for cell in wait.cells
    )
    write_us = None if write is None else write.mean_us
    group = _group_size(sync, write, interval)
    return Commits(
        sync=sync,
        write=write,
        write_us=write_us,
        io_share=_io_share(sync, write_us, interval),
        remote_share=min(1.0, _shared(remote_s, group) / sync.seconds),
        group_size=group,
        against=tuple(_against(write, interval)),
        cells=sync.cells + (() if write is None else write.cells) + remote,
    )


def _of_watched(interval: Interval) -> Commits | None:
    """Sessions of these write the log themselves, so their waits for it are I/O; those for a standby are told apart."""
    flush, standby = interval.wait(FLUSH), interval.wait(STANDBY)
    longest = max(
        (one for one in (flush, standby) if one is not None), key=lambda one: one.seconds, default=None
    )
    if longest is None or not longest.seconds:
        return None
    spent_s = sum(one.seconds for one in (flush, standby) if one is not None)
    write = interval.behind(FLUSH_TIME)
    return Commits(
        sync=longest,
        write=write,
        write_us=None if write is None else write.mean_us,
        io_share=0.0 if flush is None else flush.seconds / spent_s,
        remote_share=0.0 if standby is None else standby.seconds / spent_s,
        group_size=None,
        against=(),
        cells=longest.cells,
    )


def _io_share(sync: Wait, write_us: float | None, interval: Interval) -> float | None:
    if write_us is not None and sync.mean_us:
        waited_us = max(LOG_WRITES_PER_COMMIT[1] * write_us, met_us(interval, write_us) + write_us)
        return min(1.0, waited_us / sync.mean_us)
    if interval.least_printed is not None:
        return min(1.0, interval.least_printed.value / sync.seconds)
    return None


def met_us(interval: Interval, write_us: float) -> float:
    """What is left at least of the write that a commit finds under way, by the histogram; 0 where there is none.

    More commits fall into a long write than into a short one, so that it is E[t²] ÷ 2 E[t], which a few stalls decide.
    """
    longer = _share_of_longer(interval)
    squares = sum((high**2 - low**2) * longer[high] for low, high in pairwise([0.0, *sorted(longer)]))
    return squares / (2.0 * write_us) if write_us else 0.0


def _share_of_longer(interval: Interval) -> dict[float, float]:
    """Of the writes of the log, the share that took as long or longer, by the begin of each bucket of all lists."""
    lists: dict[str, dict[float, float]] = {}
    for row in interval.rows("wait_histogram"):
        if row["event"] == LOG_WRITE and row["percent"] and row["bucket_begin_us"]:
            lists.setdefault(row["list"], {})[row["bucket_begin_us"]] = row["percent"] / 100.0
    return {
        begin: sum(share for other, share in buckets.items() if other >= begin)
        for buckets in lists.values()
        for begin in buckets
    }


def _shared(remote_s: float, group: float | None) -> float:
    """What sessions waited for the standby: all commits of a write wait for it together."""
    return remote_s * max(1.0, group or 1.0)


def _group_size(sync: Wait, write: Wait | None, interval: Interval) -> float | None:
    writes = write.waits if write is not None else interval.statistic("redo writes")
    commits = interval.statistic("user commits") or sync.waits
    return (
        commits.value / writes.value if writes is not None and commits is not None and writes.value else None
    )


def _against(write: Wait | None, interval: Interval) -> list[str]:
    """The waits for log writes against what Instance Activity counts of them."""
    counted = interval.statistic("redo writes")
    if write is None or write.waits is None or counted is None or not counted.value:
        return []
    apart = abs(write.waits.value - counted.value) / max(write.waits.value, counted.value)
    if apart <= COUNTS_APART_MAX:
        return []
    waited, written = f"{write.waits.value:,.0f} times", f"{counted.value:,.0f} redo writes"
    return [f"'{LOG_WRITE}' was waited for {waited}, and Instance Activity counts {written}"]


def missing_write(interval: Interval) -> Quantity | None:
    """Where the log's write is not among the first few: the last of them, which it cannot exceed."""
    return interval.least_printed if interval.behind(LOG_WRITE) is None else None


def cells_of_missing(interval: Interval) -> tuple[PrintedCell, ...]:
    """Of that."""
    return cells_of(missing_write(interval))


def cause_of(interval: Interval) -> str | None:
    """Why they took as long as they did; None where nobody waited for one."""
    found = commits_of(interval)
    return None if found is None else found.cause

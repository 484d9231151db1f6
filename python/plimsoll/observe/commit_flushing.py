"""Who flushes what commits wait for, and whether the disk beneath it is what keeps them: held against the kernel's own count.

What is known of a disk are the writes and flushes of all owners together. That bounds what it did: those who wait there cannot have
waited for it longer than it was at work for anybody, and where one of its I/Os takes a tiny part of one commit's wait, no few of
them fill it. Where only the second holds, fast I/Os of others may hide slow ones, and it is not told which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_share, format_us
from plimsoll.facts import CommitsOfRole
from plimsoll.facts.commits import CommitCauseName
from plimsoll.observe.flushed_disks import DiskTimes
from plimsoll.observe.roles import SESSIONS, WALWRITER, is_postgres

OF_CALLS = ("leader", "follower", "standby")
"""Kinds of commits that are calls of PostgreSQL's XLogFlush, or waits behind them."""
_LONG_SHARE = 0.5
"""Those who flush wait for the disk where this much of their time without the queue goes to it."""
_SMALL_SHARE = 0.1
"""A disk that takes less of that time itself is not what they wait for."""
_MOST_SHARE = 0.5
"""Nor is one whose I/Os take less than the above, and all of them together less than this."""
_WAITS_ITSELF = 3.0
"""Who flushes the log waits longer than behind the flush before his, where his queue is so many times the rest of his time."""
_US_PER_S = 1e6
Disks = Callable[[Iterable[str]], Sequence[DiskTimes]]
"""What the disks beneath the files took that some roles flush, by the kernel's count; nothing where none is known."""


@dataclass(frozen=True)
class Flushing:
    """What those do in each second who flush while others wait for them."""

    roles: tuple[str, ...]
    commits_per_s: float
    own_us: float
    """Of their time, what they do not wait for others."""
    queue_us: float
    """The rest of it."""
    slept_us: float | None
    """Of that, what they slept themselves before their flush of the log; None where that is not known."""
    disk_us: float
    """Of their own, what is in writes and flushes."""
    flushing_at_once_max: int
    """How many may have flushed at the same moment."""
    is_of_log: bool
    """Whether it is about PostgreSQL's log."""

    @property
    def is_disk_long(self) -> bool:
        """Whether what they do is to wait for the disk. Who flushes the log and waits himself before he does, for something else
        than a flush, keeps the others waiting by that."""
        return self.own_us > 0 and self.disk_us >= _LONG_SHARE * self.own_us and not self.waits_itself

    @property
    def waits_itself(self) -> bool:
        """Whether who flushes the log spends his time in the queue: he would wait there for the flush before his alone."""
        return self.is_of_log and self.queue_us > _WAITS_ITSELF * self.own_us

    @property
    def sleeps(self) -> bool | None:
        """Whether it is sleep that he spends that time in; None where that is not known."""
        return None if self.slept_us is None else self.slept_us > _MOST_SHARE * self.queue_us

    def mean_us(self, us_per_s: float) -> float:
        """Of one of their commits."""
        return us_per_s / self.commits_per_s if self.commits_per_s else 0.0

    def held_against(self, found: Sequence[DiskTimes]) -> tuple[CommitCauseName, str]:
        """Whether the disk is what is waited for, by its own count, and the words for it; where disks lie on others, of all."""
        if not found:
            return (
                "disk or above it",
                "no disk is known beneath their files whose own times that could be held against",
            )
        small = next(
            (one for one in found if self._share_of(one) < _SMALL_SHARE and self._is_each_small(one)), None
        )
        name, shown = ("above the disk", small) if small else (self._told_of(found[0]), found[0])
        took = (
            f"took {format_us(shown.us_mean_max)} on average or less for its {shown.ios:,} writes and flushes"
        )
        words = f"{' and '.join(shown.names)} itself {took}"
        return name, words if name != "disk or above it" else f"{words}; {self._untold_words(shown)}"

    @property
    def _waiting_us_per_s(self) -> float:
        """For how long at least somebody waits for the disk in each second: of many at once that is not the sum."""
        return min(_US_PER_S, self.disk_us / max(1, self.flushing_at_once_max))

    def _share_of(self, disk: DiskTimes) -> float:
        """Of the time in which they wait there, how much the disk was at work at most, for whomever."""
        return disk.us_per_s_max / self._waiting_us_per_s if self._waiting_us_per_s else 1.0

    def _is_each_small(self, disk: DiskTimes) -> bool:
        """Whether one I/O takes a small part of one commit's wait, also of flushes alone: fast writes of others hide them."""
        return max(disk.us_mean_max, disk.flush_us_mean_min) < _SMALL_SHARE * self.mean_us(self.disk_us)

    def _told_of(self, disk: DiskTimes) -> CommitCauseName:
        share = self._share_of(disk)
        if self._is_each_small(disk):
            return "above the disk" if share < _MOST_SHARE else "disk or above it"
        # Fewer I/Os than commits: many that wait for one of them at once, or some that wait for none.
        return "disk" if share >= _SMALL_SHARE else "disk or above it"

    def _untold_words(self, disk: DiskTimes) -> str:
        wait = format_us(self.mean_us(self.disk_us))
        if self._is_each_small(disk):
            return (
                f"that is a small part of the {wait}, and yet those of all owners together may fill the time in which these wait:"
                " whether the disk is slow for these alone is not told"
            )
        return (
            f"they fill {format_share(self._share_of(disk))} of the time in which these wait, and yet one of them is not a small"
            f" part of the {wait}: whether many wait for one of them or for something else is not told"
        )


def flushing(rows: Sequence[CommitsOfRole], of_all: Sequence[CommitsOfRole]) -> Flushing:
    """Who flushes what those of these rows wait for. Rates, since the kinds are seen for different parts of the time."""
    is_of_calls = any(row.kind in OF_CALLS for row in rows)
    found = [row for row in of_all if _flushes_log(row)] if is_of_calls else rows
    timed = [
        (row.commits_per_s, row, row.times)
        for row in found
        if row.times is not None and row.commits_per_s is not None
    ]
    # One backend at a time flushes the log.
    is_log = is_of_calls or all(row.role in SESSIONS for row in rows)
    return Flushing(
        roles=tuple(dict.fromkeys(row.role for _, row, _ in timed)),
        commits_per_s=sum(per_s for per_s, _, _ in timed),
        own_us=sum(per_s * (sum(times.model_dump().values()) - times.queue_us) for per_s, _, times in timed),
        queue_us=sum(per_s * times.queue_us for per_s, _, times in timed),
        slept_us=_slept_us([(per_s, row.slept_us_mean) for per_s, row, _ in timed]),
        disk_us=sum(per_s * (times.write_us + times.flush_us) for per_s, _, times in timed),
        flushing_at_once_max=1 if is_log else sum(row.processes for _, row, _ in timed),
        is_of_log=is_of_calls,
    )


def _slept_us(of_rows: Sequence[tuple[float, float | None]]) -> float | None:
    known = [per_s * slept_us for per_s, slept_us in of_rows if slept_us is not None]
    return sum(known) if len(known) == len(of_rows) else None


def _flushes_log(row: CommitsOfRole) -> bool:
    """Whether it is about flushes of PostgreSQL's log: the walwriter's do not go through XLogFlush."""
    return is_postgres(row.role) and (row.kind == "leader" or (row.kind, row.role) == ("sync", WALWRITER))

"""What the commits of a role wait for most, told from where their time goes.

The largest of disk, run queue, queue, processor and the rest over all commits. A queue is one behind others as long as these
flush; what is left of it is a wait for a lock that somebody holds for another reason. Where those who flush spend most of their
own time at the disk, the disk is what all of them wait for. Who flushes is, of any program, the role itself; of PostgreSQL every
process that flushes the log, whichever its role: a session also waits while the walwriter does. Where none of them was seen it is
not told what a queue is behind. Where it is the disk, that is held against what the kernel counts there: if the disk itself took a
small part of that time, something above it holds writes and flushes back. What commits wait for a standby comes behind that and
is told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_share, format_us
from plimsoll.facts import CommitCause, CommitsOfRole, CommitTimes
from plimsoll.facts.commits import CommitCauseName
from plimsoll.observe.commit_advice import advice_for
from plimsoll.observe.flushed_disks import DiskTimes, no_disks
from plimsoll.observe.roles import WALWRITER, is_postgres

COMMITS_MIN = 10
"""Of fewer nothing is told."""
_STANDBY = "standby"
_OF_POSTGRES = ("leader", "follower", _STANDBY)
_LONG_SHARE = 0.5
"""Those who flush wait for the disk where this much of their time without the queue goes to it."""
_SMALL_SHARE = 0.1
"""A disk that takes less of that time itself is not what they wait for."""
_US_PER_S = 1e6
Disks = Callable[[Iterable[str]], Sequence[DiskTimes]]
"""What the disks beneath the files took that some roles flush, by the kernel's count; nothing where none is known."""


@dataclass(frozen=True)
class _Spent:
    """Time of all commits of some rows."""

    commits: int
    is_of_calls: bool
    """Whether they are calls of XLogFlush, of which all who flush for them are known."""
    total_us: float
    queue_us: float
    """Behind others that flush."""
    lock_us: float
    """While nobody else flushes."""
    standby_us: float
    disk_us: float
    run_queue_us: float
    processor_us: float
    other_us: float


@dataclass(frozen=True)
class _Flushing:
    """What those do in each second who flush while others wait for them."""

    roles: tuple[str, ...]
    commits_per_s: float
    own_us: float
    """Of their time, what they do not wait for others."""
    disk_us: float
    flushing_at_once_max: int
    """How many may have flushed at the same moment."""

    @property
    def waiting_us_per_s(self) -> float:
        """For how long at least somebody waits for the disk in each second: of many at once that is not the sum."""
        return min(_US_PER_S, self.disk_us / max(1, self.flushing_at_once_max))

    def is_small(self, disks: DiskTimes) -> bool:
        """Whether the disks were at work for a small part of the time in which these wait, and each I/O took a small part of one
        commit's wait: either alone may be so where many flush at once, or where others write as well."""
        if not self.commits_per_s:
            return False
        is_each_small = disks.us_mean_max < _SMALL_SHARE * self.disk_us / self.commits_per_s
        return is_each_small and disks.us_per_s_max < _SMALL_SHARE * self.waiting_us_per_s

    @property
    def is_disk_long(self) -> bool:
        """Whether what they do is to wait for the disk."""
        return self.own_us > 0 and self.disk_us >= _LONG_SHARE * self.own_us


def causes_of(rows: Sequence[CommitsOfRole], disks: Disks = no_disks) -> tuple[CommitCause, ...]:
    """One for each role that waited at all, that with most time in commits first. The rows are those of all roles."""
    waited = [row for row in rows if row.kind != "nothing"]
    of_roles = {role: _told_from(role, waited) for role in dict.fromkeys(row.role for row in waited)}
    ordered = sorted(of_roles.items(), key=lambda item: -_time_share(item[1]))
    return tuple(_cause(role, told_from, waited, disks) for role, told_from in ordered)


def time_share(row: CommitsOfRole) -> float:
    """How much time passes in such commits each second: those of some kinds are seen for a part of the time alone. Where their rate
    is not known, none that is."""
    return (row.commits_per_s or 0.0) * (row.total_us_mean or 0.0)


def _time_share(rows: Iterable[CommitsOfRole]) -> float:
    return sum(map(time_share, rows))


def _told_from(role: str, rows: Iterable[CommitsOfRole]) -> list[CommitsOfRole]:
    """Calls of XLogFlush alone where they take more time than flushes do: without them followers are missing. A checkpointer spends
    its time in flushes of data, however often it calls XLogFlush."""
    own = [row for row in rows if row.role == role]
    of_postgres = [row for row in own if row.kind in _OF_POSTGRES]
    others = [row for row in own if row.kind not in _OF_POSTGRES]
    is_little = _commits(of_postgres) < COMMITS_MIN or _time_share(of_postgres) < _time_share(others)
    return others if is_little and others else of_postgres


def _cause(
    role: str, rows: Sequence[CommitsOfRole], of_all: Sequence[CommitsOfRole], disks: Disks
) -> CommitCause:
    spent = _spent(rows)
    if spent.commits < COMMITS_MIN:
        reason = f"{_were_seen(spent.commits)}, and of fewer than {COMMITS_MIN} nothing is told"
        return _fact(role, spent, None, None, reason, "Watch for longer, while it commits.")
    flushing = _flushing(rows, of_all)
    name, us = _largest(spent, is_disk_long=flushing.is_disk_long)
    if name == "group commit" and not flushing.roles:
        reason = f"{_whole(spent)}; who flushed meanwhile was not seen, which may wait for the disk or not"
        return _fact(role, spent, None, None, reason, "Watch for longer, while it commits.")
    share = us / spent.total_us if spent.total_us else None
    reason = _reason(role, spent, flushing, name)
    if name == "disk":
        name, held = _held_against(flushing, disks(flushing.roles))
        reason += f"; {held}"
    return _fact(role, spent, name, share, reason, advice_for(name, role))


def _held_against(flushing: _Flushing, found: Sequence[DiskTimes]) -> tuple[CommitCauseName, str]:
    """Whether the disk is what is waited for, by its own count; where disks lie on others, of both."""
    small = next((one for one in found if flushing.is_small(one)), None)
    shown = small or next(iter(found), None)
    if shown is None:
        return "disk", "no disk is known beneath their files whose own times that could be held against"
    one_took = (
        f"took {format_us(shown.us_mean_max)} on average or less for its {shown.ios:,} writes and flushes"
    )
    return "disk" if small is None else "above the disk", f"{' and '.join(shown.names)} itself {one_took}"


def _were_seen(commits: int) -> str:
    return f"{commits:,} {'commit was' if commits == 1 else 'commits were'} seen"


def _flushing(rows: Sequence[CommitsOfRole], of_all: Sequence[CommitsOfRole]) -> _Flushing:
    """Who flushes what those of these rows wait for. Rates, since the kinds are seen for different parts of the time."""
    is_of_calls = any(row.kind in _OF_POSTGRES for row in rows)
    found = [row for row in of_all if _flushes_log(row)] if is_of_calls else rows
    timed = [
        (row.commits_per_s, row, row.times)
        for row in found
        if row.times is not None and row.commits_per_s is not None
    ]
    return _Flushing(
        roles=tuple(dict.fromkeys(row.role for _, row, _ in timed)),
        commits_per_s=sum(per_s for per_s, _, _ in timed),
        own_us=sum(per_s * (_total_us(times) - times.queue_us) for per_s, _, times in timed),
        disk_us=sum(per_s * (times.write_us + times.flush_us) for per_s, _, times in timed),
        # One backend at a time flushes the log.
        flushing_at_once_max=1 if is_of_calls else sum(row.processes for _, row, _ in timed),
    )


def _flushes_log(row: CommitsOfRole) -> bool:
    """Whether it is about flushes of PostgreSQL's log: the walwriter's do not go through XLogFlush."""
    return is_postgres(row.role) and (row.kind == "leader" or (row.kind, row.role) == ("sync", WALWRITER))


def _total_us(times: CommitTimes) -> float:
    return sum(times.model_dump().values())


def _fact(
    role: str, spent: _Spent, name: CommitCauseName | None, share: float | None, reason: str, advice: str
) -> CommitCause:
    return CommitCause(
        role=role,
        commits=spent.commits,
        total_us_mean=spent.total_us / spent.commits if spent.commits else None,
        cause=name,
        share=share,
        reason=reason,
        advice=advice,
    )


def _largest(spent: _Spent, is_disk_long: bool) -> tuple[CommitCauseName, float]:
    found: dict[CommitCauseName, float] = {
        "disk": spent.disk_us,
        "run queue": spent.run_queue_us,
        "group commit": spent.queue_us,
        "lock": spent.lock_us,
        "standby": spent.standby_us,
        "processor": spent.processor_us,
        "other": spent.other_us,
    }
    if is_disk_long:
        found["disk"] += found.pop("group commit")
    name = max(found, key=lambda one: found[one])
    return name, found[name]


def _reason(role: str, spent: _Spent, flushing: _Flushing, name: CommitCauseName) -> str:
    whole = _whole(spent)
    if spent.queue_us and flushing.commits_per_s and name in ("disk", "group commit"):
        disk_us = flushing.disk_us / flushing.commits_per_s
        who = "" if flushing.roles == (role,) else f" ({', '.join(flushing.roles)})"
        whole += f"; who flushes{who} is at the disk for {format_us(disk_us)}"
    return whole


def _whole(spent: _Spent) -> str:
    """Where the time of a commit goes."""
    nobody = "nobody else" if spent.is_of_calls else "no process that was started with it"
    parts = {
        "at the disk": spent.disk_us,
        "in the run queue": spent.run_queue_us,
        "in the queue behind others": spent.queue_us,
        f"for a lock while {nobody} flushed": spent.lock_us,
        "for a standby": spent.standby_us,
        "on a processor": spent.processor_us,
        "elsewhere": spent.other_us,
    }
    said = [f"{format_share(us / spent.total_us)} {where}" for where, us in parts.items() if us]
    return f"of {format_us(spent.total_us / spent.commits)} per commit {', '.join(said)}"


def _spent(rows: Iterable[CommitsOfRole]) -> _Spent:
    timed = [(row, row.times) for row in rows if row.times is not None]

    def sum_us(of: Callable[[CommitTimes], float], kinds: Callable[[str], bool] = lambda kind: True) -> float:
        return sum(row.commits * of(times) for row, times in timed if kinds(row.kind))

    disk_us = sum_us(lambda times: times.write_us + times.flush_us)
    behind_us = sum(row.commits * _behind_us(row, times) for row, times in timed if row.kind != _STANDBY)
    waited_us = sum_us(lambda times: times.queue_us, lambda kind: kind != _STANDBY)
    standby_us = sum_us(lambda times: times.queue_us, lambda kind: kind == _STANDBY)
    run_queue_us = sum_us(lambda times: times.run_queue_us)
    processor_us, other_us = sum_us(lambda times: times.processor_us), sum_us(lambda times: times.other_us)
    return _Spent(
        commits=_commits(row for row, _ in timed),
        is_of_calls=any(row.kind in _OF_POSTGRES for row, _ in timed),
        total_us=waited_us + standby_us + disk_us + run_queue_us + processor_us + other_us,
        queue_us=behind_us,
        lock_us=waited_us - behind_us,
        standby_us=standby_us,
        disk_us=disk_us,
        run_queue_us=run_queue_us,
        processor_us=processor_us,
        other_us=other_us,
    )


def _behind_us(row: CommitsOfRole, times: CommitTimes) -> float:
    """All of the queue, where the run is of before it was told what it is behind."""
    return times.queue_us if row.behind_us_mean is None else min(row.behind_us_mean, times.queue_us)


def _commits(rows: Iterable[CommitsOfRole]) -> int:
    """One that waited for a standby flushed its log before, or found that done."""
    of_kinds = Counter[bool]()
    for row in rows:
        of_kinds[row.kind == _STANDBY] += row.commits
    return max(of_kinds.values(), default=0)

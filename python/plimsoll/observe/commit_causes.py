"""What the commits of a role wait for most, told from where their time goes.

The largest of disk, run queue, queue, processor and the rest over all commits. A queue is one behind others as long as these
flush; what is left of it is a wait for a lock that somebody holds for another reason. Where those who flush spend most of their
own time in write and flush, the disk is what all of them wait for. Who flushes is, of any program, the role itself; of PostgreSQL
every process that flushes the log, whichever its role: a session also waits while the walwriter does. Where none of them was seen
it is not told what a queue is behind. Where it is the disk, that is held against what the kernel counts there: if the disk itself
took a small part of that time, something above it holds writes and flushes back (`commit_flushing.py`). What
commits wait for a standby comes behind that and is told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plimsoll.base.units import format_share, format_us
from plimsoll.facts import CommitCause, CommitsOfRole, CommitTimes
from plimsoll.facts.commits import CommitCauseName
from plimsoll.observe.commit_advice import advice_for
from plimsoll.observe.commit_flushing import OF_CALLS, Disks, Flushing, flushing
from plimsoll.observe.commit_turns import turns_apart
from plimsoll.observe.flushed_disks import no_disks

COMMITS_MIN = 10
"""Of fewer nothing is told."""
_STANDBY = "standby"
_MAJORITY = 0.5
"""A cause that takes no more of the time is not told without the second one."""
_CLOSE_SHARE = 0.1
"""Nor is one that takes only so much more than that."""


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


class _Part(NamedTuple):
    """What some of the time goes to."""

    name: CommitCauseName
    share: float | None


def causes_of(rows: Sequence[CommitsOfRole], disks: Disks = no_disks) -> tuple[CommitCause, ...]:
    """One for each role that waited at all, that with most time in commits first. The rows are those of all roles."""
    waited = [row for row in rows if row.kind != "nothing"]
    apart = {one.role for one in turns_apart(waited)}
    of_roles = {role: _told_from(role, waited) for role in dict.fromkeys(row.role for row in waited)}
    ordered = sorted(of_roles.items(), key=lambda item: -_time_share(item[1]))
    return tuple(
        _cause(role, told_from, waited, disks)
        if role not in apart
        else _cause_apart(role, told_from, waited, disks)
        for role, told_from in ordered
    )


def _cause_apart(
    role: str, told_from: Sequence[CommitsOfRole], of_all: Sequence[CommitsOfRole], disks: Disks
) -> CommitCause:
    """Of one whose flushes took another time in watched seconds than in all: told from those of all seconds, of which more are not
    watched than are, and what calls say stands beside it."""
    flushes = [row for row in of_all if row.role == role and row.kind == "sync"]
    told = _cause(role, flushes, of_all, disks)
    calls = [row for row in told_from if row.kind in OF_CALLS]
    if not calls:
        return told
    watched = _whole(_spent(calls))
    source = "by flushes of all seconds, without who waits for them"
    reason = f"{source}: {told.reason}; by calls, which were watched in some seconds: {watched}"
    return told.but(reason=reason)


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
    of_postgres = [row for row in own if row.kind in OF_CALLS]
    others = [row for row in own if row.kind not in OF_CALLS]
    is_little = _commits(of_postgres) < COMMITS_MIN or _time_share(of_postgres) < _time_share(others)
    return others if is_little and others else of_postgres


def _cause(
    role: str, rows: Sequence[CommitsOfRole], of_all: Sequence[CommitsOfRole], disks: Disks
) -> CommitCause:
    spent = _spent(rows)
    if spent.commits < COMMITS_MIN:
        reason = f"{_were_seen(spent.commits)}, and of fewer than {COMMITS_MIN} nothing is told"
        return _fact(role, spent, [], reason, "Watch for longer, while it commits.")
    who = flushing(rows, of_all)
    largest = _largest(spent, who.is_disk_long)
    if largest[0].name == "group commit" and not who.roles:
        reason = f"{_whole(spent)}; who flushed meanwhile was not seen, which may wait for the disk or not"
        return _fact(role, spent, [], reason, "Watch for longer, while it commits.")
    reason = _reason(role, spent, who, largest)
    told: list[_Part] = []
    for part in largest:
        name = part.name
        if name == "disk":
            name, held = who.held_against(disks(who.roles))
            reason += f"; {held}"
        told.append(_Part(name, part.share))
    is_delayed = who.waits_itself and who.sleeps is not False
    advice = " ".join(advice_for(part.name, role, is_delayed, bool(who.sleeps)) for part in told)
    return _fact(role, spent, told, reason, advice)


def _were_seen(commits: int) -> str:
    return f"{commits:,} {'commit was' if commits == 1 else 'commits were'} seen"


def _fact(role: str, spent: _Spent, told: Sequence[_Part], reason: str, advice: str) -> CommitCause:
    first, second = [*told, None, None][:2]
    return CommitCause(
        role=role,
        commits=spent.commits,
        total_us_mean=spent.total_us / spent.commits if spent.commits else None,
        cause=first and first.name,
        share=first and first.share,
        second=second and second.name,
        second_share=second and second.share,
        reason=reason,
        advice=advice,
    )


def _largest(spent: _Spent, is_disk_long: bool) -> list[_Part]:
    """The largest part; the second as well, where the first is not most of the time or hardly more than that."""
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
    parts = [_Part(name, us / spent.total_us if spent.total_us else None) for name, us in found.items()]
    first, second, *_ = sorted(parts, key=lambda part: -(part.share or 0.0))
    is_alone = not second.share or _is_clear(first.share or 0.0, second.share)
    return [first] if is_alone else [first, second]


def _is_clear(first: float, second: float) -> bool:
    return first > _MAJORITY and first - second > _CLOSE_SHARE


def _reason(role: str, spent: _Spent, who: Flushing, largest: Sequence[_Part]) -> str:
    whole = _whole(spent)
    if spent.queue_us and who.commits_per_s and {"disk", "group commit"} & {part.name for part in largest}:
        names = "" if who.roles == (role,) else f" ({', '.join(who.roles)})"
        whole += f"; who flushes{names} takes {format_us(who.mean_us(who.disk_us))} for it"
        if who.waits_itself:
            whole += f" and is in the queue itself for {format_us(who.mean_us(who.queue_us))}"
            if who.slept_us and who.sleeps:
                whole += f", of which it sleeps {format_us(who.mean_us(who.slept_us))}"
    return whole


def _whole(spent: _Spent) -> str:
    """Where the time of a commit goes."""
    nobody = "nobody else" if spent.is_of_calls else "no process that was started with it"
    parts = {
        "in write and flush": spent.disk_us,
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
        is_of_calls=any(row.kind in OF_CALLS for row, _ in timed),
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

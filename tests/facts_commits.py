"""Plausible commits: sessions of PostgreSQL that wait for the log's device, and a program that made too few to tell."""

from __future__ import annotations

from typing import Any

from plimsoll.facts import CommitsOfRole, CommitsUnderWay, CommitTimes, CommitWaits, Note
from plimsoll.native.latency import latency_of_counts
from plimsoll.observe.commit_causes import causes_of
from plimsoll.observe.flushed_disks import DiskTimes

_DURATION_S = 30.0
_LOG_FLUSHES_S = 8.0
_DISK = DiskTimes(("sda",), 40_000, 290.0, 800_000.0)
"""The log's, which is what they wait for."""


def times(**given: float) -> CommitTimes:
    """What is not given takes no time."""
    parts = ("queue_us", "write_us", "flush_us", "run_queue_us", "processor_us", "other_us")
    return CommitTimes(**{**dict.fromkeys(parts, 0.0), **given})


def row(spent: CommitTimes | None = None, **given: Any) -> CommitsOfRole:
    """Commits of one kind; what is not given is that of leaders that wait for their flush."""
    spent = spent or times(write_us=21.0, flush_us=300.0, run_queue_us=9.0, processor_us=70.0)
    commits = given.get("commits", 4_000)
    total_us = sum(spent.model_dump().values())
    fields: dict[str, Any] = {
        "role": "client backend",
        "kind": "leader",
        "processes": 8,
        "commits": commits,
        "errors": 0,
        "commits_per_s": commits / _LOG_FLUSHES_S,
        "flushes": commits,
        "dispatches_mean": 2.1,
        "total_us_mean": total_us,
        "times": spent,
        "latency_us": latency_of_counts([(total_us, commits - commits // 50), (4 * total_us, commits // 50)]),
    }
    return CommitsOfRole(**{**fields, **given})


def under_way(**given: Any) -> CommitsUnderWay:
    """Those of sessions; what is not given is one that hangs in its flush."""
    fields: dict[str, Any] = {
        "role": "client backend",
        "kind": "leader",
        "commits": 1,
        "hanging": 1,
        "longest_s": 42.0,
        "longest_in": "flush",
    }
    return CommitsUnderWay(**{**fields, **given})


def commits(lost: int = 0) -> CommitWaits:
    """Leaders and followers, and one that writes a file of its own; where some are lost, another hangs."""
    follower = row(times(queue_us=380.0, run_queue_us=14.0, processor_us=26.0), kind="follower", flushes=0)
    few = row(
        times(flush_us=900.0, processor_us=40.0), role="systemd-journal", kind="sync", processes=1, commits=2
    )
    rows = (follower, row(), few)
    notes = ()
    if lost:
        message = f"{lost:,} commits at least are in no row: the kernel had no room for their threads or rows"
        notes = (Note(code="commits-lost", message=message),)
    return CommitWaits(
        duration_s=_DURATION_S,
        log_flushes_s=_LOG_FLUSHES_S,
        causes=causes_of(rows, lambda roles: [_DISK]),
        rows=rows,
        lost_commits=lost,
        under_way=(under_way() if lost else under_way(commits=3, hanging=0, longest_s=0.0004),),
        notes=notes,
    )

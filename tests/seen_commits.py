"""Rows and counts of the probe of commits, as if it had seen them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll import _core

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitCounts, CommitRow, CommitUnderWay

_PARTS = ("queue_ns", "write_ns", "flush_ns", "run_queue_ns", "processor_ns", "other_ns")


def commit_row(**given: Any) -> CommitRow:
    """A row; what is not given is that of a process that waits for its flush."""
    commits = given.get("commits", 10)
    parts = {name: given.get(name, 0) for name in _PARTS}
    parts["flush_ns"] = given.get("flush_ns", 100_000 * commits)
    total_ns = sum(parts.values())
    fields: dict[str, Any] = {
        "owner_pid": 100,
        "owner_started_ns": 7,
        "command": "fio",
        "title": "",
        "kind": "sync",
        "commits": commits,
        "errors": 0,
        "total_ns": total_ns,
        **parts,
        "dispatches": 2 * commits,
        "flushes": commits,
        "behind_ns": parts["queue_ns"],
        "slept_ns": 0,
        "beyond": 0,
        "latency_hdr": _core.hdr_of_counts([(total_ns / commits / 1_000, commits)] if commits else []),
    }
    return {**fields, **given}  # type: ignore[typeddict-item, return-value]


def under_way(**given: Any) -> CommitUnderWay:
    """A commit that has not ended; what is not given is that of a process that has waited for its flush for a minute."""
    fields: dict[str, Any] = {
        "owner_pid": 100,
        "owner_started_ns": 7,
        "thread": given.get("owner_pid", 100),
        "kind": "sync",
        "for_ns": 60 * 10**9,
        "part": "flush",
    }
    return {**fields, **given}  # type: ignore[typeddict-item, return-value]


def commit_counts(**given: int) -> CommitCounts:
    """What is in no row: nothing, where nothing is given."""
    counts = {"lost_threads": 0, "lost_rows": 0, "log_flushes_begun": 0, "log_flushes_ended": 0}
    return {**counts, **given}  # type: ignore[typeddict-item, return-value]

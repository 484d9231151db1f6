"""Commits of processes become rows of roles, and nothing of their time gets lost."""

from __future__ import annotations

import pytest

from plimsoll.observe.commits import CommitTally
from seen_commits import commit_row


def test_rows_of_processes_with_one_role_are_one_and_parts_are_the_whole() -> None:
    tally = CommitTally()
    tally.add([commit_row(queue_ns=30_000), commit_row(owner_pid=101, commits=30, run_queue_ns=10_000)])
    (row,) = tally.rows(10.0, None)
    assert (row.role, row.kind, row.processes, row.commits, row.commits_per_s) == ("fio", "sync", 2, 40, 4.0)
    assert row.times is not None
    assert row.times.queue_us == pytest.approx(30 / 40)
    assert row.times.flush_us == pytest.approx(100.0)
    assert sum(row.times.model_dump().values()) == pytest.approx(row.total_us_mean)
    assert (row.dispatches_mean, row.flushes, row.latency_us.count) == (2.0, 40, 40)


def test_kinds_stay_apart_and_calls_of_the_log_flush_have_their_own_time() -> None:
    tally = CommitTally()
    tally.add(
        [commit_row(), commit_row(kind="leader"), commit_row(kind="follower", flush_ns=0, queue_ns=5_000)]
    )
    found = {row.kind: row.commits_per_s for row in tally.rows(10.0, 2.5)}
    assert found == {"sync": 1.0, "leader": 4.0, "follower": 4.0}


def test_of_failures_alone_nothing_but_their_number_is_known() -> None:
    tally = CommitTally()
    tally.add([commit_row(commits=0, errors=3)])
    (row,) = tally.rows(1.0, None)
    assert (row.commits, row.errors) == (0, 3)
    assert (row.times, row.total_us_mean, row.dispatches_mean, row.latency_us.count) == (None, None, None, 0)


def test_roles_that_are_not_asked_for_are_left_out() -> None:
    tally = CommitTally(wanted=("mariadbd",))
    tally.add([commit_row(), commit_row(owner_pid=101, command="mariadbd")])
    assert [row.role for row in tally.rows(1.0, None)] == ["mariadbd"]


def test_many_readings_keep_every_commit_of_the_distribution() -> None:
    tally = CommitTally()
    for _ in range(150):
        tally.add([commit_row()])
    assert tally.rows(1.0, None)[0].latency_us.count == 1_500


def test_a_process_that_has_ended_is_called_by_its_command() -> None:
    tally = CommitTally()
    tally.add([commit_row(owner_pid=2**22 + 1, command="postgres"), commit_row()])
    assert ([row.role for row in tally.rows(1.0, None)], tally.untitled) == (["fio", "postgres"], 10)

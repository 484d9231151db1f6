"""Commits of processes become rows of roles, and nothing of their time gets lost."""

from __future__ import annotations

import pytest

from plimsoll.observe.commits import CommitTally
from seen_commits import commit_row, under_way


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


def test_flushes_of_postgresql_are_counted_where_its_calls_are_not_seen() -> None:
    """While they are, its flushes are those of leaders, and what is left are flushes of other things."""
    sessions = {"command": "postgres", "title": "postgres: alice shop [local] COMMIT"}
    tally = CommitTally()
    tally.add([commit_row(**sessions, owner_pid=2**22 + 1, commits=1), commit_row(commits=100)], is_turn=True)
    tally.add([commit_row(**sessions, owner_pid=2**22 + 1, commits=80), commit_row(commits=400)])
    found = {row.role: (row.commits, row.commits_per_s) for row in tally.rows(5.0, 1.0)}
    assert found == {"client backend": (81, 20.0), "fio": (500, 100.0)}
    short = {row.role: row.commits_per_s for row in tally.rows(1.1, 1.0)}
    assert short["client backend"] == pytest.approx(80 / 0.1)
    no_time = {row.role: row.commits_per_s for row in tally.rows(1.05, 1.0)}
    assert (no_time["client backend"], no_time["fio"]) == (None, pytest.approx(500 / 1.05)), (
        "without time apart their rate is not known"
    )


def test_what_is_under_way_is_told_by_role_and_kind_the_longest_first() -> None:
    tally = CommitTally(wanted=("fio",))
    gone = 2**22 + 1
    tally.add([commit_row(owner_pid=gone), commit_row(owner_pid=gone + 1, command="mariadbd")])
    found = tally.under_way(
        [
            under_way(owner_pid=gone, for_ns=10**6),
            under_way(owner_pid=gone, for_ns=2 * 10**9, part="write"),
            under_way(owner_pid=gone, for_ns=9 * 10**8, kind="leader"),
            under_way(owner_pid=gone + 1),
        ]
    )
    assert [(one.kind, one.commits, one.hanging, one.longest_s, one.longest_in) for one in found] == [
        ("sync", 2, 1, 2.0, "write"),
        ("leader", 1, 0, 0.9, "flush"),
    ]


def test_of_failures_alone_nothing_but_their_number_is_known() -> None:
    tally = CommitTally()
    tally.add([commit_row(commits=0, errors=3)])
    (row,) = tally.rows(1.0, None)
    assert (row.commits, row.errors) == (0, 3)
    assert (row.times, row.total_us_mean, row.dispatches_mean, row.latency_us.count) == (None, None, None, 0)


def test_what_a_queue_is_behind_is_a_part_of_it() -> None:
    tally = CommitTally()
    tally.add(
        [
            commit_row(queue_ns=30_000, behind_ns=20_000),
            commit_row(owner_pid=101, queue_ns=10_000, behind_ns=0),
        ]
    )
    (row,) = tally.rows(10.0, None)
    assert row.times is not None
    assert (row.times.queue_us, row.behind_us_mean) == (pytest.approx(2.0), pytest.approx(1.0))
    standby = CommitTally()
    standby.add([commit_row(kind="standby", queue_ns=30_000, behind_ns=0)])
    assert standby.rows(10.0, None)[0].behind_us_mean is None, "no lock is what it waits for"


def test_how_many_commits_came_is_told_of_the_roles_that_are_asked_for() -> None:
    tally = CommitTally(wanted=("mariadbd",))
    others = [commit_row(), commit_row(owner_pid=101, command="mariadbd", commits=7)]
    assert tally.add(others) == 7
    everybody = CommitTally()
    assert everybody.add([*others, commit_row(kind="standby")]) == 17, (
        "a wait for a standby is no other commit"
    )


def test_roles_that_are_not_asked_for_are_left_out() -> None:
    tally = CommitTally(wanted=("mariadbd",))
    tally.add([commit_row(), commit_row(owner_pid=101, command="mariadbd")])
    assert [row.role for row in tally.asked_for(tally.rows(1.0, None))] == ["mariadbd"]
    everybody = CommitTally()
    everybody.add([commit_row(), commit_row(owner_pid=101, command="mariadbd")])
    assert len(everybody.asked_for(everybody.rows(1.0, None))) == 2


def test_commits_beyond_the_steps_of_the_distribution_are_counted() -> None:
    tally = CommitTally()
    tally.add([commit_row(beyond=1), commit_row(beyond=2)])
    assert tally.rows(1.0, None)[0].beyond == 3


def test_many_readings_keep_every_commit_of_the_distribution() -> None:
    tally = CommitTally()
    for _ in range(150):
        tally.add([commit_row()])
    assert tally.rows(1.0, None)[0].latency_us.count == 1_500


def test_a_process_that_has_ended_is_called_by_its_command() -> None:
    tally = CommitTally()
    tally.add([commit_row(owner_pid=2**22 + 1, command="postgres"), commit_row()])
    assert ([row.role for row in tally.rows(1.0, None)], tally.untitled) == (["fio", "postgres"], 10)

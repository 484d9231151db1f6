"""What commits wait for, told from where their time goes; cases as they were seen with PostgreSQL."""

from __future__ import annotations

import pytest

from facts_commits import row, times
from plimsoll.observe.commit_causes import COMMITS_MIN, causes_of

CASES = {
    "a processor that others spin on": (
        [row(times(write_us=20, flush_us=46, run_queue_us=2_963, processor_us=87))],
        "run queue",
    ),
    "a device of 200 writes a second": (
        [row(times(queue_us=18, flush_us=9_576, run_queue_us=84, processor_us=75))],
        "disk",
    ),
    "those who wait for a leader at that device": (
        [
            row(times(queue_us=18, flush_us=9_576, run_queue_us=84, processor_us=75)),
            row(times(queue_us=28_305, run_queue_us=1_174, processor_us=48), kind="follower"),
        ],
        "disk",
    ),
    "32 sessions on a fast device": (
        [
            row(times(queue_us=90, flush_us=44, run_queue_us=310, processor_us=67)),
            row(times(queue_us=1_031, run_queue_us=206, processor_us=27), kind="follower"),
        ],
        "group commit",
    ),
    "one session on a device that flushes at once": (
        [row(times(write_us=2, flush_us=3, run_queue_us=1, processor_us=33))],
        "processor",
    ),
    "a standby far away": (
        [
            row(times(flush_us=100, processor_us=60)),
            row(times(queue_us=2_000, processor_us=20), kind="standby", flushes=0),
        ],
        "standby",
    ),
    "memory that is short": ([row(times(flush_us=30, processor_us=30, other_us=400))], "other"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_largest_part_is_the_cause(case: str) -> None:
    rows, wanted = CASES[case]
    (cause,) = causes_of(rows)
    assert cause.cause == wanted, cause
    assert cause.share is not None
    assert 0.4 < cause.share <= 1.0
    assert cause.advice.endswith(".")
    assert cause.commits == sum(one.commits for one in rows if one.kind != "standby")


def test_followers_at_a_slow_device_count_for_the_disk() -> None:
    rows, _ = CASES["those who wait for a leader at that device"]
    (cause,) = causes_of(rows)
    assert cause.share == pytest.approx((18 + 9_576 + 28_305) / (9_753 + 29_527), abs=0.001)
    assert "who flushes is at the disk for 9.58 ms" in cause.reason


def test_the_wait_for_a_standby_belongs_to_the_commits_that_flushed_before() -> None:
    rows, _ = CASES["a standby far away"]
    (cause,) = causes_of(rows)
    assert (cause.commits, cause.total_us_mean) == (4_000, pytest.approx(2_180.0))
    assert "92 % for a standby" in cause.reason
    (alone,) = causes_of(rows[1:])
    assert (alone.cause, alone.commits) == ("standby", 4_000), "whose flushes found all of it done"


def test_of_few_commits_nothing_is_told() -> None:
    (cause,) = causes_of([row(commits=COMMITS_MIN - 1)])
    assert (cause.cause, cause.share) == (None, None)
    assert "nothing is told" in cause.reason


def test_calls_of_the_log_flush_tell_more_than_flushes_alone() -> None:
    follower = row(times(queue_us=1_031, run_queue_us=206), kind="follower")
    leader = row(times(flush_us=44, run_queue_us=60, processor_us=67))
    sync = row(times(flush_us=44, processor_us=67), kind="sync", commits=90_000)
    (cause,) = causes_of([sync, follower, leader])
    assert (cause.cause, cause.commits) == ("group commit", 8_000)


def test_calls_that_found_all_done_waited_for_nothing() -> None:
    nothing = row(times(processor_us=10), kind="nothing", commits=90_000)
    (cause,) = causes_of([nothing, row()])
    assert (cause.cause, cause.commits) == ("disk", 4_000)
    assert causes_of([nothing]) == ()


def test_each_role_has_its_own() -> None:
    other = row(times(flush_us=900, processor_us=9), role="mariadbd", kind="sync")
    assert [cause.role for cause in causes_of([other, row()])] == ["mariadbd", "client backend"]


def test_roles_are_ranked_by_time_per_second_whatever_part_of_it_they_were_seen_in() -> None:
    """Backends spend 3 s in each second, seen for a part of the time; the checkpointer 1 s, seen all the time."""
    backends = row(times(flush_us=3_000.0), commits=6_000, commits_per_s=1_000.0)
    checkpointer = row(
        times(flush_us=1_000_000.0), role="checkpointer", kind="sync", commits=30, commits_per_s=1.0
    )
    assert [one.role for one in causes_of([checkpointer, backends])] == ["client backend", "checkpointer"]


def test_where_few_calls_were_seen_flushes_tell() -> None:
    few = row(times(flush_us=5_000.0), commits=COMMITS_MIN - 2)
    flushes = row(times(flush_us=4_000.0), kind="sync", commits=32)
    (cause,) = causes_of([few, flushes])
    assert (cause.cause, cause.commits) == ("disk", 32)

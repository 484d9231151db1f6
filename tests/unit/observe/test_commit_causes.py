"""What commits wait for, told from where their time goes; cases as they were seen with PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from facts_commits import row, times
from plimsoll.facts import CommitCause, CommitsOfRole, CommitTimes
from plimsoll.observe import commit_causes
from plimsoll.observe.commit_causes import COMMITS_MIN
from plimsoll.observe.commit_flushing import Disks
from plimsoll.observe.flushed_disks import DiskTimes


def at_slow_disks(roles: Iterable[str]) -> tuple[DiskTimes, ...]:
    """The disks beneath their files take all of the time in which anybody waits there."""
    return (DiskTimes(("sda",), 400, 1e6, 1e6),)


def causes_of(rows: Sequence[CommitsOfRole], disks: Disks = at_slow_disks) -> tuple[CommitCause, ...]:
    """Where nothing else is said, disks are slow where they are waited for."""
    return commit_causes.causes_of(rows, disks)


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
    "a lock that somebody holds who flushes nothing": (
        [row(times(queue_us=5_000, flush_us=300, processor_us=40), behind_us_mean=100.0)],
        "lock",
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
    assert "who flushes takes 9.58 ms for it" in cause.reason


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
    sync = row(times(flush_us=44, processor_us=67), kind="sync", commits=90_000, commits_per_s=500.0)
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


def test_a_checkpointer_is_told_from_what_takes_its_time() -> None:
    """Few flushes of data that are long, and calls of XLogFlush that are many and short."""
    flushes = row(times(flush_us=1e6), role="checkpointer", kind="sync", commits=12, commits_per_s=0.4)
    calls = row(times(processor_us=30.0, flush_us=5.0), role="checkpointer", commits=400)
    (cause,) = causes_of([calls, flushes])
    assert (cause.cause, cause.share, cause.commits) == ("disk", pytest.approx(1.0), 12)


FOLLOWER = row(times(queue_us=1_000, run_queue_us=20), kind="follower", flushes=0)
FAST = times(flush_us=40, processor_us=70)
SLOW = times(flush_us=5_000, processor_us=70)


@pytest.mark.parametrize(
    ("flushing", "wanted", "who"),
    [
        ([row(FAST, role="autovacuum worker")], "group commit", " (autovacuum worker)"),
        ([row(SLOW, role="walwriter", kind="sync")], "disk", " (walwriter)"),
        (
            [row(FAST, commits=40), row(SLOW, role="walwriter", kind="sync")],
            "disk",
            " (client backend, walwriter)",
        ),
    ],
    ids=["another role", "the walwriter", "a session now and then, mostly the walwriter"],
)
def test_a_queue_is_behind_all_who_flush_the_log(
    flushing: list[CommitsOfRole], wanted: str, who: str
) -> None:
    cause = {one.role: one for one in causes_of([FOLLOWER, *flushing])}["client backend"]
    assert cause.cause == wanted, cause
    assert f"who flushes{who} takes " in cause.reason


def test_who_waits_while_nobody_else_flushes_waits_for_a_lock() -> None:
    """Such as behind a program that was stopped: the only one who flushes is the one who waits."""
    alone = row(
        times(queue_us=900, flush_us=200, run_queue_us=410), kind="sync", role="fio", behind_us_mean=0.0
    )
    (cause,) = causes_of([alone])
    assert (cause.cause, cause.share) == ("lock", pytest.approx(900 / 1_510))
    assert "60 % for a lock while no process that was started with it flushed" in cause.reason
    assert "in the queue" not in cause.reason
    (before,) = causes_of([alone.but(behind_us_mean=None)])
    assert before.cause == "group commit", "a run of before it was told has no better word"


def test_only_the_queue_behind_who_flushes_counts_for_the_disk() -> None:
    """A slow device and a lock: the lock is longer."""
    leader = row(times(queue_us=9_000, flush_us=4_000, processor_us=75), behind_us_mean=1_000.0)
    (cause,) = causes_of([leader])
    assert (cause.cause, cause.share) == ("lock", pytest.approx(8_000 / 13_075))
    assert "61 % for a lock while nobody else flushed" in cause.reason, (
        "who flushes the log is known of calls"
    )
    (cause,) = causes_of([leader.but(behind_us_mean=7_000.0)])
    assert (cause.cause, cause.share) == ("disk", pytest.approx(11_000 / 13_075))


def test_an_unknown_rate_says_nothing_of_who_flushes() -> None:
    unknown = row(SLOW, role="walwriter", kind="sync", commits_per_s=None)
    cause = {one.role: one for one in causes_of([FOLLOWER, row(FAST), unknown])}["client backend"]
    assert cause.cause == "group commit", cause
    assert "walwriter" not in cause.reason


def test_flushes_of_other_things_say_nothing_of_the_log() -> None:
    """A checkpointer's of data, other programs' of anything: nobody who flushed the log was seen."""
    others = [row(SLOW, role="checkpointer", kind="sync"), row(SLOW, role="mariadbd", kind="sync")]
    cause = {one.role: one for one in causes_of([FOLLOWER, *others])}["client backend"]
    assert (cause.cause, cause.share) == (None, None)
    assert "who flushed meanwhile was not seen" in cause.reason


def test_who_flushes_counts_by_the_time_in_each_second_whatever_part_of_it_was_seen() -> None:
    """Those of some kinds are seen for a fifth of the time: their number says nothing."""
    seldom = row(SLOW, role="walwriter", kind="sync", commits=1_000, commits_per_s=1.0)
    often = row(FAST, commits=200, commits_per_s=1_000.0)
    cause = {one.role: one for one in causes_of([FOLLOWER, often, seldom])}["client backend"]
    assert cause.cause == "group commit", cause


def test_where_few_calls_were_seen_flushes_tell() -> None:
    few = row(times(flush_us=5_000.0), commits=COMMITS_MIN - 2)
    flushes = row(times(flush_us=4_000.0), kind="sync", commits=32)
    (cause,) = causes_of([few, flushes])
    assert (cause.cause, cause.commits) == ("disk", 32)


def disks(us_mean_max: float, us_per_s_max: float, *names: str, flush_us_mean_min: float = 0.0) -> DiskTimes:
    return DiskTimes(names or ("sda",), 400, us_mean_max, us_per_s_max, flush_us_mean_min)


HELD_BACK = row(
    times(flush_us=9_000, processor_us=90), role="dd", kind="sync", processes=1, commits_per_s=100.0
)
"""A throttled writer: it waits for 900 ms in each second."""


@pytest.mark.parametrize(
    ("found", "wanted", "words"),
    [
        (
            [disks(51.0, 10_200.0)],
            "above the disk",
            "sda itself took 51 µs on average or less for its 400 writes",
        ),
        ([disks(4_400.0, 880_000.0)], "disk", "sda itself took 4.4 ms on average or less"),
        (
            [disks(60.0, 600_000.0)],
            "disk or above it",
            "sda itself took 60 µs on average or less for its 400 writes and flushes; that is a small part of the 9 ms",
        ),
        ([disks(60.0, 430_000.0)], "above the disk", "sda itself took 60 µs"),
        ([disks(60.0, 600_000.0, flush_us_mean_min=8_500.0)], "disk", "sda itself took 60 µs"),
        ([disks(1_000.0, 10_000.0)], "disk or above it", "they fill 1.1 % of the time in which these wait"),
        ([disks(8_000.0, 900_000.0, "loop0"), disks(51.0, 600_000.0)], "disk", "loop0 itself took 8 ms"),
        ([disks(60.0, 600_000.0, "loop0"), disks(51.0, 9_000.0)], "above the disk", "sda itself took 51 µs"),
        (
            [disks(8_000.0, 900_000.0, "loop0"), disks(51.0, 9_000.0)],
            "above the disk",
            "sda itself took 51 µs",
        ),
        ([], "disk or above it", "no disk is known beneath their files"),
    ],
    ids=[
        "held back above it",
        "slow",
        "beside fast writes of others, which might hide slow ones",
        "beside fast writes of others that fill less than half of the time",
        "slow in its flushes, beside fast writes of others",
        "fewer I/Os than commits",
        "slow, on a fast disk at which others work as well",
        "not told, on a fast disk that is idle",
        "beneath another disk",
        "unknown",
    ],
)
def test_what_the_disk_itself_took_tells_it_from_what_is_above(
    found: list[DiskTimes], wanted: str, words: str
) -> None:
    (cause,) = causes_of([HELD_BACK], lambda roles: found if list(roles) == ["dd"] else [])
    assert (cause.cause, cause.share) == (wanted, pytest.approx(9_000 / 9_090))
    assert words in cause.reason
    assert ("A faster device would not help" in cause.advice) == (wanted == "above the disk")
    assert ("before a faster device is bought" in cause.advice) == (wanted == "disk or above it")


def test_many_that_wait_for_one_flush_are_held_against_the_time_of_one() -> None:
    """Sixteen processes whose commits one flush of 8 ms ends, twenty times a second: the disk is what they wait for."""
    together = HELD_BACK.but(processes=16, commits_per_s=320.0)
    (cause,) = causes_of([together], lambda roles: [disks(850.0, 160_000.0, flush_us_mean_min=7_900.0)])
    assert cause.cause == "disk"
    (cause,) = causes_of([together], lambda roles: [disks(850.0, 160_000.0)])
    assert cause.cause == "disk or above it", "flushes are not slow, and others may fill that time"
    (cause,) = causes_of([together], lambda roles: [disks(850.0, 16_000.0)])
    assert cause.cause == "above the disk"


def test_a_limit_beside_a_neighbour_on_the_same_disk_is_not_the_disk() -> None:
    """As seen: twenty writes a second for one, and another without a limit; its I/Os fill four fifths of the time or none of it."""
    capped = row(
        times(flush_us=96_400, run_queue_us=1_910, processor_us=51),
        role="cw",
        kind="sync",
        processes=1,
        commits=60,
        commits_per_s=6.54,
    )
    (cause,) = causes_of([capped], lambda roles: [disks(747.0, 513_000.0, flush_us_mean_min=653.0)])
    assert cause.cause == "disk or above it"
    assert "a small part of the 96.4 ms, and yet those of all owners together may fill" in cause.reason
    (cause,) = causes_of([capped], lambda roles: [disks(1_230.0, 418_000.0, flush_us_mean_min=1_500.0)])
    assert cause.cause == "disk or above it", "66 % of the time"
    (cause,) = causes_of([capped], lambda roles: [disks(6_060.0, 122_000.0, flush_us_mean_min=5_600.0)])
    assert cause.cause == "above the disk", "19 % of the time at most"


@pytest.mark.parametrize(
    ("spent", "wanted"),
    [
        (times(flush_us=30_400, run_queue_us=30_000, processor_us=715), ("above the disk", "run queue")),
        (times(flush_us=51_000, run_queue_us=45_000), ("above the disk", "run queue")),
        (times(flush_us=51_000, run_queue_us=40_000), ("above the disk", None)),
        (times(flush_us=20_000, run_queue_us=40_000, other_us=30_000), ("run queue", "other")),
        (times(flush_us=40_000, run_queue_us=44_000, other_us=30_000), ("run queue", "above the disk")),
    ],
    ids=["half and half", "close", "clear", "no majority", "the disk is the second"],
)
def test_a_cause_that_is_not_most_of_the_time_or_hardly_more_than_another_is_not_told_alone(
    spent: CommitTimes, wanted: tuple[str, str | None]
) -> None:
    seen = row(spent, role="cw", kind="sync", processes=1, commits=70, commits_per_s=6.82)
    (cause,) = causes_of([seen], lambda roles: [disks(1_900.0, 75_000.0)])
    assert (cause.cause, cause.second) == wanted
    if cause.second is None:
        assert cause.second_share is None
    else:
        assert cause.share is not None
        assert cause.second_share is not None
        assert cause.share >= cause.second_share > 0
        assert "Give it processors" in cause.advice
    assert ("A faster device would not help" in cause.advice) == ("above the disk" in wanted)


def test_who_flushes_and_sleeps_before_it_keeps_the_others_waiting_by_that() -> None:
    """As seen with `commit_delay` of 100 ms and 16 sessions; on an idle machine nothing but the flush is left beside the sleep."""
    follower = row(times(queue_us=105_395, run_queue_us=1_411), kind="follower", commits=247, flushes=0)
    busy = row(times(queue_us=94_275, flush_us=4_943, run_queue_us=6_324), commits=17)
    idle = row(times(queue_us=100_000, flush_us=5_000, processor_us=300), commits=17)
    for leader in (busy, idle):
        (cause,) = causes_of([follower, leader], lambda roles: [disks(5_000.0, 900_000.0)])
        assert cause.cause == "group commit", cause
        assert "and is in the queue itself for" in cause.reason
        assert cause.advice.startswith("Look first at commit_delay, where it is set")
    rows, _ = CASES["32 sessions on a fast device"]
    assert "commit_delay" not in causes_of(rows)[0].advice
    asleep, awake = (idle.but(slept_us_mean=slept_us) for slept_us in (99_000.0, 0.0))
    (cause,) = causes_of([follower, asleep], lambda roles: [disks(5_000.0, 900_000.0)])
    assert ", of which it sleeps 99 ms" in cause.reason
    assert cause.advice.startswith("Set commit_delay to 0 or lower")
    (cause,) = causes_of([follower, awake], lambda roles: [disks(5_000.0, 900_000.0)])
    assert (cause.cause, "commit_delay" in cause.advice) == ("group commit", False)


def test_flushes_of_all_seconds_tell_where_the_watched_ones_are_not_like_them() -> None:
    """As seen: a limit for four seconds of each five, and calls were watched in the fifth."""
    follower = row(times(queue_us=7_570, run_queue_us=1_090), kind="follower", commits=1_270, flushes=0)
    leader = row(times(queue_us=1_860, flush_us=2_430, run_queue_us=953), commits=670)
    flushes = row(times(flush_us=89_300, run_queue_us=649), kind="sync", commits=110, commits_per_s=7.3)
    (cause,) = causes_of([follower, leader, flushes], lambda roles: [disks(1_040.0, 284_000.0)])
    assert (cause.cause, cause.commits) == ("above the disk", 110), cause
    assert cause.total_us_mean == pytest.approx(89_949)
    assert cause.reason.startswith(
        "by flushes of all seconds, without who waits for them: of 89.9 ms per commit"
    )
    assert "; by calls, which were watched in some seconds: of 7." in cause.reason
    like = flushes.but(times=times(flush_us=2_600, run_queue_us=649), total_us_mean=3_249.0)
    (cause,) = causes_of([follower, leader, like])
    assert cause.commits == 1_940


def test_one_commit_is_not_several() -> None:
    (cause,) = causes_of([row(commits=1)])
    assert cause.reason.startswith("1 commit was seen, and")

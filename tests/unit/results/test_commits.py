"""What people see of what commits waited for."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from facts_commits import row, times
from plimsoll.facts import CommitsOfRole, CommitWaits, Run
from plimsoll.facts.commits import LATENCY_US_MAX
from plimsoll.native.latency import latency_of_counts
from plimsoll.observe.commit_causes import causes_of
from plimsoll.observe.flushed_disks import DiskTimes
from plimsoll.results import Grid
from plimsoll.results.commits import RESULT, said


def shown_p99(told: CommitsOfRole) -> str:
    found = CommitWaits(
        duration_s=60.0, log_flushes_s=12.0, causes=causes_of([told]), rows=(told,), lost_commits=0
    )
    run = Run.model_construct(kind="commits", results={"commits": found}, interrupted=False, notes=())
    assert RESULT.blocks is not None
    grid = next(one for one in RESULT.blocks(run) if isinstance(one, Grid) and "p99" in one.table.columns)
    return grid.table.rows[0][grid.table.columns.index("p99")]


def slow(beyond: int | None, us: float = LATENCY_US_MAX) -> CommitsOfRole:
    """A hundred commits, two of which took so long."""
    return row(commits=100, beyond=beyond, latency_us=latency_of_counts([(5_000.0, 98), (us, 2)]))


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (slow(2), "more than 34.4 s"),
        (slow(0, 30e6), "30 s"),
        (slow(1, 30e6), "30 s"),
        (slow(None, 36e6), "more than 34.4 s"),
        (slow(None, 30e6), "30 s"),
    ],
    ids=[
        "beyond",
        "within",
        "one alone is the 100th of 100",
        "kept before they were counted",
        "so, and within",
    ],
)
def test_a_percentile_beyond_the_steps_of_the_distribution_is_more_than_their_end(
    told: CommitsOfRole, wanted: str
) -> None:
    assert shown_p99(told) == wanted


def test_a_headline_names_two_causes_where_one_is_not_most_of_the_time() -> None:
    def slow(roles: Iterable[str]) -> tuple[DiskTimes, ...]:
        return (DiskTimes(("sda",), 400, 400.0, 900_000.0),)

    (half,) = causes_of([row(times(flush_us=500.0, run_queue_us=490.0, processor_us=10.0))], slow)
    assert said(half) == (
        "commits of client backend wait for the disk (50 % of their time) and for a processor, in the run queue (49 %)"
    )
    (both,) = causes_of([row(times(flush_us=500.0, processor_us=490.0, run_queue_us=10.0))], slow)
    assert said(both).endswith("wait for the disk (50 % of their time) and compute (49 %)")
    told = CommitWaits(duration_s=6.0, log_flushes_s=1.0, causes=(half,), rows=(row(),), lost_commits=0)
    run = Run.model_construct(kind="commits", results={"commits": told}, interrupted=False, notes=())
    assert RESULT.blocks is not None
    grid = next(
        one for one in RESULT.blocks(run) if isinstance(one, Grid) and "wait for" in one.table.columns
    )
    assert grid.table.rows[0][grid.table.columns.index("wait for")] == "disk, run queue"


def test_a_part_that_took_no_time_is_nought() -> None:
    told = row(times(flush_us=0.04, processor_us=9.0))
    found = CommitWaits(
        duration_s=6.0, log_flushes_s=1.0, causes=causes_of([told]), rows=(told,), lost_commits=0
    )
    run = Run.model_construct(kind="commits", results={"commits": found}, interrupted=False, notes=())
    assert RESULT.blocks is not None
    grid = next(one for one in RESULT.blocks(run) if isinstance(one, Grid) and "p99" in one.table.columns)
    shown = dict(zip(grid.table.columns, grid.table.rows[0], strict=True))
    assert (shown["queue"], shown["flush"], shown["processor"]) == ("0", "0.0 µs", "9.0 µs")

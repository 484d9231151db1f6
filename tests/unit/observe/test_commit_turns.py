"""Whether watched seconds are like the others, told from flushes of the log."""

from __future__ import annotations

import pytest

from facts_commits import row, times
from plimsoll.facts import CommitsOfRole
from plimsoll.observe.commit_turns import FLUSHES_MIN, Apart, turns_apart


def watched(flush_us: float, **given: object) -> CommitsOfRole:
    return row(times(flush_us=flush_us, processor_us=80.0), **{"commits": 100, **given})


def others(flush_us: float, **given: object) -> CommitsOfRole:
    return watched(flush_us, **{"kind": "sync", **given})


@pytest.mark.parametrize(
    ("rows", "is_apart"),
    [
        ([watched(1_000), others(9_000)], True),
        ([watched(9_000), others(1_000, commits=900)], True),
        ([watched(0), others(9_000)], True),
        ([watched(1_000), others(2_900)], False),
        ([watched(1), others(9)], False),
        ([watched(1_000, commits=FLUSHES_MIN - 1), others(9_000)], False),
        ([watched(1_000), others(9_000, commits=FLUSHES_MIN - 1)], False),
        ([watched(1_000)], False),
        ([others(9_000)], False),
        ([watched(1_000, role="checkpointer"), others(9_000, role="checkpointer")], False),
        ([watched(1_000, role="walwriter"), others(9_000, role="walwriter")], False),
        ([watched(1_000), others(9_000, role="mariadbd")], False),
    ],
    ids=[
        "longer in the others",
        "longer in the watched ones",
        "no wait in the watched ones",
        "less than twice as long in all",
        "too little of a commit to matter",
        "few in the watched ones",
        "few in the others",
        "none in the others",
        "none in the watched ones",
        "flushes of data",
        "flushes that are no calls",
        "of another role",
    ],
)
def test_seconds_are_apart_where_the_mean_flush_of_all_is_another(
    rows: list[CommitsOfRole], is_apart: bool
) -> None:
    assert bool(turns_apart(rows)) == is_apart


def test_the_mean_of_all_is_over_the_flushes_of_both() -> None:
    assert turns_apart([watched(1_000), others(9_000, commits=300)]) == (
        Apart("client backend", 1_000.0, 7_000.0),
    )


def test_the_role_that_differs_most_comes_first() -> None:
    rows = [
        *(watched(1_000), others(9_000)),
        *(watched(1_000, role="parallel worker"), others(90_000, role="parallel worker")),
    ]
    assert [one.role for one in turns_apart(rows)] == ["parallel worker", "client backend"]

"""What a SLOB run says where it cannot say all: counters that were read late, rates that were not reached, upkeep of the server."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.databases import ServerCounts
from plimsoll.facts import Database, Proof
from plimsoll.proof.crew import Track
from plimsoll.proof.origin import origin
from plimsoll.proof.server import counts_of, others_commits
from plimsoll.proof.sessions import Drove, Schedule
from plimsoll.proof.slices import Counted, Slice
from plimsoll.proof.slob import run
from plimsoll.proof.slob.parameters import parameters
from plimsoll.proof.window import windowed

US = 1_000_000
START = 1_700_000_000 * US
SCHEDULE = Schedule(warm_up_s=1, run_s=10)


def second(number: int, operations: int, due_s: float) -> tuple[int, Slice]:
    counted = {"select": Counted(operations, operations, 0, {100: operations})}
    begin_us, end_us = START + (number - 1) * US, START + number * US
    state = f'{{"due": {START + due_s * US}}}'
    return number, Slice(begin_us, end_us, counted, state=state)


def drove(operations: int = 10, due_s: float = 11.2, **changes: Any) -> Drove:
    """Eleven seconds of one session; its next operation would have been due at `due_s`."""
    track = Track("1.1", slices=[second(number, operations, due_s) for number in range(1, 12)], done=True)
    told = {
        "before": "ready",
        "snapshots": ("before", "after"),
        "edge_clean": True,
        "interrupted": False,
        "failure": None,
    }
    return Drove(tracks=(track,), schedule=SCHEDULE, start_us=START, **{**told, **changes})


class Counting:
    """A connection that counts."""

    def counts(self, before: Any, after: Any) -> ServerCounts:
        return ServerCounts(commits=100.0, block_reads=50.0, block_hits=50.0)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"edge_clean": False}, "its counters were read after a session had begun to count"),
        ({"snapshots": ("before",)}, "its counters could not be read twice"),
    ],
)
def test_counters_that_are_not_of_the_window_are_unknown(changes: dict[str, Any], why: str) -> None:
    found = counts_of(Counting(), drove(**changes))  # type: ignore[arg-type]
    assert found.commits is None
    assert found.block_reads is None
    assert found.unknown_because == why
    database = Database.model_construct(direct_io=True, block_bytes=8192)
    assert origin(found, 10.0, database, 4096.0).reason == why


def test_counters_of_the_window_are_taken() -> None:
    assert counts_of(Counting(), drove()).commits == 100.0  # type: ignore[arg-type]


def missed(operations: int, due_s: float, rate: float) -> list[str]:
    went = drove(operations, due_s)
    return list(run._missed_rate(parameters(rate_per_s=rate), went, windowed(went, True, False)))


def test_fewer_arrivals_than_on_average_are_no_backlog() -> None:
    assert missed(operations=10, due_s=11.2, rate=14.0) == []


def test_what_was_due_and_had_not_begun_is_a_backlog() -> None:
    (doubt,) = missed(operations=10, due_s=6.0, rate=20.0)
    assert "20 operations per second were asked for and 10 were reached" in doubt
    assert "50 % of the window behind" in doubt


def test_what_was_due_on_a_lost_host_is_no_backlog_of_the_others() -> None:
    """It would have had half of the rate, and ended in the fourth second with all that came after it due."""
    slices = [second(number, 10, 4.0) for number in range(1, 5)]
    lost = Track("b 1.2", slices=slices, done=True, host="b", is_lost=True)
    went = drove(operations=10, due_s=11.2)
    both = replace(went, tracks=(*went.tracks, lost))
    made = windowed(both.without_lost, True, False)
    assert list(run._missed_rate(parameters(rate_per_s=20.0), both, made)) == []
    late = replace(both, tracks=(*drove(operations=10, due_s=6.0).tracks, lost))
    (doubt,) = run._missed_rate(parameters(rate_per_s=40.0), late, made)
    assert "20 operations per second were asked for and 10 were reached" in doubt
    alone = replace(both, tracks=(lost,))
    assert list(run._missed_rate(parameters(rate_per_s=20.0), alone, made)) == []


def test_without_a_rate_nothing_is_missed() -> None:
    assert missed(operations=10, due_s=0.0, rate=0.0) == []


def test_upkeep_excuses_some_commits_and_no_more() -> None:
    assert others_commits(10.0, 0) == 21
    assert others_commits(10.0, 3) == 36


def _of_nothing(**changes: Any) -> Proof:
    """The proof of a drive that was over before anything was handed in."""
    database = Database(
        kind="postgresql", version="18", version_number=180000, location="me@db1/bench", name="bench"
    )
    connection = SimpleNamespace(
        notes=(), database=database, counts=lambda before, after: ServerCounts(unknown_because="it went")
    )
    around = SimpleNamespace(notes=tuple, doubts=lambda: ("the disk is full",), facts=lambda counts: {})
    given: tuple[Any, ...] = (connection, parameters(), None, replace(drove(), **changes), None, [], around)
    return run._results(*given).proof


@pytest.mark.parametrize("snapshots", [(), ("before", "after")])
def test_where_nothing_was_handed_in_what_the_server_said_comes_first(snapshots: tuple[str, ...]) -> None:
    failure = WorldError("database-lost", "the server went away")
    track = Track("1.1", error=failure, done=True)
    proof = _of_nothing(tracks=(track,), snapshots=snapshots, failure=failure)
    assert proof.doubts[0] == "the server went away"
    assert proof.doubts[-1] == "the disk is full"
    assert proof.hosts is None


@pytest.mark.parametrize("snapshots", [(), ("before", "after")])
def test_hosts_that_were_lost_before_the_window_opened_are_named(snapshots: tuple[str, ...]) -> None:
    tracks = tuple(
        Track(
            f"{host} 1.1",
            error=WorldError("host-lost", f"{host} was lost"),
            done=True,
            host=host,
            is_lost=True,
        )
        for host in "ab"
    )
    proof = _of_nothing(tracks=tracks, snapshots=snapshots)
    assert proof.doubts[:2] == ("a was lost", "b was lost")
    assert proof.hosts is not None
    assert [(one.host, one.lost_because) for one in proof.hosts.hosts] == [
        ("a", "a was lost"),
        ("b", "b was lost"),
    ]

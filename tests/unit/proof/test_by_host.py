"""What each host of a drive did, and what becomes of the figures where one was lost."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.facts import ProofHosts
from plimsoll.proof.by_host import doubts_of_lost, hosts_of, untold
from plimsoll.proof.crew import Track
from plimsoll.proof.sessions import Drove, Schedule
from plimsoll.proof.slices import Counted, Slice
from plimsoll.proof.window import windowed

US = 1_000_000
START = 1_700_000_000 * US
SCHEDULE = Schedule(warm_up_s=2, run_s=10)


def _track(name: str, host: str, operations: int, seconds: int = 12, late_us: int = 0) -> Track:
    """A session that does so many operations a second, from the warm-up's begin on."""
    slices = []
    for number in range(1, seconds + 1):
        counted = {
            "select": Counted(operations, operations * 16, 0, {100: operations}),
            "commit": Counted(operations, 0, 0, {9: operations}),
        }
        begin_us = START + (number - 1) * US + (late_us if number == 1 else 0)
        slices.append((number, Slice(begin_us, START + number * US, counted)))
    return Track(name, slices=slices, done=True, host=host)


def _drove(*tracks: Track) -> Drove:
    rest: dict[str, Any] = {
        "before": None, "snapshots": (), "edge_clean": True, "interrupted": False, "failure": None,
    }  # fmt: skip
    return Drove(tracks=tracks, schedule=SCHEDULE, start_us=START, **rest)


def _lost(track: Track) -> Track:
    track.error, track.is_lost = WorldError("host-lost", f"{track.host} was lost"), True
    return track


def _hosts(drove: Drove, *, is_paced: bool = False) -> ProofHosts:
    found = hosts_of(drove, lambda part: windowed(part, pauses=False, work_loop=False), is_paced=is_paced)
    assert found is not None
    return found


def test_a_drive_from_here_has_no_hosts() -> None:
    assert (
        hosts_of(_drove(_track("1.1", "", 10)), lambda part: windowed(part, False, False), is_paced=False)
        is None
    )


def test_each_host_has_the_sum_of_its_sessions_and_the_warm_up_is_in_none() -> None:
    tracks = (
        _track("a 1.1", "a", 10),
        _track("a 1.2", "a", 20, late_us=700),
        _track("b 1.3", "b", 40, late_us=300),
    )
    found = _hosts(_drove(*tracks))
    assert [(one.host, one.sessions, one.operations) for one in found.hosts] == [("a", 2, 300), ("b", 1, 400)]
    assert [one.operations_per_s for one in found.hosts] == pytest.approx([30, 40])
    counts = [one.latency_us.count for one in found.hosts if one.latency_us is not None]
    assert counts == [300, 400], "a commit is a part of an operation"
    assert found.start_spread_us == pytest.approx(300), "from the first session of each"
    assert found.complete_s is None
    assert found.complete_operations_per_s is None


def test_sessions_that_wait_for_what_is_due_have_no_common_start() -> None:
    tracks = (_track("a 1.1", "a", 10), _track("b 1.2", "b", 10, late_us=300))
    assert _hosts(_drove(*tracks), is_paced=True).start_spread_us is None


def test_of_a_lost_host_that_counts_which_all_did_while_it_was_there() -> None:
    drove = _drove(
        _track("a 1.1", "a", 10),
        _lost(_track("b 1.2", "b", 30, seconds=5)),
        _lost(_track("b 1.3", "b", 30, seconds=6)),
    )
    found = _hosts(drove)
    assert found.hosts[1].lost_because == "b was lost"
    assert found.hosts[1].operations == 30 * (3 + 4)
    assert found.complete_s == 3, "the window has that many seconds of all sessions"
    assert found.complete_operations_per_s == pytest.approx(70)
    assert [track.name for track in drove.without_lost.tracks] == ["a 1.1"]
    assert list(doubts_of_lost(drove)) == ["b was lost"], "once, whatever it drove"
    assert untold(drove, lambda piece: piece.operations) == 2 * 2 * 30
    assert untold(_drove(_track("a 1.1", "a", 10)), lambda piece: piece.operations) == 0


def test_an_agent_that_heard_nothing_may_have_gone_on_until_it_noticed() -> None:
    """But no longer than the drive."""
    cut, late = _lost(_track("b 1.2", "b", 30, seconds=3)), _lost(_track("b 1.3", "b", 30, seconds=11))
    cut.unheard_s = 5.0
    assert untold(_drove(_track("a 1.1", "a", 10), cut), lambda piece: piece.operations) == (2 + 5) * 30
    cut.unheard_s = 16.0
    assert untold(_drove(_track("a 1.1", "a", 10), cut), lambda piece: piece.operations) == (12 - 3) * 30
    assert untold(_drove(_track("a 1.1", "a", 10), late), lambda piece: piece.operations) == 30


def test_a_host_that_was_lost_in_the_warm_up_leaves_nothing_of_all_together() -> None:
    found = _hosts(_drove(_track("a 1.1", "a", 10), _lost(_track("b 1.2", "b", 30, seconds=1))))
    assert found.complete_s == 0
    assert found.complete_operations_per_s is None
    assert (found.hosts[1].operations, found.hosts[1].operations_per_s, found.hosts[1].latency_us) == (
        0,
        None,
        None,
    )

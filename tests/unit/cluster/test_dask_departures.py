"""Of what the scheduler tells, which worker died and which was ended."""

from __future__ import annotations

import pytest

from plimsoll.cluster import dask_farewell
from plimsoll.cluster.dask_departures import Departures

ONE, OTHER = "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"


def _removed(expected: bool = False, stimulus_id: str = "handle-worker-cleanup-1.5") -> dict[str, object]:
    return {"action": "remove-worker", "expected": expected, "stimulus_id": stimulus_id}


def _told(*closings: tuple[str, str], **removed: object) -> list[tuple[str, bool]]:
    """What is told of workers that give reasons why they close before one is removed."""
    found: list[tuple[str, bool]] = []
    departures = Departures(lambda address, by_owner: found.append((address, by_owner)))
    for address, reason in closings:
        departures.heed(address)((1.0, {"action": "closing-worker", "reason": reason}))
    departures.heed(ONE)((1.0, {"action": "add-worker"}))
    departures.heed(ONE)((1.0, "a word of somebody else"))
    departures.heed(ONE)((2.0, {**_removed(), **removed}))
    return found


@pytest.mark.parametrize("reason", ["signal-15", "worker-lifetime-reached", "scheduler-close-worker"])
def test_one_that_says_that_its_owner_ends_it_did_not_die(reason: str) -> None:
    assert _told((ONE, reason)) == [(ONE, True)]


@pytest.mark.parametrize(
    "removed",
    [{"expected": True}, {"stimulus_id": "client-restart-workers-1.5"}],
    ids=["retired", "restarted"],
)
def test_one_that_the_scheduler_was_told_to_remove_did_not_die(removed: dict[str, object]) -> None:
    assert _told(**removed) == [(ONE, True)]


def test_one_that_says_nothing_died() -> None:
    assert _told() == [(ONE, False)]


def test_one_that_says_so_while_it_goes_did_not_die() -> None:
    """Its word comes after the end of its connection is told."""
    found: list[tuple[str, bool]] = []
    departures = Departures(lambda address, by_owner: found.append((address, by_owner)))
    departures.heed(ONE)((1.0, _removed()))
    departures.heed(ONE)((1.1, {"action": "closing-worker", "reason": dask_farewell.REASON}))
    assert found == [(ONE, False), (ONE, True)]


def test_one_that_its_nanny_found_dead_died() -> None:
    """The nanny has it removed under the name of its own closing, which it does not do."""
    assert _told(stimulus_id="nanny-close-1.5") == [(ONE, False)]


def test_one_that_its_nanny_closes_did_not_die() -> None:
    assert _told((ONE, "nanny-close"), stimulus_id="nanny-close-1.5") == [(ONE, True)]


def test_one_that_closes_as_something_failed_within_it_died() -> None:
    assert _told((ONE, "worker-handle_compute_task-fail-hard")) == [(ONE, False)]


def test_what_another_one_says_is_not_of_this_one() -> None:
    assert _told((OTHER, "signal-15")) == [(ONE, False)]

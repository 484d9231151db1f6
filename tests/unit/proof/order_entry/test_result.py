"""From what sessions handed in to a proof: which doubts there are, and what is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from demand_snapshots import database, snapshot
from plimsoll.base.errors import WorldError
from plimsoll.databases import ServerCounts
from plimsoll.facts import Condition, Proof
from plimsoll.proof.crew import Track
from plimsoll.proof.order_entry import Options, Scale
from plimsoll.proof.order_entry.ledger import Gained
from plimsoll.proof.order_entry.result import Ran, proof_of
from plimsoll.proof.order_entry.worker import Acknowledged, Seat, ServerWorker
from plimsoll.proof.server import Fetched
from plimsoll.proof.sessions import Drove, Schedule
from plimsoll.proof.slices import Counted, Slice
from plimsoll.proof.window import agreement

START_US = 1_700_000_000_000_000
SCHEDULE = Schedule(warm_up_s=1, run_s=3)


class Server:
    """A connection that counted so many commits between any two readings."""

    database = database()

    def __init__(self, commits: float | None) -> None:
        self.commits = commits

    def counts(self, before: object, after: object) -> ServerCounts:
        return ServerCounts(commits=self.commits, block_reads=30, block_hits=60, log_bytes=6e6)


def second(number: int, payments: int = 1_000, orders: int = 10) -> tuple[int, Slice]:
    began = START_US + (number - 1) * 1_000_000 + 500
    counted = {
        "payment": Counted(payments, 0, 0, {100: payments}),
        "new_order": Counted(orders, 0, 2, {300: orders}),
        "commit": Counted(payments + orders, 0, 0, {50: payments + orders}),
    }
    return number, Slice(began, began + 999_400, counted, late_us=number)


def workers(sessions: int) -> list[ServerWorker]:
    return [ServerWorker(Seat.at(Scale(), Options(), number)) for number in range(sessions)]


def told(session_id: int) -> Acknowledged:
    return Acknowledged(session_id, transactions=40, order_lines=400, by_kind={"new_order": 40})


def ran(**changes: Any) -> Ran:
    """Two sessions of four seconds, the first of which is warm-up."""
    tracks = tuple(
        Track(f"order-entry {n}", slices=[second(number) for number in range(1, 5)]) for n in (1, 2)
    )
    drove: dict[str, Any] = {
        "tracks": tracks, "schedule": SCHEDULE, "start_us": START_US, "before": snapshot(0),
        "snapshots": (snapshot(0), snapshot(3)),
        "edge_clean": True, "interrupted": False, "failure": None,
    }  # fmt: skip
    whole: dict[str, Any] = {
        "workers": workers(2), "acknowledged": [told(number) for number in range(2)], "gained": Gained(80, 800, 0),
        "settings": {}, "notes": (), "has_pauses": False, "fetched": Fetched(),
        "conditions": (Condition(name="fine", help="It is.", holds=True, reason="no row breaks it"),),
    }  # fmt: skip
    for name, value in changes.items():
        (drove if name in drove else whole)[name] = value
    return Ran(drove=Drove(**drove), **whole)


COMMITS = 2 * 3 * 1_010 + 6 + 1
"""Operations, a call for each slice, and one reading of the counters."""


def proved(commits: float | None = COMMITS, **changes: Any) -> Proof:
    server: Any = Server(commits)
    return proof_of(ran(**changes), server)


def test_a_run_that_may_be_believed() -> None:
    proof = proved()
    assert (proof.holds, proof.doubts) == (True, ())
    assert proof.window is not None
    assert proof.window.duration_s == pytest.approx(3.0)
    assert proof.window.excluded_warm_up_s == 1.0
    assert proof.operations_per_s == pytest.approx(6_060 / 3.0)
    assert [(one.name, one.operations, one.failed) for one in proof.operations] == [
        ("new_order", 60, 12), ("payment", 6_000, 0), ("commit", 6_060, 0),
    ]  # fmt: skip
    assert proof.operations[1].latency_us.count == 6_000
    assert proof.operations[1].latency_us.p50 == pytest.approx(100, rel=0.01)
    assert [session.operations for session in proof.sessions] == [3_030, 3_030]
    assert all(session.whole for session in proof.sessions)
    assert (proof.physical_reads_per_s, proof.logical_reads_per_s, proof.redo_mb_per_s) == (10, 30, 2)
    assert proof.lateness_us_max is None


def test_seconds_of_the_window_add_up() -> None:
    proof = proved()
    payments = [one for one in proof.slices if one.operation == "payment"]
    assert [(one.start_s, one.operations) for one in payments] == [(0, 2_000), (1, 2_000), (2, 2_000)]


def test_lateness_is_told_where_sessions_think() -> None:
    assert proved(has_pauses=True).lateness_us_max == 4


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"commits": COMMITS * 1.03}, "commits: the sessions counted 6,067, the server 6,249"),
        ({"commits": COMMITS * 0.97}, "commits: the sessions counted 6,067, the server 5,885"),
        (
            {"gained": Gained(78, 800, 0)},
            "orders entered, with warm-up: the sessions counted 80, the server 78",
        ),
        (
            {"gained": Gained(80, 820, 0)},
            "order lines entered, with warm-up: the sessions counted 800, the server 820",
        ),
        ({"edge_clean": False}, "not of the same time"),
        ({"interrupted": True}, "the run was interrupted"),
        (
            {"failure": WorldError("database-lost", "could not go on", "")},
            "the run broke off: could not go on",
        ),
        (
            {"conditions": (Condition(name="sums", help="", holds=False, reason="1 breach: w_id=1"),)},
            "sums does not hold: 1 breach: w_id=1",
        ),
        (
            {"conditions": (Condition(name="sums", help="", holds=None, reason="the server is gone"),)},
            "1 conditions were not checked: the server is gone",
        ),
    ],
)
def test_doubts(changes: dict[str, Any], doubt: str) -> None:
    proof = proved(**changes)
    assert not proof.holds
    assert len(proof.doubts) == 1
    assert doubt in proof.doubts[0]


def test_a_difference_of_less_than_two_percent_is_no_doubt() -> None:
    assert proved(commits=COMMITS * 1.015).holds
    assert proved(gained=Gained(81, 800, 0)).holds


def test_few_commits_tell_nothing() -> None:
    few = (Track("order-entry 1", slices=[second(number, 20, 0) for number in range(1, 5)]),)
    none = [Acknowledged(0)]
    proof = proved(commits=80, tracks=few, workers=workers(1), acknowledged=none, gained=Gained(0, 0, 0))
    commits = proof.agreements[0]
    assert (commits.sessions_count, commits.server_count, commits.holds) == (64, 80, None)
    assert "with only 64" in commits.reason
    assert proof.holds


def test_counts_of_the_server_that_are_unknown_stay_unknown() -> None:
    proof = proved(snapshots=(snapshot(0),), gained=None)
    assert [one.holds for one in proof.agreements] == [None, None, None]
    assert {one.server_count for one in proof.agreements} == {None}
    assert (proof.physical_reads_per_s, proof.redo_mb_per_s) == (None, None)


def test_a_session_that_ended_early_fails_the_run() -> None:
    tracks = (
        Track("order-entry 1", slices=[second(number) for number in range(1, 5)]),
        Track("order-entry 2", slices=[second(number) for number in range(1, 3)]),
    )
    proof = proved(tracks=tracks, commits=None)
    assert [session.whole for session in proof.sessions] == [True, False]
    assert proof.doubts == (
        "1 of 2 sessions did not run through the window, order-entry 2: it stopped 2 s before the window's end",
    )


def test_a_run_that_never_came_to_its_window() -> None:
    broken = WorldError("database-lost", "could not go on", "")
    tracks = (Track("order-entry 1", slices=[second(1)], error=broken), Track("order-entry 2"))
    proof = proved(tracks=tracks, failure=broken, snapshots=(), gained=None)
    assert (proof.window, proof.operations_per_s, proof.operations, proof.slices) == (None, None, (), ())
    assert proof.sessions[0].reason == "it ended with: could not go on"
    assert "nothing was done in the window" in proof.doubts


def test_nothing_on_both_sides_agrees() -> None:
    found = agreement("orders entered, with warm-up", 0, 0, "rows")
    assert (found.holds, found.difference_share) == (True, 0.0)
    assert agreement("orders entered, with warm-up", 0, 1, "rows").holds is False


LOST = WorldError("host-lost", "b was lost")


def of_hosts(lost_after: int) -> tuple[Track, ...]:
    """A session on each of two hosts, of which one was lost after so many slices."""
    return (
        Track("a order-entry 1", slices=[second(number) for number in range(1, 5)], host="a", done=True),
        Track(
            "b order-entry 2", slices=[second(number) for number in range(1, lost_after + 1)], error=LOST, host="b",
            is_lost=True, done=True,
        ),
    )  # fmt: skip


def test_a_lost_host_is_named_once_and_in_no_rate() -> None:
    proof = proved(tracks=of_hosts(2))
    assert proof.hosts is not None
    assert [(one.host, one.lost_because) for one in proof.hosts.hosts] == [("a", None), ("b", "b was lost")]
    assert proof.doubts == ("b was lost",)
    assert proof.operations_per_s == pytest.approx(3_030 / 3.0)
    assert [one.operations for one in proof.operations] == [30, 3_000, 3_030]
    assert proof.hosts.complete_operations_per_s == pytest.approx(2_020)
    assert [session.operations for session in proof.sessions] == [3_030, 1_010], "what it had told is kept"


@pytest.mark.parametrize(
    ("commits", "gained", "holds"),
    [
        (4_040 + 4 + 1, Gained(80, 800, 0), True),
        (4_040 + 4 + 1 + 2 * 1_011, Gained(80 + 2 * 10, 800 + 2 * 150, 0), True),
        (4_040 + 4 + 1 + 2 * 1_011 + 100, Gained(80 + 2 * 10 + 3, 800 + 2 * 150 + 20, 0), False),
    ],
)
def test_the_server_may_have_counted_two_slices_of_a_lost_session_more(
    commits: int, gained: Gained, holds: bool
) -> None:
    proof = proved(tracks=of_hosts(2), commits=commits, gained=gained)
    assert [one.holds for one in proof.agreements] == [holds] * 3
    assert all("may be of hosts that were lost" in one.reason for one in proof.agreements)


def test_what_is_not_there_is_not_excused_by_a_lost_host() -> None:
    """Its sessions may have done more than they told, and never less."""
    proof = proved(tracks=of_hosts(2), commits=4_040 + 4 + 1, gained=Gained(80 - 10, 800 - 150, 0))
    assert [one.holds for one in proof.agreements] == [True, False, False]
    assert "orders entered, with warm-up: the sessions counted 80, the server 70" in proof.doubts
    assert proved(tracks=of_hosts(2), commits=4_045 * 0.9).agreements[0].holds is False


def test_that_all_hosts_were_lost_is_said_once() -> None:
    tracks = of_hosts(2)[1:]
    none = [Acknowledged(0)]
    proof = proved(
        tracks=tracks, workers=workers(1), acknowledged=none, failure=LOST, commits=None, gained=None
    )
    assert next(doubt for doubt in proof.doubts if doubt.endswith("b was lost")) == "b was lost"
    assert not any("broke off" in doubt for doubt in proof.doubts), "it is said by its name"

"""What a session does and what it knows to be committed: on scripted answers, and in the server's own SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.ports.clock import SystemClock
from plimsoll.proof.order_entry import KINDS, Options, Scale
from plimsoll.proof.order_entry.settings import terminal
from plimsoll.proof.order_entry.worker import (
    Acknowledged,
    ClientWorker,
    Seat,
    ServerWorker,
    worker_of,
    workers,
)
from plimsoll.proof.slices import bucket_of, slice_of, text_of

SCALE = Scale(warehouses=2, items=200, customers_per_district=30)
LOST = WorldError("database-lost", "could not go on", "Start it.")


class Scripted:
    """A session that gives one answer after the other to what is called, and fails where an answer is an error."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[str, Sequence[Any]]] = []
        self.server_process = 1

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self.calls.append((sql, parameters))
        if not sql.startswith("call"):
            return []
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return [(json.dumps(answer),)]

    def cancel(self) -> None:
        """Nothing is ever under way."""

    def close(self) -> None:
        """Nothing is open."""

    def copy_in(self, sql: str, chunks: Iterable[bytes]) -> int:
        """No worker sends bulk data."""
        raise AssertionError(sql)


def answer(lines: int, **ops: list[Any]) -> dict[str, Any]:
    return {"began": 1, "ended": 2, "late": 0, "done": False, "state": {"order_lines": lines}, "ops": ops}


def seat(session_id: int = 0) -> Seat:
    return Seat.at(SCALE, Options(), session_id)


def test_what_the_server_hands_in_is_acknowledged() -> None:
    worker = ServerWorker(seat(3))
    session = Scripted(
        answer(21, new_order=[2, 0, 1, [[300, 2]]], payment=[3, 0, 0, []], commit=[5, 0, 0, []]),
        answer(30, new_order=[1, 0, 0, []], commit=[1, 0, 0, []]),
        LOST,
    )
    first = worker.work(session, 10, 20, "{}")
    second = worker.work(session, 0, 30, first.state)
    with pytest.raises(WorldError):
        worker.work(session, 0, 40, second.state)
    assert session.calls[1][1][2] == first.state
    acknowledged = Acknowledged.of(3, [first, second])
    assert (acknowledged.session_id, acknowledged.transactions) == (3, 6)
    assert (acknowledged.orders, acknowledged.order_lines) == (3, 30)
    assert acknowledged.by_kind == {"new_order": 3, "payment": 3}
    assert (first.counted["new_order"].failed, worker.calls_committed(first)) == (1, 1)


def test_a_client_counts_each_acknowledgement() -> None:
    worker = ClientWorker(seat(), SystemClock())
    session = Scripted([0, 100, 7], [1, 200, 0], [0, 300, None], [3, 400_000_000, 0])
    piece = worker.work(session, 0, 350_000_000, "{}")
    assert {name: (one.operations, one.failed) for name, one in piece.counted.items()} == {
        "new_order": (1, 1), "payment": (1, 0), "delivery": (1, 0),
    }  # fmt: skip
    assert all(sum(one.latencies.values()) == one.operations for one in piece.counted.values())
    assert piece.began_us == 100
    assert (piece.ended_us or 0) >= 400_000_000
    acknowledged = Acknowledged.of(0, [piece])
    assert acknowledged.transactions == 3
    assert (acknowledged.orders, acknowledged.order_lines) == (1, 7)
    assert worker.calls_committed(piece) == 2
    assert "hand_in" in session.calls[-1][0]


def test_a_client_hands_in_what_came_before_an_error_and_then_raises_it() -> None:
    worker = ClientWorker(seat(), SystemClock())
    session = Scripted([1, 100, 0], [1, 200, 0], LOST)
    piece = worker.work(session, 0, 10**15, "{}")
    assert piece.counted["payment"].operations == 2
    with pytest.raises(WorldError, match="could not go on"):
        worker.work(session, 0, 2 * 10**15, "{}")
    assert Acknowledged.of(0, [piece]).transactions == 2
    assert session.answers == []


def test_lines_of_orders_add_up_over_the_slices_of_a_client() -> None:
    worker = ClientWorker(seat(), SystemClock())
    session = Scripted([0, 100, 7], [0, 400_000_000, 5], [0, 900_000_000, 11])
    pieces = [worker.work(session, 0, until_us, "{}") for until_us in (350_000_000, 800_000_000)]
    assert [json.loads(piece.state) for piece in pieces] == [{"order_lines": 12}, {"order_lines": 23}]
    assert Acknowledged.of(0, [slice_of(text_of(piece)) for piece in pieces]).order_lines == 23, (
        "told by another host too"
    )
    assert Acknowledged.of(0, []) == Acknowledged(0)


@pytest.mark.parametrize("client_commits", [False, True])
def test_another_host_drives_the_very_same_session(client_commits: bool) -> None:
    options = Options(sessions=3, client_commits=client_commits, seed=7)
    here = workers(SCALE, options, SystemClock())[2]
    there = worker_of(json.loads(json.dumps(here.told)), SystemClock())
    assert type(there) is type(here)
    assert (there.name, there.told) == (here.name, here.told)
    calls = []
    for worker in (here, there):
        session = Scripted(*([[1, 5_000, 0]] if client_commits else [answer(0), answer(4)]))
        worker.prepare(session)
        worker.work(session, 10, 20, "{}")
        calls.append(session.calls)
    assert calls[0] == calls[1]


def test_an_error_before_anything_was_done_is_raised_at_once() -> None:
    with pytest.raises(WorldError):
        ClientWorker(seat(), SystemClock()).work(Scripted(LOST), 0, 10**15, "{}")


def test_sessions_draw_different_numbers_and_the_same_ones_again() -> None:
    def seeds(seed: int) -> list[float]:
        drawn = []
        for worker in workers(SCALE, Options(sessions=200, seed=seed), SystemClock()):
            session = Scripted(answer(0))
            worker.prepare(session)
            drawn += [given[0] for sql, given in session.calls if "setseed" in sql]
        return drawn

    first = seeds(1)
    assert len(set(first)) == 200
    assert all(-1 <= seed <= 1 for seed in first)
    assert seeds(1) == first
    assert not set(seeds(2)) & set(first)


def test_the_server_counts_latencies_in_the_same_buckets(loaded: Connection, session: Session) -> None:
    edges = [256 << doubling for doubling in range(28)]
    values = sorted(
        {
            0,
            1,
            255,
            *(edge + step for edge in edges for step in (-1, 0, 1, edge // 128, edge // 3)),
            2**36 - 1,
        }
    )
    found = session.run(
        "select array_agg(plimsoll_orders.bucket(us) order by us) as buckets from unnest(%s::bigint[]) us",
        [values],
    )[0][0]
    assert found == [bucket_of(value) for value in values]
    assert max(found) < 3840


def test_keys_lie_within_their_ranges_and_some_are_asked_for_more_often(
    loaded: Connection, session: Session
) -> None:
    session.run("select setseed(0.25)")
    low, high, distinct, most = session.run(
        """
        select min(key) as low, max(key) as high, count(*) as keys, max(times) as most
        from (
            select key, count(*) as times
            from (select plimsoll_orders.nurand(1023, 1, 3000, 77) as key from generate_series(1, 60000)) drawn
            group by key
        ) keys
        """
    )[0]
    assert (low >= 1, high <= 3000) == (True, True)
    assert distinct > 2000
    assert most > 5 * 20, "evenly drawn keys would come up 20 times each, and none of 3,000 a hundred times"
    ends = session.run(
        "select min(n) as low, max(n) as high from (select plimsoll_orders.uniform(5, 15) as n from generate_series(1, 2000)) d"
    )
    assert ends == [(5, 15)]


def work(session: Session, options: Options, seconds: float, state: str = "{}") -> Any:
    now_us = session.run("select plimsoll_orders.now_us() as now")[0][0]
    return slice_of(
        session.run(
            "call plimsoll_orders.work(%s, %s, %s::jsonb, %s::jsonb, null)",
            [0, now_us + round(seconds * 1e6), state, terminal(SCALE, options, 0)],
        )[0][0]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_alone(ctx: Context, loaded: Connection, session: Session, kind: str) -> None:
    piece = work(session, Options(mix={kind: 1.0}), 0.3)
    assert set(piece.counted) == {kind, "commit"}
    assert piece.counted[kind].operations == piece.counted["commit"].operations > 0
    assert sum(piece.counted[kind].latencies.values()) == piece.counted[kind].operations
    assert (piece.began_us or 0) < (piece.ended_us or 0)


def test_a_mistaken_order_leaves_nothing(loaded: Connection, session: Session) -> None:
    """One in a hundred is rolled back. Without its effect the other orders' numbers have no gap."""
    piece, state = work(session, Options(mix={"new_order": 1.0}), 0.1), "{}"
    failed, entered = piece.counted["new_order"].failed, piece.counted["new_order"].operations
    while failed == 0:
        state = piece.state
        piece = work(session, Options(mix={"new_order": 1.0}), 0.3, state)
        failed += piece.counted["new_order"].failed
        entered += piece.counted["new_order"].operations
    gained = session.run("select count(*) - 600 as n, sum(o_ol_cnt) as lines from plimsoll_orders.orders")[0]
    numbered = session.run("select sum(d_next_o_id - 31) as n from plimsoll_orders.district")[0]
    assert gained[0] == numbered[0] == entered
    assert json.loads(piece.state)["order_lines"] > 0


def test_thinking_leaves_the_session_idle_and_goes_on_in_the_next_slice(
    loaded: Connection, session: Session
) -> None:
    """Keying in a new order takes 18 s at the specification's pace, so at a tenth nothing can happen in the first second."""
    options = Options(mix={"new_order": 1.0}, think_factor=0.1)
    piece = work(session, options, 0.3)
    assert (piece.counted, piece.began_us, piece.operations) == ({}, None, 0)
    due_us = json.loads(piece.state)["due_us"]
    hurried = json.dumps({**json.loads(piece.state), "due_us": due_us - 10**8})
    piece = work(session, options, 0.3, hurried)
    assert piece.operations + piece.counted["new_order"].failed == 1
    assert piece.late_us > 0
    assert json.loads(piece.state)["due_us"] >= (piece.ended_us or 0) + 1_800_000

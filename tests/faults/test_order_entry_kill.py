"""The server is killed outright while an order-entry run works: after recovery no acknowledged commit is missing, none is there in
part, and the data fulfils its conditions. With commits that do not wait for the log the same check says what was lost.

A kill leaves what the operating system had taken over; a power cut would not, and is not what is tried here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from databases_fixture import PARENT, context
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.facts import Condition, Event
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Options, Outcome, Scale
from server_kill import kill

SMALL = Scale(warehouses=2, items=200, customers_per_district=30)
SESSIONS = 4
UNSAFE = {
    "synchronous_commit": "off",
    # So that nobody but who needs room writes the log: its last megabyte is in the server's own memory when it is killed.
    "wal_writer_delay": "10s",
    "wal_writer_flush_after": "1GB",
    "wal_buffers": "1MB",
}


def run_and_kill(
    tmp_path: Path, options: Options, settings: dict[str, str]
) -> tuple[Outcome, tuple[Condition, ...], list[tuple[int, int]], str]:
    """A run whose server is killed in its second measured second, and what the recovered data says: conditions, the ledger
    (transactions and orders by session) and the log of the restart."""
    killed: list[int] = []

    def on_event(event: Event) -> None:
        if event.kind == "progress" and event.message.startswith("measuring") and not killed:
            killed.append(kill(server))

    with context(tmp_path) as (made, _), embedded.running(made, PARENT, settings) as server:
        with embedded.connected(made, server) as connection:
            order_entry.load(made, connection, SMALL)
            ctx = Context(made.clock, on_event, made.cancel, made.scratch, made.executor, made.store)
            outcome = order_entry.prove(ctx, connection, options)
        assert killed[0] > SESSIONS, "the postmaster, its helpers and every session"
        again = embedded.start(made, server.cluster, {**embedded.SETTINGS, **settings})
        with embedded.connected(made, again) as connection:
            checked = order_entry.verify(made, connection, outcome.acknowledged)
            session = connection.session("look")
            kept = session.run("select transactions, orders from plimsoll_orders.ledger order by session_id")
            session.close()
        log = "".join(path.read_text() for path in sorted(server.cluster.home.glob("log-*"))[-1:])
    return outcome, checked, [(row[0], row[1]) for row in kept], log


def names_the_failure_and_keeps_the_rest(outcome: Outcome) -> None:
    proof = outcome.proof
    assert not proof.holds
    assert proof.doubts[0].startswith("the run broke off: could not ")
    assert (proof.operations_per_s or 0) > 0
    assert sum(one.operations for one in proof.sessions) > 0
    assert not any(one.whole for one in proof.sessions)
    assert {one.holds for one in proof.conditions} == {None}
    assert [one.holds for one in proof.agreements[1:]] == [None, None]


@pytest.mark.parametrize("client_commits", [True, False], ids=["client commits", "server commits"])
def test_no_acknowledged_commit_is_lost(tmp_path: Path, wheel: Path, client_commits: bool) -> None:
    options = Options(sessions=SESSIONS, run_s=30, warm_up_s=1, ledger=True, client_commits=client_commits)
    outcome, checked, kept, log = run_and_kill(tmp_path, options, {})
    names_the_failure_and_keeps_the_rest(outcome)
    assert "automatic recovery in progress" in log
    assert [(one.name, one.reason) for one in checked if one.holds is not True] == []
    assert len(checked) == 15
    told = outcome.acknowledged
    print(
        f"acknowledged {[one.transactions for one in told]}, kept {kept}: {checked[0].reason}; {checked[1].reason}"
    )
    assert sum(one.transactions for one in told) > 100
    for one, (transactions, orders) in zip(told, kept, strict=True):
        assert one.transactions <= transactions
        assert one.orders <= orders
        if client_commits:
            # One more may have been committed without the client having heard of it.
            assert transactions <= one.transactions + 1


def test_commits_that_did_not_wait_are_missed(tmp_path: Path, wheel: Path) -> None:
    """The check bites: what is lost is found and the session named, though all that is there is whole."""
    options = Options(sessions=SESSIONS, run_s=30, warm_up_s=1, ledger=True, client_commits=True)
    outcome, checked, kept, _ = run_and_kill(tmp_path, options, UNSAFE)
    names_the_failure_and_keeps_the_rest(outcome)
    assert "commit-not-durable" in [note.code for note in outcome.proof.notes]
    broken = [one for one in checked if one.holds is not True]
    print(f"acknowledged {[one.transactions for one in outcome.acknowledged]}, kept {kept}: {broken}")
    assert [one.name for one in broken] == ["no-acknowledged-commit-lost"]
    assert re.match(
        r"[\d,]+ acknowledged commits are missing: session [1-4]: \d+ transactions .* were acknowledged, \d+ with \d+ are there",
        broken[0].reason,
    )
    lost = [one.transactions - there for one, (there, _) in zip(outcome.acknowledged, kept, strict=True)]
    assert max(lost) > 0

"""Whole runs against real servers, small and short: figures fit together, counts agree, the data stays sound."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import sqrt

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, embedded, open_database
from plimsoll.facts import Event, Proof
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import MIX, Acknowledged, Options, Outcome, Scale
from proof_doubts import our_doubts

SMALL = Scale(warehouses=2, items=200, customers_per_district=30)


def prove(ctx: Context, connection: Connection, options: Options) -> Outcome:
    return order_entry.prove(ctx, connection, options)


def listening(ctx: Context, listen: Callable[[Event], None]) -> Context:
    return Context(ctx.clock, listen, ctx.cancel, ctx.scratch, ctx.executor, ctx.store)


def fits_together(proof: Proof) -> None:
    """What must be so whatever the machine can do."""
    assert our_doubts(proof) == []
    window = proof.window
    assert window is not None
    # A session that found no CPU for a while is not whole, and a doubt says so, which is the machine's.
    assert all(one.operations > 0 for one in proof.sessions)
    assert all(one.whole for one in proof.sessions) or proof.doubts
    kinds = [one for one in proof.operations if one.name != "commit"]
    total = sum(one.operations for one in kinds)
    assert total == sum(one.operations for one in proof.sessions)
    # No session's own time is longer than the window, or shorter than from its first operation in it to its last. The first may
    # have begun before the window.
    spans = [
        (one.operations, one.end - max(one.start, window.start))
        for one in proof.sessions
        if one.start and one.end
    ]
    most = sum(count / span.total_seconds() for count, span in spans)
    assert total / window.duration_s * 0.999999 <= (proof.operations_per_s or 0) <= most * 1.000001
    for one in proof.operations:
        assert one.latency_us.count == one.operations
        assert one.operations == sum(s.operations for s in proof.slices if s.operation == one.name)
    assert [one.holds for one in proof.conditions] == [True] * len(proof.conditions)
    assert {one.what: one.holds for one in proof.agreements[1:]} == {
        "orders entered, with warm-up": True, "order lines entered, with warm-up": True,
    }  # fmt: skip
    assert (proof.logical_reads_per_s or 0) > 0


def has_the_mix(proof: Proof) -> None:
    """Each share within six standard deviations; so are the orders that are wanted to fail."""
    failed = {one.name: one.failed for one in proof.operations if one.failed is not None}
    assert len(failed) == len(proof.operations), "what failed is counted of each"
    asked = {one.name: one.operations + failed[one.name] for one in proof.operations if one.name != "commit"}
    total = sum(asked.values())
    for kind, share in MIX.items():
        assert abs(asked.get(kind, 0) - share * total) <= 6 * sqrt(total * share * (1 - share)) + 1
    orders = asked["new_order"]
    assert abs(failed["new_order"] - orders / 100) <= 6 * sqrt(orders * 0.01 * 0.99) + 1
    assert sum(failed.values()) == failed["new_order"]


def test_a_run_on_each_version(ctx: Context, server: embedded.Server) -> None:
    with embedded.connected(ctx, server) as connection:
        run_s = 3 if connection.database.version_number >= 180000 else 1
        order_entry.load(ctx, connection, SMALL)
        outcome = prove(ctx, connection, Options(sessions=3, run_s=run_s, warm_up_s=1))
        order_entry.drop(connection)
    proof = outcome.proof
    fits_together(proof)
    has_the_mix(proof)
    assert len(proof.conditions) == 13
    assert proof.agreements[0].holds is not False
    by_name = {one.name: one for one in proof.operations}
    assert by_name["commit"].operations == sum(one.operations for one in proof.sessions)
    took_us = {name: one.operations * (one.latency_us.mean or 0.0) for name, one in by_name.items()}
    assert 0 < took_us["commit"] < sum(took_us.values()) - took_us["commit"], (
        "each is a part of one of the others"
    )
    assert proof.start is not None
    assert (proof.start.checkpoint, proof.start.log_switch) == (True, True)
    assert proof.server_log is not None
    assert proof.server_log.graves == 0
    assert proof.server_settings is not None
    assert proof.server_settings["shared_buffers"] == "16MB"
    codes = [note.code for note in proof.notes if note.code != "server-log"]
    assert codes == ["order-entry-own", "order-entry-scale"]
    assert "not comparable with published" in proof.notes[0].message
    assert proof.settings["warehouses"] == "2"
    assert proof.settings["items"] == "200"


def test_commits_by_the_client_with_a_ledger(ctx: Context, loaded: Connection) -> None:
    options = Options(sessions=2, run_s=1, warm_up_s=1, ledger=True, client_commits=True)
    outcome = prove(ctx, loaded, options)
    fits_together(outcome.proof)
    assert "commit" not in {one.name for one in outcome.proof.operations}
    names = [one.name for one in outcome.proof.conditions[13:]]
    assert names == ["no-acknowledged-commit-lost", "no-transaction-in-part"]
    told = sum(one.transactions for one in outcome.acknowledged)
    assert (
        outcome.proof.conditions[13].reason
        == f"{told:,} commits were acknowledged, {told:,} are in the ledger"
    )


def test_a_lost_commit_is_found_and_its_session_named(
    ctx: Context, loaded: Connection, session: Session
) -> None:
    outcome = prove(ctx, loaded, Options(sessions=2, run_s=1, warm_up_s=1, ledger=True))
    fits_together(outcome.proof)
    lost = outcome.acknowledged[1]
    more = Acknowledged(lost.session_id, lost.transactions, lost.order_lines, dict(lost.by_kind))
    more.add("payment", 1)
    checked = {one.name: one for one in order_entry.verify(ctx, loaded, (outcome.acknowledged[0], more))}
    assert [name for name, one in checked.items() if not one.holds] == ["no-acknowledged-commit-lost"]
    assert checked["no-acknowledged-commit-lost"].reason.startswith(
        f"1 acknowledged commit is missing: session 2: {more.transactions} transactions"
    )
    checked = {one.name: one for one in order_entry.verify(ctx, loaded, (Acknowledged(0), Acknowledged(1)))}
    assert checked["no-acknowledged-commit-lost"].holds is None, "nothing was acknowledged: that is no yes"
    session.run("update plimsoll_orders.ledger set payments = payments + 1 where session_id = 0")
    checked = {one.name: one for one in order_entry.verify(ctx, loaded, outcome.acknowledged)}
    assert [name for name, one in checked.items() if not one.holds] == ["no-transaction-in-part"]


def test_a_second_run_says_that_the_data_was_used_and_that_commits_did_not_wait(
    ctx: Context, loaded: Connection, session: Session
) -> None:
    options = Options(sessions=2, run_s=1, warm_up_s=1, mix={"new_order": 0.5, "delivery": 0.5})
    first = prove(ctx, loaded, options).proof
    session.run("alter database postgres set synchronous_commit = off")
    try:
        second = prove(ctx, loaded, options).proof
    finally:
        session.run("alter database postgres reset synchronous_commit")
    fits_together(first)
    fits_together(second)
    entered = first.agreements[1].server_count or 0
    notes = {note.code: note.message for note in second.notes}
    assert f"earlier runs had entered {entered:,.0f} orders" in notes["order-entry-used"]
    assert set(notes) - {note.code for note in first.notes} == {"order-entry-used", "commit-not-durable"}
    assert "order-entry-mix" in notes
    assert second.settings["synchronous_commit"] == "off"


def test_more_sessions_than_districts_come_to_no_deadlock(ctx: Context, loaded: Connection) -> None:
    """On two warehouses of thirty customers nearly everybody waits for somebody; locks in one order end all waits."""
    mix = {"new_order": 0.3, "payment": 0.3, "delivery": 0.3, "order_status": 0.05, "stock_level": 0.05}
    fits_together(prove(ctx, loaded, Options(sessions=24, run_s=2, warm_up_s=1, mix=mix)).proof)


def test_thinking_sessions(ctx: Context, loaded: Connection) -> None:
    """At a hundredth of the specification's pace one round of thinking and keying takes a quarter of a second, so eight
    sessions ask for some thirty transactions a second, whatever the machine could do."""
    proof = prove(ctx, loaded, Options(sessions=8, run_s=2, warm_up_s=1, think_factor=0.01)).proof
    assert our_doubts(proof) == []
    assert 5 < (proof.operations_per_s or 0) < 200
    assert proof.lateness_us_max is not None
    assert proof.settings["think_factor"] == "0.01"


def test_ctrl_c_keeps_what_was_counted(ctx: Context, loaded: Connection) -> None:
    def stop(event: Event) -> None:
        if event.kind == "progress" and event.message.startswith("measuring"):
            ctx.cancel.set()

    proof = prove(listening(ctx, stop), loaded, Options(sessions=2, run_s=60, warm_up_s=1)).proof
    assert not proof.holds
    assert "the run was interrupted" in proof.doubts
    assert (proof.operations_per_s or 0) > 0
    assert {one.holds for one in proof.conditions} == {None}


def test_a_row_that_is_missing_breaks_the_run_and_is_named(
    ctx: Context, loaded: Connection, session: Session
) -> None:
    session.run("delete from plimsoll_orders.customer where c_w_id = 1")
    proof = prove(ctx, loaded, Options(sessions=2, run_s=30, warm_up_s=1)).proof
    assert not proof.holds
    assert proof.doubts[0].startswith("the run broke off: could not go on at embedded: ")
    broken = [one for one in proof.conditions if not one.holds]
    assert broken[-1].name == "rows-that-stay"
    assert broken[-1].reason == "1 breach: customer: 300 rows are there, 600 were loaded"


def test_a_row_deleted_by_hand_makes_the_proof_fail(
    ctx: Context, loaded: Connection, session: Session
) -> None:
    session.run(
        "delete from plimsoll_orders.order_line where (ol_w_id, ol_d_id, ol_o_id, ol_number) = (2, 3, 5, 1)"
    )
    proof = prove(ctx, loaded, Options(sessions=1, run_s=1, warm_up_s=1, mix={"order_status": 1.0})).proof
    assert not proof.holds
    of_data = [
        doubt for doubt in proof.doubts if " does not hold: " in doubt
    ]  # how busy a session was is the machine's
    assert [doubt.partition(" ")[0] for doubt in of_data] == [
        "order-lines-of-a-district", "order-lines-of-an-order",
    ]  # fmt: skip
    assert "w_id=2 d_id=3 o_id=5" in of_data[1]


def test_rights_that_are_missing_are_named(
    ctx: Context, empty: Connection, session: Session, server_18: embedded.Server
) -> None:
    session.run("create role clerk login password 'of the store'")
    try:
        url = re.sub("//[^@]*@", "//clerk:of%20the%20store@", server_18.url)
        with open_database(ctx, url) as connection, pytest.raises(WorldError) as caught:
            order_entry.load(ctx, connection, SMALL)
        assert caught.value.id == "database-rights"
    finally:
        session.run("drop role clerk")

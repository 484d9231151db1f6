"""Whose the schema is: what is a stranger's stays untouched, what a broken load left is named."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.facts import Event
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Options, Scale, schema

SMALL = Scale(warehouses=1, items=100, customers_per_district=10)


def test_a_marker_is_read_as_it_was_written() -> None:
    assert schema.read_marker(schema.marker("loaded", SMALL)) == schema.Found("loaded", SMALL)
    assert schema.read_marker(schema.marker("loading", SMALL)) == schema.Found("loading", SMALL)


@pytest.mark.parametrize(
    "comment",
    [None, "", "my shop", "plimsoll order-entry", "plimsoll order-entry {}", "plimsoll order-entry 7"],
)
def test_any_other_comment_is_a_strangers(comment: str | None) -> None:
    assert schema.read_marker(comment) == schema.Found("foreign")


def test_another_layout_is_outdated() -> None:
    said = json.loads(schema.marker("loaded", SMALL).removeprefix("plimsoll order-entry "))
    comment = "plimsoll order-entry " + json.dumps({**said, "layout": schema.LAYOUT + 1})
    assert schema.read_marker(comment) == schema.Found("outdated")


def run(ctx: Context, connection: Connection) -> None:
    order_entry.prove(ctx, connection, Options(sessions=1, run_s=1, warm_up_s=1))


def load(ctx: Context, connection: Connection) -> None:
    order_entry.load(ctx, connection, SMALL)


def drop(ctx: Context, connection: Connection) -> None:
    order_entry.drop(connection)


def verify(ctx: Context, connection: Connection) -> None:
    order_entry.verify(ctx, connection, ())


def refused(ctx: Context, connection: Connection, does: Callable[[Context, Connection], None]) -> WorldError:
    with pytest.raises(WorldError) as caught:
        does(ctx, connection)
    error = caught.value
    assert "plimsoll_orders" in error.message
    assert "\n" not in error.message
    assert (error.hint or "").endswith(".")
    return error


@pytest.mark.parametrize("does", [load, run, drop, verify])
def test_a_strangers_schema_is_left_alone(
    ctx: Context, empty: Connection, session: Session, does: Callable[[Context, Connection], None]
) -> None:
    session.run("create schema plimsoll_orders; create table plimsoll_orders.ledger as select 42 as answer")
    session.run("comment on schema plimsoll_orders is 'the shop''s own'")
    assert refused(ctx, empty, does).id == "proof-foreign"
    assert session.run("select answer from plimsoll_orders.ledger") == [(42,)]
    tables = session.run(
        "select count(*) from pg_class where relnamespace = 'plimsoll_orders'::regnamespace and relkind = 'r'"
    )
    assert tables == [(1,)]


@pytest.mark.parametrize("does", [run, verify])
def test_data_that_was_never_loaded(
    ctx: Context, empty: Connection, does: Callable[[Context, Connection], None]
) -> None:
    assert refused(ctx, empty, does).id == "proof-missing"


def test_a_load_that_broke_off_is_named_and_can_be_dropped(
    ctx: Context, empty: Connection, session: Session
) -> None:
    def stop(event: Event) -> None:
        if event.kind == "progress" and event.message.startswith("stock"):
            ctx.cancel.set()

    listening = Context(ctx.clock, stop, ctx.cancel, ctx.scratch, ctx.executor, ctx.store)
    with pytest.raises(Interrupted):
        load(listening, empty)
    assert order_entry.look(session) == schema.Found("loading", SMALL)
    for does in (load, run, verify):
        error = refused(ctx, empty, does)
        assert error.id == "proof-load-interrupted"
        assert "the load of 1 warehouses broke off" in error.message
    assert order_entry.drop(empty)
    assert order_entry.look(session) == schema.Found("absent")
    assert not order_entry.drop(empty)


def test_two_commands_do_not_work_in_it_at_once(ctx: Context, loaded: Connection) -> None:
    with schema.owned(loaded, "load"):
        for does in (load, run, drop, verify):
            assert refused(ctx, loaded, does).id == "proof-busy"
    verify(ctx, loaded)


def test_what_is_loaded_is_not_loaded_again(ctx: Context, loaded: Connection, session: Session) -> None:
    before = session.run("select obj_description('plimsoll_orders'::regnamespace, 'pg_namespace')")
    assert refused(ctx, loaded, load).id == "proof-exists"
    assert session.run("select obj_description('plimsoll_orders'::regnamespace, 'pg_namespace')") == before


def test_another_versions_data_is_not_used(ctx: Context, loaded: Connection, session: Session) -> None:
    session.run(
        """comment on schema plimsoll_orders is 'plimsoll order-entry {"state": "loaded", "layout": 0}'"""
    )
    for does in (load, run, verify):
        assert refused(ctx, loaded, does).id == "proof-outdated"
    assert order_entry.drop(loaded)

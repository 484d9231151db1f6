"""The load: how many rows of what, the same each time, and how far it is."""

from __future__ import annotations

import pytest

from databases_fixture import context
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Scale, conditions, queries

SMALL = Scale(warehouses=2, items=200, customers_per_district=30)
TABLES = (
    "warehouse", "district", "customer", "history", "new_order", "orders", "order_line", "item", "stock",
)  # fmt: skip


def number(session: Session, sql: str) -> int:
    return session.run(f"select ({sql})::bigint as n")[0][0]


def contents(session: Session) -> dict[str, str]:
    """A digest of each table that does not depend on the order of rows."""
    return {
        table: session.run(
            f"select md5(string_agg(md5(t::text), '' order by md5(t::text))) as digest from plimsoll_orders.{table} t"
        )[0][0]
        for table in TABLES
    }


def test_cardinalities(loaded: Connection, session: Session) -> None:
    """Clause 4.3.3.1 of the specification, at this scale."""
    rows = {table: number(session, f"select count(*) from plimsoll_orders.{table}") for table in TABLES}
    lines = rows.pop("order_line")
    assert rows == {
        "warehouse": 2, "district": 20, "customer": 600, "history": 600, "new_order": 180, "orders": 600,
        "item": 200, "stock": 400,
    }  # fmt: skip
    assert 5 * 600 < lines < 15 * 600
    assert lines == number(session, "select sum(o_ol_cnt) from plimsoll_orders.orders")
    assert number(session, "select min(o_ol_cnt) from plimsoll_orders.orders") == 5
    assert number(session, "select max(o_ol_cnt) from plimsoll_orders.orders") == 15


def test_each_customer_has_one_order_and_the_last_three_in_ten_are_open(
    loaded: Connection, session: Session
) -> None:
    once = (
        "select count(*) from (select distinct o_w_id, o_d_id, o_c_id from plimsoll_orders.orders) customers"
    )
    assert number(session, once) == 600
    assert number(session, "select count(*) from plimsoll_orders.orders where o_c_id <> o_id") > 300
    assert number(session, "select min(no_o_id) from plimsoll_orders.new_order") == 22
    assert number(session, "select count(*) from plimsoll_orders.orders where o_carrier_id is null") == 180


def test_specified_values(ctx: Context, empty: Connection, session: Session) -> None:
    """Shares that are drawn lie within six standard deviations of what they should be."""
    order_entry.load(ctx, empty, Scale(warehouses=1, items=2_000, customers_per_district=1_100))
    bad = number(session, "select count(*) from plimsoll_orders.customer where c_credit = 'BC'")
    assert abs(bad - 1_100) < 6 * (11_000 * 0.1 * 0.9) ** 0.5
    original = number(session, "select count(*) from plimsoll_orders.item where i_data like '%ORIGINAL%'")
    assert abs(original - 200) < 6 * (2_000 * 0.1 * 0.9) ** 0.5
    assert number(session, "select count(distinct c_last) from plimsoll_orders.customer") == 1_000
    assert session.run("select c_last from plimsoll_orders.customer where c_id = 372 and c_d_id = 1") == [
        ("PRICALLYOUGHT",)
    ]
    assert number(session, "select count(*) from plimsoll_orders.customer where c_balance <> -10") == 0
    assert number(session, "select min(length(c_data)) from plimsoll_orders.customer") == 300
    assert number(session, "select max(length(c_data)) from plimsoll_orders.customer") == 500
    lengths = "select min(length(i_data)) * 1000 + max(length(i_data)) from plimsoll_orders.item"
    assert number(session, lengths) == 26_050
    assert number(session, "select min(i_price * 100) from plimsoll_orders.item") >= 100
    assert number(session, "select max(i_price * 100) from plimsoll_orders.item") <= 10_000


def test_the_same_seed_gives_the_same_data_however_it_is_loaded(
    ctx: Context, empty: Connection, session: Session
) -> None:
    order_entry.load(ctx, empty, SMALL, loaders=1)
    first = contents(session)
    order_entry.drop(empty)
    order_entry.load(ctx, empty, SMALL, loaders=5)
    assert contents(session) == first
    order_entry.drop(empty)
    order_entry.load(ctx, empty, Scale(2, 200, 30, seed=2))
    other = contents(session)
    assert [table for table in TABLES if other[table] == first[table]] == ["new_order"]


def test_all_conditions_hold_after_the_load(ctx: Context, loaded: Connection, session: Session) -> None:
    found = conditions.check(ctx, session)
    assert len(found) == 13
    assert [one for one in found if one.holds is not True] == []


def test_progress_says_how_long_the_rest_takes(
    tmp_path_factory: pytest.TempPathFactory, empty: Connection
) -> None:
    with context(tmp_path_factory.mktemp("journal")) as (ctx, events):
        order_entry.load(ctx, empty, SMALL)
    told = [event for event in events if event.kind == "progress"]
    shares = [event.share for event in told if event.share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert told[-1].finished
    assert all(event.left_s is not None and event.left_s >= 0 for event in told if (event.share or 0) > 0.02)


def test_a_step_that_fails_ends_the_load_with_the_servers_reason(
    ctx: Context, empty: Connection, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = queries.text("tables").replace("i_price numeric(5, 2)", "i_price numeric(3, 2)")
    real = queries.text
    monkeypatch.setattr(queries, "text", lambda name: narrow if name == "tables" else real(name))
    with pytest.raises(WorldError) as caught:
        order_entry.load(ctx, empty, SMALL)
    assert caught.value.id == "database-refused"
    assert "numeric field overflow" in caught.value.message
    assert order_entry.look(session).state == "loading"

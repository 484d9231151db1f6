"""Each condition finds what it is for: damage of one kind, done by hand, breaks the conditions it must and names the key."""

from __future__ import annotations

import pytest

from plimsoll.context import Context
from plimsoll.databases import Session
from plimsoll.proof.order_entry import conditions, queries

OPEN = "w_id=2 d_id=3 o_id=30"
ORDER = "o_w_id = 2 and o_d_id = 3 and o_id = 30"
LINE = "ol_w_id = 2 and ol_d_id = 3 and ol_o_id = 30"
WAITING = "no_w_id = 2 and no_d_id = 3"
CUSTOMER = "c_w_id = 2 and c_d_id = 3 and c_id = 7"

DAMAGES: dict[str, tuple[str, dict[str, str]]] = {
    "the takings of a warehouse": (
        "update plimsoll_orders.warehouse set w_ytd = w_ytd + 1 where w_id = 2",
        {"warehouse-takings": "w_id=2", "payments-of-a-warehouse": "w_id=2"},
    ),
    "the takings of a district": (
        "update plimsoll_orders.district set d_ytd = d_ytd - 0.01 where d_w_id = 2 and d_id = 3",
        {"warehouse-takings": "w_id=2", "payments-of-a-district": "w_id=2 d_id=3"},
    ),
    "the next order's number": (
        "update plimsoll_orders.district set d_next_o_id = 33 where d_w_id = 2 and d_id = 3",
        {"next-order-number": "w_id=2 d_id=3: the next order is 33, the highest 30"},
    ),
    "an open order in between": (
        f"delete from plimsoll_orders.new_order where {WAITING} and no_o_id = 25",
        {
            "open-orders-without-gaps": "w_id=2 d_id=3: 8 open orders from 22 to 30",
            "carrier-of-delivered-orders": "w_id=2 d_id=3 o_id=25: it has no carrier, and is not among",
            "orders-that-are-not-open": "w_id=2 d_id=3: 30 orders less 8 open ones, where 21 were delivered",
        },
    ),
    "the last open order": (
        f"delete from plimsoll_orders.new_order where {WAITING} and no_o_id = 30",
        {
            "next-order-number": "the highest open one 29",
            "carrier-of-delivered-orders": OPEN,
            "orders-that-are-not-open": "w_id=2 d_id=3",
        },
    ),
    "an order": (
        f"delete from plimsoll_orders.orders where {ORDER}",
        {
            "next-order-number": "w_id=2 d_id=3: the next order is 31, the highest 29",
            "order-lines-of-a-district": "w_id=2 d_id=3",
            "carrier-of-delivered-orders": f"{OPEN}: it is open, and there is no such order",
            "order-lines-of-an-order": f"{OPEN}: the order has no row and no lines",
            "orders-that-are-not-open": "w_id=2 d_id=3: 29 orders",
        },
    ),
    "an order line": (
        f"delete from plimsoll_orders.order_line where {LINE} and ol_number = 4",
        {"order-lines-of-a-district": "w_id=2 d_id=3", "order-lines-of-an-order": OPEN},
    ),
    "a carrier too early": (
        f"update plimsoll_orders.orders set o_carrier_id = 3 where {ORDER}",
        {
            "carrier-of-delivered-orders": f"{OPEN}: it has a carrier, and is among the open orders",
            "lines-delivered-with-their-order": f"{OPEN} number=1: delivered never, the carrier of its order is 3",
        },
    ),
    "a line delivered too early": (
        f"update plimsoll_orders.order_line set ol_delivery_d = now() where {LINE} and ol_number = 4",
        {
            "lines-delivered-with-their-order": f"{OPEN} number=4",
            "balance-of-a-customer": "w_id=2 d_id=3 c_id=",
            "balance-and-payments-of-a-customer": "w_id=2 d_id=3 c_id=",
        },
    ),
    "a payment": (
        "delete from plimsoll_orders.history where h_w_id = 2 and h_d_id = 3 and h_c_id = 7",
        {
            "payments-of-a-warehouse": "w_id=2",
            "payments-of-a-district": "w_id=2 d_id=3",
            "balance-of-a-customer": "w_id=2 d_id=3 c_id=7",
        },
    ),
    "a balance": (
        f"update plimsoll_orders.customer set c_balance = c_balance + 5 where {CUSTOMER}",
        {
            "balance-of-a-customer": "w_id=2 d_id=3 c_id=7: the balance is -5.00, deliveries ",
            "balance-and-payments-of-a-customer": "w_id=2 d_id=3 c_id=7",
        },
    ),
    "payments of a customer": (
        f"update plimsoll_orders.customer set c_ytd_payment = 11 where {CUSTOMER}",
        {"balance-and-payments-of-a-customer": "w_id=2 d_id=3 c_id=7: balance -10.00 and payments 11.00"},
    ),
    "deliveries of a customer": (
        f"update plimsoll_orders.customer set c_delivery_cnt = 1 where {CUSTOMER}",
        {"orders-that-are-not-open": "w_id=2 d_id=3: 30 orders less 9 open ones, where 22 were delivered"},
    ),
    "a customer": (
        f"delete from plimsoll_orders.customer where {CUSTOMER}",
        {"rows-that-stay": "customer: 599 rows are there, 600 were loaded"},
    ),
    "stock": (
        "delete from plimsoll_orders.stock where s_w_id = 2 and s_i_id = 9",
        {"rows-that-stay": "stock: 399 rows are there, 400 were loaded"},
    ),
    "all of a district": (
        "delete from plimsoll_orders.district where d_w_id = 2 and d_id = 3",
        {"warehouse-takings": "w_id=2", "rows-that-stay": "district: 19 rows are there, 20 were loaded"},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_breaks_what_it_must_and_nothing_else(ctx: Context, undone: Session, damage: str) -> None:
    statement, expected = DAMAGES[damage]
    undone.run(statement)
    broken = {one.name: one.reason for one in conditions.check(ctx, undone) if not one.holds}
    assert set(broken) == set(expected)
    for name, key in expected.items():
        assert key in broken[name], broken[name]


def test_every_condition_is_broken_by_some_damage() -> None:
    names = {one.name for one in conditions.unchecked("nobody looked")}
    assert names == {name for _, expected in DAMAGES.values() for name in expected}
    assert len(names) == 13


def test_breaches_are_counted_and_the_first_is_named(ctx: Context, undone: Session) -> None:
    undone.run("update plimsoll_orders.district set d_next_o_id = d_next_o_id + 1 where d_id >= 9")
    broken = [one for one in conditions.check(ctx, undone) if not one.holds]
    assert [one.name for one in broken] == ["next-order-number"]
    assert broken[0].reason.startswith("4 breaches, the first: w_id=1 d_id=9:")


def test_conditions_that_nobody_could_check_are_unknown() -> None:
    found = conditions.unchecked("the server is gone")
    assert {one.holds for one in found} == {None}
    assert {one.reason for one in found} == {"the server is gone"}
    for one in found:
        assert one.help.endswith(".")


def test_each_of_the_specifications_twelve_is_there_once() -> None:
    said = " ".join(queries.explained(sql) for sql in queries.texts("conditions").values())
    assert [said.count(f"(3.3.2.{number})") for number in range(1, 13)] == [1] * 12

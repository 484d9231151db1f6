"""What each transaction leaves behind, row by row, and how often it does what the specification asks for."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

from plimsoll.databases import Connection, Session
from plimsoll.proof.order_entry import Options, Scale
from plimsoll.proof.order_entry.settings import terminal

SCALE = Scale(warehouses=2, items=200, customers_per_district=30)
NEW_ORDER, PAYMENT, ORDER_STATUS, DELIVERY, STOCK_LEVEL = range(5)


def do(session: Session, kind: int, times: int = 1, number: int = 0, scale: Scale = SCALE) -> list[Any]:
    """So many transactions of a kind by the session of that number, and what each gave."""
    rows = session.run(
        """
        select plimsoll_orders.transact(jsonb_populate_record(null::plimsoll_orders.terminal, %s::jsonb), %s) as gave
        from generate_series(1, %s)
        """,
        [terminal(scale, Options(), number), kind, times],
    )
    return [row[0] for row in rows]


def one(session: Session, columns: str) -> tuple[Any, ...]:
    return session.run(f"select {columns}")[0]


def seeded(session: Session) -> None:
    session.run("select setseed(0.5)")


def is_share(found: float, total: float, share: float) -> bool:
    """Within six standard deviations."""
    return abs(found - total * share) <= 6 * sqrt(total * share * (1 - share)) + 1


def test_new_orders(undone: Session) -> None:
    seeded(undone)
    gave = do(undone, NEW_ORDER, 1_000)
    entered = [lines for lines in gave if lines is not None]
    assert set(entered) <= set(range(5, 16))
    assert is_share(gave.count(None), 1_000, 0.01)
    # Nobody rolled back here, so what the mistaken orders wrote until then is there too, without their last line.
    new = "ol_o_id > 30"
    lines, remote, wrong = one(
        undone,
        f"""
        count(*) as lines,
        count(*) filter (where ol_supply_w_id <> ol_w_id) as remote,
        count(*) filter (where ol_amount <> ol_quantity * i_price or ol_delivery_d is not null
            or ol_quantity not between 1 and 10 or ol_w_id <> 1) as wrong
        from plimsoll_orders.order_line join plimsoll_orders.item on i_id = ol_i_id where {new}
        """,
    )
    assert lines >= sum(entered)
    assert is_share(remote, lines, 0.01)
    assert remote > 0
    assert wrong == 0
    assert one(
        undone, f"sum(ol_quantity) as q, count(*) as n from plimsoll_orders.order_line where {new}"
    ) == one(undone, "sum(s_ytd)::bigint as q, sum(s_order_cnt) as n from plimsoll_orders.stock")
    assert one(undone, "sum(s_remote_cnt) as n from plimsoll_orders.stock") == (remote,)
    lowest, highest = one(
        undone, "min(s_quantity) as low, max(s_quantity) as high from plimsoll_orders.stock"
    )
    assert (lowest >= 10, highest <= 100) == (True, True)
    local = """
        count(*) as n from plimsoll_orders.orders
        where o_id > 30 and (o_all_local = 1) <> not exists (
            select from plimsoll_orders.order_line
            where ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id and ol_supply_w_id <> o_w_id
        )
    """
    assert one(undone, local) <= (gave.count(None),), (
        "only a mistaken order's missing line could have been remote"
    )


def test_where_stock_comes_from_is_written_on_the_line(undone: Session) -> None:
    seeded(undone)
    do(undone, NEW_ORDER, 100)
    columns = ", ".join(f"s_dist_{number:02d}" for number in range(1, 11))
    wrong = f"""
        count(*) as n from plimsoll_orders.order_line
        join plimsoll_orders.stock on s_w_id = ol_supply_w_id and s_i_id = ol_i_id
        where ol_o_id > 30 and ol_dist_info <> (array[{columns}])[ol_d_id]
    """
    assert one(undone, wrong) == (0,)


def test_payments(undone: Session) -> None:
    seeded(undone)
    do(undone, PAYMENT, 1_000, number=1)
    paid = "from plimsoll_orders.history where h_date > '2000-01-02'"
    count, remote, low, high = one(
        undone,
        f"count(*) as n, count(*) filter (where h_c_w_id <> h_w_id) as remote, min(h_amount) as low, max(h_amount) as high {paid}",
    )
    assert count == 1_000
    assert is_share(remote, 1_000, 0.15)
    assert low >= 1
    assert 4_000 < high <= 5_000
    assert one(undone, f"count(*) as n {paid} and h_w_id <> 2") == (0,)
    assert one(undone, "sum(c_payment_cnt - 1) as n from plimsoll_orders.customer") == (1_000,)
    logged = """
        count(*) filter (where c_credit = 'BC') as bad,
        count(*) filter (where c_credit = 'BC' and c_data like c_id || ' ' || c_d_id || ' ' || c_w_id || ' %') as logged,
        count(*) filter (where c_credit = 'GC' and c_data like '% %') as good,
        max(length(c_data)) as longest
        from plimsoll_orders.customer where c_payment_cnt > 1
    """
    bad, with_log, good, longest = one(undone, logged)
    assert bad == with_log > 0
    assert good == 0
    assert longest <= 500


def test_a_customer_is_found_in_the_middle_of_those_of_that_name(undone: Session) -> None:
    for taken, expected in ((1, "first-1"), (2, "first-1"), (3, "first-2"), (4, "first-2"), (5, "first-3")):
        undone.run(
            "update plimsoll_orders.customer set c_last = 'SAME', c_first = 'first-' || c_id "
            "where c_w_id = 1 and c_d_id = 1 and c_id <= %s",
            [taken],
        )
        found = one(undone, "plimsoll_orders.customer_named(1, 1, 'SAME') as id")[0]
        assert f"first-{found}" == expected


def test_deliveries(undone: Session) -> None:
    seeded(undone)
    do(undone, DELIVERY)
    gone = undone.run(
        "select count(*) as n, min(no_o_id) as oldest from plimsoll_orders.new_order group by no_w_id = 1 order by 1"
    )
    assert gone == [(80, 23), (90, 22)]
    delivered = """
        count(*) as n, count(distinct o_carrier_id) as carriers from plimsoll_orders.orders
        where o_w_id = 1 and o_id = 22 and o_carrier_id between 1 and 10
    """
    assert one(undone, delivered) == (10, 1)
    dated = "count(*) as n from plimsoll_orders.order_line where ol_delivery_d > '2000-01-02'"
    lines = "sum(o_ol_cnt) as n from plimsoll_orders.orders where o_w_id = 1 and o_id = 22"
    assert one(undone, dated) == one(undone, lines)
    owed = "sum(c_balance + 10) as owed, sum(c_delivery_cnt) as n from plimsoll_orders.customer"
    assert one(undone, owed) == one(
        undone,
        "sum(ol_amount) as owed, 10 as n from plimsoll_orders.order_line where ol_w_id = 1 and ol_o_id = 22",
    )


def test_a_warehouse_with_nothing_open_delivers_nothing(undone: Session) -> None:
    do(undone, DELIVERY, 9)
    assert one(undone, "count(*) as n from plimsoll_orders.new_order where no_w_id = 1") == (0,)
    before = one(undone, "sum(c_balance) as b from plimsoll_orders.customer")
    assert do(undone, DELIVERY) == [0]
    assert one(undone, "sum(c_balance) as b from plimsoll_orders.customer") == before


@pytest.mark.parametrize("kind", [ORDER_STATUS, STOCK_LEVEL])
def test_readers_change_nothing(undone: Session, kind: int) -> None:
    do(undone, kind, 50)
    assert one(undone, "pg_current_xact_id_if_assigned()::text as id") == (None,)


def test_short_stock_is_counted(undone: Session) -> None:
    """In the session's own district, over its last 20 orders."""
    undone.run("update plimsoll_orders.stock set s_quantity = 9 where s_w_id = 1 and s_i_id <= 50")
    undone.run("update plimsoll_orders.stock set s_quantity = 21 where s_w_id = 1 and s_i_id > 50")
    short = """
        count(distinct ol_i_id) as n from plimsoll_orders.order_line
        where ol_w_id = 1 and ol_d_id = 2 and ol_o_id between 11 and 30 and ol_i_id <= 50
    """
    me = terminal(SCALE, Options(), 2)
    found = undone.run(
        "select plimsoll_orders.stock_level(jsonb_populate_record(null::plimsoll_orders.terminal, %s::jsonb)) as n",
        [me],
    )[0]
    assert found == one(undone, short)
    assert found[0] > 0


def test_one_warehouse_has_no_elsewhere(kept: tuple[object, Connection], undone: Session) -> None:
    seeded(undone)
    alone = Scale(warehouses=1, items=200, customers_per_district=30)
    do(undone, PAYMENT, 300, scale=alone)
    do(undone, NEW_ORDER, 100, scale=alone)
    remote = "count(*) filter (where h_c_w_id <> h_w_id) as n from plimsoll_orders.history"
    assert one(undone, remote) == (0,)
    assert one(undone, "sum(s_remote_cnt) as n from plimsoll_orders.stock") == (0,)

"""The 22 queries of `plimsoll prove tpch`, answered without SQL: frames of polars and whole numbers of the smallest unit.

They are the second opinion that the known answers rest on, so they share nothing with the SQL files: no engine, no text, no
arithmetic. Money is counted in hundredths, a price less discount in ten-thousandths, all in 64-bit integers, and divided as
fractions at the very end; nothing is rounded on the way. What a query looks up row by row is joined here.

Source of the questions and their parameters: TPC Benchmark H specification, revision 3, clause 2.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
from polars import col

Rows = list[tuple[Any, ...]]

_TEXT, _WHOLE, _MONEY, _DAY = "text", "whole", "money", "day"
COLUMNS: dict[str, dict[str, str]] = {
    "region": {"r_regionkey": _WHOLE, "r_name": _TEXT, "r_comment": _TEXT},
    "nation": {"n_nationkey": _WHOLE, "n_name": _TEXT, "n_regionkey": _WHOLE, "n_comment": _TEXT},
    "supplier": {
        "s_suppkey": _WHOLE, "s_name": _TEXT, "s_address": _TEXT, "s_nationkey": _WHOLE, "s_phone": _TEXT,
        "s_acctbal": _MONEY, "s_comment": _TEXT,
    },
    "customer": {
        "c_custkey": _WHOLE, "c_name": _TEXT, "c_address": _TEXT, "c_nationkey": _WHOLE, "c_phone": _TEXT,
        "c_acctbal": _MONEY, "c_mktsegment": _TEXT, "c_comment": _TEXT,
    },
    "part": {
        "p_partkey": _WHOLE, "p_name": _TEXT, "p_mfgr": _TEXT, "p_brand": _TEXT, "p_type": _TEXT,
        "p_size": _WHOLE, "p_container": _TEXT, "p_retailprice": _MONEY, "p_comment": _TEXT,
    },
    "partsupp": {
        "ps_partkey": _WHOLE, "ps_suppkey": _WHOLE, "ps_availqty": _WHOLE, "ps_supplycost": _MONEY,
        "ps_comment": _TEXT,
    },
    "orders": {
        "o_orderkey": _WHOLE, "o_custkey": _WHOLE, "o_orderstatus": _TEXT, "o_totalprice": _MONEY,
        "o_orderdate": _DAY, "o_orderpriority": _TEXT, "o_clerk": _TEXT, "o_shippriority": _WHOLE,
        "o_comment": _TEXT,
    },
    "lineitem": {
        "l_orderkey": _WHOLE, "l_partkey": _WHOLE, "l_suppkey": _WHOLE, "l_linenumber": _WHOLE,
        "l_quantity": _WHOLE, "l_extendedprice": _MONEY, "l_discount": _MONEY, "l_tax": _MONEY,
        "l_returnflag": _TEXT, "l_linestatus": _TEXT, "l_shipdate": _DAY, "l_commitdate": _DAY,
        "l_receiptdate": _DAY, "l_shipinstruct": _TEXT, "l_shipmode": _TEXT, "l_comment": _TEXT,
    },
}  # fmt: skip
_READ_AS = {_TEXT: pl.String, _WHOLE: pl.Int64, _MONEY: pl.Float64, _DAY: pl.Date}

NET = col("l_extendedprice") * (100 - col("l_discount"))
"""A line's price less discount, in ten-thousandths."""


@dataclass(frozen=True)
class Tables:
    """The eight tables as frames that are read when needed."""

    folder: Path
    scale: Fraction

    def __getattr__(self, name: str) -> pl.LazyFrame:
        kinds = COLUMNS[name]
        frame = pl.scan_csv(
            self.folder / f"{name}.tbl",
            separator="|",
            has_header=False,
            quote_char=None,
            # Each line ends with a separator, which reads as one more column.
            schema={**{column: _READ_AS[kind] for column, kind in kinds.items()}, "_end": pl.String},
        ).drop("_end")
        money = [column for column, kind in kinds.items() if kind == _MONEY]
        # A number with two decimals below 2^53 hundredths is told exactly by the nearest double.
        return frame.with_columns((col(column) * 100).round().cast(pl.Int64) for column in money)


def rows_of(frame: pl.LazyFrame) -> Rows:
    """The frame's rows as tuples."""
    return frame.collect().rows()


def _q01(t: Tables) -> Rows:
    found = rows_of(
        t.lineitem.filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            col("l_quantity").sum(),
            col("l_extendedprice").sum().alias("base"),
            NET.sum().alias("net"),
            (NET * (100 + col("l_tax"))).sum().alias("charge"),
            col("l_discount").sum().alias("discount"),
            pl.len(),
        )
    )
    return [
        (flag, status, quantity, Fraction(base, 100), Fraction(net, 10**4), Fraction(charge, 10**6),
         Fraction(quantity, lines), Fraction(base, 100 * lines), Fraction(discount, 100 * lines), lines)
        for flag, status, quantity, base, net, charge, discount, lines in found
    ]  # fmt: skip


def _q02(t: Tables) -> Rows:
    offers = _suppliers_of_region(t, "EUROPE").join(t.partsupp, left_on="s_suppkey", right_on="ps_suppkey")
    wanted = t.part.filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    found = (
        offers.join(wanted, left_on="ps_partkey", right_on="p_partkey")
        .filter(col("ps_supplycost") == col("ps_supplycost").min().over("ps_partkey"))
        .sort(
            ["s_acctbal", "n_name", "s_name", "ps_partkey"],
            descending=[True, False, False, False],
        )
        .select("s_acctbal", "s_name", "n_name", "ps_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
    )
    return [(Fraction(row[0], 100), *row[1:]) for row in rows_of(found)[:100]]


def _q03(t: Tables) -> Rows:
    day = date(1995, 3, 15)
    found = (
        t.customer.filter(col("c_mktsegment") == "BUILDING")
        .join(t.orders.filter(col("o_orderdate") < day), left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem.filter(col("l_shipdate") > day), left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(NET.sum().alias("net"))
        .sort(["net", "o_orderdate"], descending=[True, False])
        .select("o_orderkey", "net", "o_orderdate", "o_shippriority")
    )
    best = _cut(rows_of(found), 10, lambda row: (row[1], row[2]))
    return [(key, Fraction(net, 10**4), day, priority) for key, net, day, priority in best]


def _q04(t: Tables) -> Rows:
    late = t.lineitem.filter(col("l_commitdate") < col("l_receiptdate")).select("l_orderkey").unique()
    return rows_of(
        t.orders.filter(_quarter("o_orderdate", 1993, 7))
        .join(late, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_orderpriority")
        .agg(pl.len())
    )


def _q05(t: Tables) -> Rows:
    buyers = t.customer.join(
        t.orders.filter(col("o_orderdate").dt.year() == 1994), left_on="c_custkey", right_on="o_custkey"
    )
    found = rows_of(
        buyers.join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .join(
            _suppliers_of_region(t, "ASIA"),
            left_on=["l_suppkey", "c_nationkey"],
            right_on=["s_suppkey", "s_nationkey"],
        )
        .group_by("n_name")
        .agg(NET.sum())
    )
    return [(name, Fraction(net, 10**4)) for name, net in found]


def _q06(t: Tables) -> Rows:
    [(value,)] = rows_of(
        t.lineitem.filter(
            col("l_shipdate").dt.year() == 1994, col("l_discount").is_between(5, 7), col("l_quantity") < 24
        ).select((col("l_extendedprice") * col("l_discount")).sum())
    )
    return [(Fraction(value, 10**4),)]


def _q07(t: Tables) -> Rows:
    pair = t.nation.filter(col("n_name").is_in(["FRANCE", "GERMANY"])).select("n_nationkey", "n_name")
    sellers = t.supplier.join(
        pair.rename({"n_name": "seller"}), left_on="s_nationkey", right_on="n_nationkey"
    )
    buyers = t.customer.join(pair.rename({"n_name": "buyer"}), left_on="c_nationkey", right_on="n_nationkey")
    found = rows_of(
        t.lineitem.filter(col("l_shipdate").dt.year().is_in([1995, 1996]))
        .join(sellers, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(buyers, left_on="o_custkey", right_on="c_custkey")
        .filter(col("seller") != col("buyer"))
        .group_by("seller", "buyer", col("l_shipdate").dt.year())
        .agg(NET.sum())
    )
    return [(*row[:3], Fraction(row[3], 10**4)) for row in found]


def _q08(t: Tables) -> Rows:
    america = (
        t.region.filter(col("r_name") == "AMERICA")
        .join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.customer, left_on="n_nationkey", right_on="c_nationkey")
        .select("c_custkey")
    )
    sold = (
        t.part.filter(col("p_type") == "ECONOMY ANODIZED STEEL")
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(
            t.orders.filter(col("o_orderdate").dt.year().is_in([1995, 1996])),
            left_on="l_orderkey", right_on="o_orderkey",
        )
        .join(america, left_on="o_custkey", right_on="c_custkey", how="semi")
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
    )  # fmt: skip
    found = rows_of(
        sold.group_by(col("o_orderdate").dt.year()).agg(
            NET.filter(col("n_name") == "BRAZIL").sum().alias("of_brazil"), NET.sum().alias("of_all")
        )
    )
    return [(year, Fraction(of_brazil, of_all)) for year, of_brazil, of_all in found]


def _q09(t: Tables) -> Rows:
    found = rows_of(
        t.part.filter(col("p_name").str.contains("green", literal=True))
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(
            t.partsupp, left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"]
        )
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .group_by("n_name", col("o_orderdate").dt.year())
        .agg((NET - 100 * col("ps_supplycost") * col("l_quantity")).sum())
    )  # fmt: skip
    return [(name, year, Fraction(profit, 10**4)) for name, year, profit in found]


def _q10(t: Tables) -> Rows:
    returned = (
        t.orders.filter(_quarter("o_orderdate", 1993, 10))
        .join(t.lineitem.filter(col("l_returnflag") == "R"), left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_custkey")
        .agg(NET.sum().alias("net"))
    )
    found = (
        returned.join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .sort("net", descending=True)
        .select(
            "o_custkey", "c_name", "net", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"
        )
    )  # fmt: skip
    best = _cut(rows_of(found), 20, lambda row: row[2])
    return [(*row[:2], Fraction(row[2], 10**4), Fraction(row[3], 100), *row[4:]) for row in best]


def _q11(t: Tables) -> Rows:
    german = t.supplier.join(
        t.nation.filter(col("n_name") == "GERMANY"), left_on="s_nationkey", right_on="n_nationkey"
    )
    stock = rows_of(
        t.partsupp.join(german, left_on="ps_suppkey", right_on="s_suppkey", how="semi")
        .group_by("ps_partkey")
        .agg((col("ps_supplycost") * col("ps_availqty")).sum())
    )
    least = sum(value for _, value in stock) * Fraction(1, 10**4) / t.scale
    return [(part, Fraction(value, 100)) for part, value in stock if value > least]


def _q12(t: Tables) -> Rows:
    urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    return rows_of(
        t.lineitem.filter(
            col("l_shipmode").is_in(["MAIL", "SHIP"]),
            col("l_receiptdate").dt.year() == 1994,
            col("l_shipdate") < col("l_commitdate"),
            col("l_commitdate") < col("l_receiptdate"),
        )
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .group_by("l_shipmode")
        .agg(urgent.sum().alias("high"), (~urgent).sum().alias("low"))
    )


def _q13(t: Tables) -> Rows:
    plain = t.orders.filter(~col("o_comment").str.contains("special.*requests"))
    counts = plain.group_by("o_custkey").agg(pl.len().alias("count"))
    return rows_of(
        t.customer.join(counts, left_on="c_custkey", right_on="o_custkey", how="left")
        .group_by(col("count").fill_null(0))
        .agg(pl.len())
    )


def _q14(t: Tables) -> Rows:
    september = t.lineitem.filter(
        col("l_shipdate").dt.year() == 1995, col("l_shipdate").dt.month() == 9
    ).join(t.part, left_on="l_partkey", right_on="p_partkey")
    promoted = col("p_type").str.starts_with("PROMO")
    [(some, all_)] = rows_of(
        september.select(NET.filter(promoted).sum().alias("some"), NET.sum().alias("all"))
    )
    return [(Fraction(100 * some, all_),)]


def _q15(t: Tables) -> Rows:
    earned = (
        t.lineitem.filter(_quarter("l_shipdate", 1996, 1)).group_by("l_suppkey").agg(NET.sum().alias("net"))
    )
    found = rows_of(
        earned.filter(col("net") == col("net").max())
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .select("l_suppkey", "s_name", "s_address", "s_phone", "net")
    )
    return [(*row[:4], Fraction(row[4], 10**4)) for row in found]


def _q16(t: Tables) -> Rows:
    blamed = t.supplier.filter(col("s_comment").str.contains("Customer.*Complaints"))
    parts = t.part.filter(
        col("p_brand") != "Brand#45",
        ~col("p_type").str.starts_with("MEDIUM POLISHED"),
        col("p_size").is_in([3, 9, 14, 19, 23, 36, 45, 49]),
    )
    return rows_of(
        t.partsupp.join(blamed, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .join(parts, left_on="ps_partkey", right_on="p_partkey")
        .group_by("p_brand", "p_type", "p_size")
        .agg(col("ps_suppkey").n_unique())
    )


def _q17(t: Tables) -> Rows:
    parts = t.part.filter(col("p_brand") == "Brand#23", col("p_container") == "MED BOX")
    lines = t.lineitem.join(parts, left_on="l_partkey", right_on="p_partkey", how="semi")
    # quantity < 0.2 · sum / count, without a division
    pieces, count = col("l_quantity").sum().over("l_partkey"), pl.len().over("l_partkey")
    [(price,)] = rows_of(
        lines.filter(5 * col("l_quantity") * count < pieces).select(col("l_extendedprice").sum())
    )
    return [(Fraction(price, 700) if price else None,)]


def _q18(t: Tables) -> Rows:
    large = (
        t.lineitem.group_by("l_orderkey")
        .agg(col("l_quantity").sum().alias("pieces"))
        .filter(col("pieces") > 300)
    )
    found = (
        large.join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .sort(["o_totalprice", "o_orderdate"], descending=[True, False])
        .select("c_name", "o_custkey", "l_orderkey", "o_orderdate", "o_totalprice", "pieces")
    )
    best = _cut(rows_of(found), 100, lambda row: (row[4], row[3]))
    return [(*row[:4], Fraction(row[4], 100), row[5]) for row in best]


def _q19(t: Tables) -> Rows:
    kinds = [
        ("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 5, 1),
        ("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10),
        ("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 15, 20),
    ]
    handed = t.lineitem.filter(
        col("l_shipmode").is_in(["AIR", "AIR REG"]), col("l_shipinstruct") == "DELIVER IN PERSON"
    )
    total = 0
    for brand, containers, size_max, quantity_min in kinds:
        parts = t.part.filter(
            col("p_brand") == brand,
            col("p_container").is_in(containers),
            col("p_size").is_between(1, size_max),
        )
        lines = handed.filter(col("l_quantity").is_between(quantity_min, quantity_min + 10))
        [(net,)] = rows_of(
            lines.join(parts, left_on="l_partkey", right_on="p_partkey", how="semi").select(NET.sum())
        )
        total += net
    return [(Fraction(total, 10**4) if total else None,)]


def _q20(t: Tables) -> Rows:
    forest = t.part.filter(col("p_name").str.starts_with("forest"))
    shipped = (
        t.lineitem.filter(col("l_shipdate").dt.year() == 1994)
        .group_by("l_partkey", "l_suppkey")
        .agg(col("l_quantity").sum().alias("pieces"))
    )
    holders = (
        t.partsupp.join(forest, left_on="ps_partkey", right_on="p_partkey", how="semi")
        .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(2 * col("ps_availqty") > col("pieces"))
    )
    canada = t.supplier.join(
        t.nation.filter(col("n_name") == "CANADA"), left_on="s_nationkey", right_on="n_nationkey"
    )
    return rows_of(
        canada.join(holders, left_on="s_suppkey", right_on="ps_suppkey", how="semi").select(
            "s_name", "s_address"
        )
    )


def _q21(t: Tables) -> Rows:
    late = col("l_receiptdate") > col("l_commitdate")
    orders = (
        t.lineitem.group_by("l_orderkey")
        .agg(
            col("l_suppkey").n_unique().alias("suppliers"),
            col("l_suppkey").filter(late).n_unique().alias("late_suppliers"),
        )
        .filter(col("suppliers") > 1, col("late_suppliers") == 1)
    )
    saudi = t.supplier.join(
        t.nation.filter(col("n_name") == "SAUDI ARABIA"), left_on="s_nationkey", right_on="n_nationkey"
    )
    found = (
        t.lineitem.filter(late)
        .join(orders, on="l_orderkey", how="semi")
        .join(
            t.orders.filter(col("o_orderstatus") == "F"),
            left_on="l_orderkey",
            right_on="o_orderkey",
            how="semi",
        )
        .join(saudi, left_on="l_suppkey", right_on="s_suppkey")
        .group_by("s_name")
        .agg(pl.len().alias("waited"))
        .sort(["waited", "s_name"], descending=[True, False])
    )
    return rows_of(found)[:100]


def _q22(t: Tables) -> Rows:
    codes = ["13", "31", "23", "29", "30", "18", "17"]
    of_codes = t.customer.with_columns(col("c_phone").str.slice(0, 2).alias("code")).filter(
        col("code").is_in(codes)
    )
    [(balance, count)] = rows_of(
        of_codes.filter(col("c_acctbal") > 0).select(col("c_acctbal").sum(), pl.len().alias("count"))
    )
    found = rows_of(
        of_codes.filter(col("c_acctbal") * count > balance)
        .join(t.orders, left_on="c_custkey", right_on="o_custkey", how="anti")
        .group_by("code")
        .agg(pl.len().alias("count"), col("c_acctbal").sum().alias("balance"))
    )
    return [(code, number, Fraction(total, 100)) for code, number, total in found]


QUERIES: dict[int, tuple[Callable[[Tables], Rows], tuple[str, ...]]] = {
    1: (_q01, ("l_returnflag", "l_linestatus", "sum_qty", "sum_base_price", "sum_disc_price", "sum_charge",
              "avg_qty", "avg_price", "avg_disc", "count_order")),
    2: (_q02, ("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")),
    3: (_q03, ("l_orderkey", "revenue", "o_orderdate", "o_shippriority")),
    4: (_q04, ("o_orderpriority", "order_count")),
    5: (_q05, ("n_name", "revenue")),
    6: (_q06, ("revenue",)),
    7: (_q07, ("supp_nation", "cust_nation", "l_year", "revenue")),
    8: (_q08, ("o_year", "mkt_share")),
    9: (_q09, ("nation", "o_year", "sum_profit")),
    10: (_q10, ("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")),
    11: (_q11, ("ps_partkey", "value")),
    12: (_q12, ("l_shipmode", "high_line_count", "low_line_count")),
    13: (_q13, ("c_count", "custdist")),
    14: (_q14, ("promo_revenue",)),
    15: (_q15, ("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")),
    16: (_q16, ("p_brand", "p_type", "p_size", "supplier_cnt")),
    17: (_q17, ("avg_yearly",)),
    18: (_q18, ("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_quantity")),
    19: (_q19, ("revenue",)),
    20: (_q20, ("s_name", "s_address")),
    21: (_q21, ("s_name", "numwait")),
    22: (_q22, ("cntrycode", "numcust", "totacctbal")),
}  # fmt: skip
"""How each query is answered, and the names of its columns."""


def _suppliers_of_region(t: Tables, region: str) -> pl.LazyFrame:
    return (
        t.region.filter(col("r_name") == region)
        .join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.supplier, left_on="n_nationkey", right_on="s_nationkey")
        .rename({"n_nationkey": "s_nationkey"})
    )


def _quarter(column: str, year: int, month: int) -> pl.Expr:
    day = col(column)
    return (day.dt.year() == year) & day.dt.month().is_between(month, month + 2)


def _cut(rows: Rows, count: int, key: Callable[[tuple[Any, ...]], Any]) -> Rows:
    """The first rows of a sorted list; a tie across the cut would leave the answer open, so there must be none."""
    assert len(rows) <= count or key(rows[count - 1]) != key(rows[count]), "a tie crosses the cut"
    return rows[:count]

"""Tables that statements name; what cannot be read names none and is counted."""

from __future__ import annotations

import sys

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.placement.objects.statements import Statement, table_names, tables_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT * FROM orders o, shop.customers c WHERE o.cid = c.id (+)", {"ORDERS", "SHOP.CUSTOMERS"}),
        ("select count(*) from dual", set()),
        ("with big as (select * from lineitem) select * from big join part using (p)", {"LINEITEM", "PART"}),
        ("insert /*+ append */ into totals select sum(x) from sales partition (p1) group by y", {"TOTALS", "SALES"}),
        ("merge into a using b on (a.i = b.i) when matched then update set a.x = b.x", {"A", "B"}),
        ("select /* cut", None),
        ("BEGIN shop.pay(:1); END;", None),
        ("", None),
    ],
)  # fmt: skip
def test_tables_of_a_statement(text: str, names: set[str] | None) -> None:
    assert table_names(text, "oracle") == names


def test_reads_of_statements_are_the_most_that_a_table_had() -> None:
    found = tables_of(
        [
            Statement("a", "select * from orders", 100),
            Statement("b", "select * from orders, lines", 50),
            Statement("c", "begin null; end;", 7),
        ],
        "oracle",
    )
    assert found.tables["ORDERS"].blocks_max == 150
    assert found.tables["LINES"].blocks_max == 50
    assert found.tables["ORDERS"].statements == ["a", "b"]
    assert (found.read, found.unread) == (2, 1)


def test_without_sqlglot_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(WorldError) as caught:
        table_names("select 1 from t", "oracle")
    assert caught.value.id == "sqlglot-missing"
    assert "placement" in (caught.value.hint or "")

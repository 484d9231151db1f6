"""The SQL of the queries, looked at as text: it parses, each is one question, and each names our own tables alone."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import expressions

from plimsoll.base.errors import UsageError
from plimsoll.proof.statements import file_text
from plimsoll.proof.tpch import orders, queries
from plimsoll.proof.tpch.generator import BYTES_AT_SCALE_1
from plimsoll.proof.tpch.schema import SCHEMA


@pytest.mark.parametrize("query", orders.QUERIES)
def test_a_query_is_one_question_to_our_tables(query: int) -> None:
    statements = sqlglot.parse(queries.query_text("postgres", query, "1"), read="postgres")
    assert [type(statement) for statement in statements] == [expressions.Select]
    (question,) = statements
    assert question is not None
    named = {cte.alias for cte in question.find_all(expressions.CTE)}
    tables = [table for table in question.find_all(expressions.Table) if table.name not in named]
    assert tables
    assert {table.db for table in tables} == {SCHEMA}
    assert {table.name for table in tables} <= set(BYTES_AT_SCALE_1)


@pytest.mark.parametrize("name", ["tables", "indexes"])
def test_what_loads_parses_statement_by_statement(name: str) -> None:
    statements = queries.statements("postgres", name)
    parsed = sqlglot.parse(file_text("postgres", "tpch", name), read="postgres")
    assert len(statements) == len([statement for statement in parsed if statement is not None])
    assert all(f"{SCHEMA}." in statement for statement in statements)


@pytest.mark.parametrize(("scale", "fraction"), [("0.01", "0.01"), ("1", "0.0001"), ("100", "0.000001")])
def test_the_share_of_query_11_falls_with_the_scale(scale: str, fraction: str) -> None:
    text = queries.query_text("postgres", 11, scale)
    assert f"* {fraction}\n" in text
    assert ":fraction" not in text


def test_a_database_without_our_sql_is_refused() -> None:
    with pytest.raises(UsageError, match="oracle") as caught:
        queries.query_text("oracle", 1, "1")
    assert caught.value.id == "proof-unsupported"

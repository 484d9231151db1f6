"""Columns of the tables that a read makes are typed without quotation marks: none is a reserved word of SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import duckdb
import pytest

from plimsoll.databases import embedded
from plimsoll.reports.schema import schema

NAMES = sorted({column["name"] for table in schema() for column in table["columns"]})


def _refused(execute: Callable[[str], Any], errors: type[Exception]) -> list[str]:
    refused = []
    for name in NAMES:
        try:
            execute(f"SELECT {name} FROM (SELECT 1 AS {name}) made")
        except errors:
            refused.append(name)
    return refused


def test_columns_are_no_reserved_words_of_sqlite() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert _refused(connection.execute, sqlite3.Error) == []


def test_columns_are_no_reserved_words_of_postgresql(server_18: embedded.Server) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server_18.url, autocommit=True) as connection:
        assert _refused(connection.execute, psycopg.Error) == []
        # Some are understood, and mean something else: `user` is whoever asks.
        words = connection.execute(
            "SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')"
        ).fetchall()
        assert {word for (word,) in words} & set(NAMES) == set()


def test_columns_are_no_reserved_words_of_duckdb() -> None:
    with duckdb.connect() as connection:
        # One that is the last of a list may be understood; `at` is not, before a comma.
        assert (
            _refused(lambda query: connection.execute(query.replace(" FROM", ", 1 FROM")), duckdb.Error) == []
        )

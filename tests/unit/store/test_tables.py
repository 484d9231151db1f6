"""The tables are derived from the fact classes, completely and with names that SQL takes without quotes."""

from __future__ import annotations

import re

import pytest

from plimsoll.facts import (
    Cell,
    ClassDemand,
    CommitWaits,
    FlashUse,
    IoClass,
    LatencyUs,
    Line,
    Note,
    RelationCounters,
    Run,
    Target,
    TrendAnomaly,
    TrendSeries,
    Trial,
    Watch,
    WatchedStretch,
)
from plimsoll.store.tables import Column, places, table_name, table_of, tables

# Words that SQLite or PostgreSQL refuse as a bare column or table name.
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """all and any array as asc between both case cast check collate column constraint create default desc distinct do
        else end except exists false fetch for foreign from grant group having in index initially inner insert intersect
        into is join leading left limit natural not null offset on only or order outer primary references returning right
        select set table then to trailing transaction true union unique update user using values when where window with""",
    )
)


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.name)
def test_names_are_unique_and_need_no_quotes(table) -> None:  # pyright: ignore[reportMissingParameterType]
    names = [column.name for column in table.all_columns]
    assert len(set(names)) == len(names)
    for name in [table.name, *names]:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
        assert len(name) <= 63
        assert name not in RESERVED


def test_every_fact_below_a_run_is_kept_somewhere() -> None:
    reached = {branch.fact for table in tables() for branch in table.branches}
    assert reached == {table.fact for table in tables()} - {Run}
    assert all(places()[fact] for fact in reached)
    assert {Target, Cell, Line, Trial, IoClass, ClassDemand, Note, RelationCounters} <= reached
    assert len({table.name for table in tables()}) == len(tables())


def test_class_names_become_plural_table_names() -> None:
    wanted = {
        Run: "run_details",
        ClassDemand: "class_demands",
        IoClass: "io_classes",
        RelationCounters: "relation_counters",
        CommitWaits: "commit_waits",
        TrendSeries: "trend_series",
        TrendAnomaly: "trend_anomalies",
        Watch: "watches",
        WatchedStretch: "watched_stretches",
        FlashUse: "flash_uses",
    }
    assert {fact: table_name(fact) for fact in wanted} == wanted


def test_no_table_has_a_plural_of_a_plural() -> None:
    wrong = re.compile(r"(ss|[^aeiou]y|ch|sh|x)s$|[^s]ss$")
    assert [table.name for table in tables() if wrong.search(table.name)] == []


def test_a_latency_lies_flat_in_the_row_with_its_distribution() -> None:
    columns = {column.name: column for column in table_of(Cell).columns}
    for field in LatencyUs.model_fields:
        assert f"latency_us_{field}" in columns
    assert columns["latency_us_count"] == Column("latency_us_count", "integer", ("latency_us", "count"))
    assert columns["latency_us_hdr"].kind == "binary"


def test_an_interval_of_confidence_is_two_columns() -> None:
    names = [column.name for column in table_of(Line).columns]
    assert "ci95_lo" in names
    assert "ci95_hi" in names

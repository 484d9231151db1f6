"""Waits, statements and relations of an interval: amounts and shares are those that were counted, and what is not seen is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demand_snapshots import START
from kept_demand import STEPS, kept_demand
from kept_rows import (
    INNER,
    READS,
    SORTS,
    WRITES,
    Changes,
    Kept,
    demand_with_rows,
    relations,
    statements,
    waits,
)
from plimsoll.databases import CountedRows
from plimsoll.facts import Demand, KeptRowsKind
from plimsoll.results import Grid, Points, Words, activity_blocks
from plimsoll.results._activity._rows import share_of

Rows = list[tuple[str, ...]]


@pytest.fixture(scope="module")
def demand(tmp_path_factory: pytest.TempPathFactory) -> Demand:
    return demand_with_rows(tmp_path_factory.mktemp("rows"))


def grid(demand: Demand, caption: str) -> Rows:
    """The rows of the only table whose caption begins so."""
    found = [
        one for one in activity_blocks(demand) if isinstance(one, Grid) and one.caption.startswith(caption)
    ]
    assert len(found) == 1, caption
    return list(found[0].table.rows)


def points(demand: Demand) -> dict[str, str]:
    blocks = (one for one in activity_blocks(demand) if isinstance(one, Points))
    return {about: words for one in blocks for about, words in one.rows}


def words(demand: Demand) -> str:
    return "\n".join(one.text for one in activity_blocks(demand) if isinstance(one, Words))


def test_waits_are_told_by_process_and_event(demand: Demand) -> None:
    assert grid(demand, "What processes at work waited for, in 3,600 looks") == [
        ("client backend", "IO: DataFileRead", "1.5", "60 %"),
        ("client backend", "nothing: a CPU, or ready for one", "0.5", "20 %"),
        ("client backend", "LWLock: WALWrite", "0.25", "10 %"),
        ("checkpointer", "IO: DataFileSync", "0.25", "10 %"),
    ]
    assert "What is not seen of waits" not in points(demand)
    assert "What sessions waited for" not in points(demand)


def test_looks_that_were_missed_are_told(tmp_path: Path) -> None:
    changes: Changes = {
        (3, "waits"): waits(0),
        (4, "waits"): replace(waits(4), figures={"looks": 500.0, "missed": 9.0}),
    }
    told = points(demand_with_rows(tmp_path, changes=changes))["What is not seen of waits"]
    assert told == "9 looks failed; between some snapshots nobody looked: nobody has looked yet."
    nobody: Changes = {(step, "waits"): waits(0) for step in range(STEPS + 1)}
    told = points(demand_with_rows(tmp_path, changes=nobody))["What processes at work waited for"]
    assert told == "Unknown: nobody has looked yet."


def test_looks_that_saw_nobody_are_told_as_such(tmp_path: Path) -> None:
    idle: Changes = {(step, "waits"): replace(waits(step), lines=[]) for step in range(1, STEPS + 1)}
    demand = demand_with_rows(tmp_path, changes=idle)
    told = points(demand)["What processes at work waited for"]
    assert told == "Nobody was at work in 3,600 looks between the snapshots."
    second = demand.intervals[0].but(sessions_at_work={})
    sampled = demand.but(intervals=(second,), rows=None)
    told = points(sampled)["What sessions waited for"]
    assert told == "Nobody was at work in any of the looks that were taken with the snapshots."


def test_statements_are_told_by_each_measure(demand: Demand) -> None:
    who = ("16384", "10")
    assert grid(demand, "Statements by time") == [
        (READS, *who, "36,000", "30 min", "50 %", "50 ms"),
        (SORTS, *who, "360", "9 min", "15 %", "1.5 s"),
        (WRITES, *who, "36,000", "6 min", "10 %", "10 ms"),
        (INNER, *who, "72,000", "3 min", "5.0 %", "2.5 ms"),
    ]
    assert grid(demand, "Statements by blocks read")[0] == (READS, *who, "36,000", "270,000", "90 %", "25 %")
    assert grid(demand, "Statements by temporary files") == [
        (SORTS, *who, "360", "562.5 MiB", "100 %", "281.2 MiB")
    ]
    assert grid(demand, "Statements by WAL") == [(WRITES, *who, "36,000", "2.3 GiB", "100 %", "120,000")]
    assert points(demand)["Counted twice"].startswith(f"{INNER} ran within functions")
    assert points(demand)["What is not seen of statements"] == (
        "Nothing: what each of the 4 statements gained is known."
    )


def test_what_no_statement_did_is_said(tmp_path: Path) -> None:
    quiet: Changes = {
        (step, "statements"): statements(step, {READS: {"calls": 1, "exec_us": 5}})
        for step in range(STEPS + 1)
    }
    told = words(demand_with_rows(tmp_path, changes=quiet))
    assert "No statement of which it is known has any of: blocks read, temporary files, WAL." in told


def test_shares_are_unknown_where_the_sums_are(tmp_path: Path) -> None:
    """One was let go: its gains are unknown, and with them the sum of all."""
    fewer: Changes = {(STEPS, "statements"): statements(STEPS, {READS: {"calls": 6_000, "exec_us": 300e6}})}
    found = demand_with_rows(tmp_path, changes=fewer)
    assert [row[5] for row in grid(found, "Statements by time")] == ["unknown"]
    told = points(found)["What is not seen of statements"]
    assert told.startswith(
        "3 that were gone at the end, and what they gained until then; the sums of all statements"
    )


def test_lower_bounds_and_lost_time_are_marked(tmp_path: Path) -> None:
    changes: Changes = {(STEPS, "statements"): replace(statements(2), reset_at=START)}
    kept = Kept(changes=changes, restart_at=3)
    found = kept.demand(tmp_path)
    # The restart parts the hour; in its second half the statements were reset, at a time before it began.
    assert grid(found, "Statements by time")[0][3:5] == ("≥ 24,000", "≥ 20 min")
    assert points(found)["What is not seen of statements"].startswith(
        "The counters of statements were reset at"
    )


def test_relations_are_told_by_reads_and_by_growth(demand: Demand) -> None:
    assert grid(demand, "Relations of shop by blocks read") == [
        ("public.orders", "table", "270,000", "2.1 GiB", "75 %", "25 %", "360"),
        ("public.orders_pkey", "index of public.orders", "54,000", "421.9 MiB", "15 %", "90 %", "36,000"),
        ("public.items", "table", "36,000", "281.2 MiB", "10 %", "0.0 %", "36"),
    ]
    assert grid(demand, "Relations by growth") == [
        ("public.items", "table", "40 MiB", "100 %", "250 MiB", "03:14:05", "03:54:05")
    ]
    assert points(demand)["What is not seen of relations"] == (
        "Relations of other databases, and temporary tables."
    )
    assert points(demand)["What is not seen of growth"] == (
        "Nothing: two sizes are known of each of the 3 relations. Others shrank by 6 MiB."
    )


def test_relations_that_are_unknown_say_why(tmp_path: Path) -> None:
    reset: Changes = {(STEPS, "relations"): replace(relations(STEPS), reset_at=START)}
    told = points(demand_with_rows(tmp_path, changes=reset))["What single tables did"]
    assert told.startswith("Unknown: the counters of relations were reset at")


@pytest.mark.parametrize(
    ("kind", "about"),
    [("statements", "What single statements did"), ("relations", "What single tables did")],
)
def test_a_kind_that_was_refused_says_why(tmp_path: Path, kind: KeptRowsKind, about: str) -> None:
    refused: Changes = {
        (step, kind): CountedRows(kind, unknown="permission denied") for step in range(STEPS + 1)
    }
    assert points(demand_with_rows(tmp_path, changes=refused))[about] == "Unknown: permission denied."


def test_a_demand_without_rows_says_that_they_are_missing() -> None:
    told = points(kept_demand())
    assert told["What single statements did"].startswith("Unknown: no such rows are with this demand")
    assert told["What single tables did"].startswith("Unknown: no such rows are with this demand")


def test_a_share_that_is_not_nothing_never_reads_as_0() -> None:
    assert [share_of(value, 10_000.0) for value in (0.0, 4.0, 12.0, None)] == [
        "0.0 %",
        "< 0.1 %",
        "0.1 %",
        "unknown",
    ]
    assert share_of(1.0, None) == share_of(0.0, 0.0) == "unknown"

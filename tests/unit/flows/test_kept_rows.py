"""What a demand of kept snapshots holds row by row: sums over the span, and how much of them is not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from demand_snapshots import START
from kept_demand import STEP_S, STEPS
from kept_rows import (
    HIDDEN,
    IDLE,
    INNER,
    ITEMS,
    MIB,
    ORDERS,
    ORDERS_KEY,
    READS,
    SPAN_S,
    STATEMENTS,
    WRITES,
    Changes,
    Kept,
    demand_with_rows,
    relations,
    statements,
    waits,
)
from plimsoll.base import limits
from plimsoll.databases import CountedRows
from plimsoll.facts import CountedRelations, CountedStatements, Demand, KeptRows, KeptRowsKind, SeenWaits
from plimsoll.flows.demand import parse_demand


def statements_in(demand: Demand) -> CountedStatements:
    assert demand.rows is not None
    assert demand.rows.statements is not None
    return demand.rows.statements


def relations_in(demand: Demand) -> CountedRelations:
    assert demand.rows is not None
    assert demand.rows.relations is not None
    return demand.rows.relations


def waits_in(demand: Demand) -> SeenWaits:
    assert demand.rows is not None
    assert demand.rows.waits is not None
    return demand.rows.waits


@pytest.mark.parametrize(("first", "last"), [(0, STEPS), (2, 5)])
def test_statements_gain_what_they_did_in_the_span(tmp_path: Path, first: int, last: int) -> None:
    found = statements_in(Kept().demand(tmp_path, first, last))
    steps = last - first
    assert found.known_s == pytest.approx(steps * STEP_S)
    assert (found.gained, found.unkept, found.gone, found.unknown) == (4, 0, 0, ())
    gains = {one.query_id: one.gains for one in found.rows}
    assert {query: one["exec_us"] for query, one in gains.items()} == {
        query: steps * each["exec_us"] for query, each in STATEMENTS.items()
    }
    assert gains[WRITES]["wal_bytes"] == steps * 400 * MIB
    every = [*STATEMENTS.values(), HIDDEN]
    assert found.totals["exec_us"] == steps * sum(each["exec_us"] for each in every)
    assert [one.query_id for one in found.rows if not one.is_top_level] == [INNER]
    assert not any(one.at_least for one in found.rows)


def test_relations_have_their_names_and_the_table_of_an_index(tmp_path: Path) -> None:
    found = relations_in(demand_with_rows(tmp_path))
    assert [(one.name, one.relkind, one.table_name) for one in found.rows] == [
        ("public.orders", "r", None),
        ("public.orders_pkey", "i", "public.orders"),
        ("public.items", "r", None),
    ]
    assert [one.gains["blks_read"] for one in found.rows] == [270_000, 54_000, 36_000]
    assert found.totals["blks_read"] == 360_000


def test_waits_are_those_of_the_looks_within_the_span(tmp_path: Path) -> None:
    found = waits_in(Kept().demand(tmp_path, 2, 5))
    assert (found.looks, found.missed, found.seen, found.unknown) == (1800, 0, 4500, ())
    assert [(one.backend_type, one.wait_event, one.seen) for one in found.waits] == [
        ("client backend", "DataFileRead", 2700),
        ("client backend", None, 900),
        ("client backend", "WALWrite", 450),
        ("checkpointer", "DataFileSync", 450),
    ]


def test_growth_is_between_the_looks_about_the_ends(tmp_path: Path) -> None:
    """Items were asked at steps 1, 3 and 5: of steps 2 to 6 the look before the begin, and the last one."""
    rows = Kept().demand(tmp_path, 2, 6).rows
    assert rows is not None
    assert rows.sizes is not None
    assert (rows.sizes.compared, rows.sizes.uncompared) == (3, 0)
    assert (rows.sizes.grown_bytes, rows.sizes.shrunk_bytes) == (40 * MIB, 4 * MIB)
    (items,) = rows.sizes.rows
    assert (items.oid, items.name, items.first_bytes, items.last_bytes) == (
        ITEMS,
        "public.items",
        210 * MIB,
        250 * MIB,
    )
    assert items.first_at == START + timedelta(seconds=STEP_S)
    assert items.last_at == START + timedelta(seconds=5 * STEP_S)
    assert IDLE not in {one.oid for one in rows.sizes.rows}


def test_a_span_of_one_step_compares_what_was_asked_before(tmp_path: Path) -> None:
    rows = Kept().demand(tmp_path, 0, 1).rows
    assert rows is not None
    assert rows.sizes is not None
    assert (rows.sizes.compared, rows.sizes.uncompared, rows.sizes.rows) == (0, 3, ())


def test_gains_across_a_restart_are_those_of_both_sides(tmp_path: Path) -> None:
    """What the step of the restart gained is in none of them."""
    found = demand_with_rows(tmp_path, restart_at=3)
    assert sum(one.gap is not None for one in found.intervals) == 1
    counted = statements_in(found)
    assert counted.known_s == pytest.approx(SPAN_S - STEP_S)
    gains = {one.query_id: one.gains["exec_us"] for one in counted.rows}
    assert gains[READS] == (STEPS - 1) * STATEMENTS[READS]["exec_us"]
    assert counted.totals["exec_us"] == (STEPS - 1) * 600e6


@pytest.mark.parametrize("last", ["refused", "dropped"])
def test_what_is_not_there_at_the_last_end_keeps_its_name(tmp_path: Path, last: str) -> None:
    """Where nobody could read it then, or where it was dropped after a restart."""
    whole = relations(STEPS)
    is_refused = last == "refused"
    lines = [line for line in whole.lines if not line.startswith(f"{ITEMS}\t")]
    end = CountedRows("relations", unknown="it took too long") if is_refused else replace(whole, lines=lines)
    found = relations_in(demand_with_rows(tmp_path, restart_at=3, changes={(STEPS, "relations"): end}))
    (items,) = [one for one in found.rows if one.oid == ITEMS]
    assert (items.name, items.at_least) == ("public.items", True)


def test_more_stretches_than_are_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STRETCHES_MAX", 1)
    counted = statements_in(demand_with_rows(tmp_path, restart_at=3))
    assert counted.known_s == pytest.approx(3 * STEP_S)
    assert counted.unknown[0].startswith("rows are read of the 1 longest of 2 stretches")
    assert all(one.at_least for one in counted.rows)


def test_statements_that_were_all_reset_are_known_since_then(tmp_path: Path) -> None:
    reset_at = START + timedelta(seconds=2.5 * STEP_S)
    changes: Changes = {
        (step, "statements"): replace(statements(step - 2, forgotten=0.0), reset_at=reset_at)
        for step in range(3, STEPS + 1)
    }
    counted = statements_in(demand_with_rows(tmp_path, changes=changes))
    assert counted.known_s == pytest.approx(3.5 * STEP_S)
    assert "the counters of statements were reset at" in counted.unknown[0]
    assert {one.query_id: one.gains["exec_us"] for one in counted.rows}[READS] == 4 * 300e6
    assert counted.totals["exec_us"] == 4 * 600e6
    assert all(one.at_least for one in counted.rows)


def test_relations_are_unknown_across_a_reset_which_may_be_of_one_alone(tmp_path: Path) -> None:
    changes: Changes = {(STEPS, "relations"): replace(relations(STEPS), reset_at=START)}
    counted = relations_in(demand_with_rows(tmp_path, changes=changes))
    assert (counted.known_s, counted.rows) == (0, ())
    assert "relations were reset" in counted.unknown[0]


def test_sums_are_unknown_where_a_statement_was_forgotten_or_reset_by_itself(tmp_path: Path) -> None:
    fewer = {query: each for query, each in STATEMENTS.items() if query != WRITES}
    changes: Changes = {(STEPS, "statements"): statements(STEPS, fewer)}
    counted = statements_in(demand_with_rows(tmp_path, changes=changes))
    assert counted.gone == 1
    assert counted.totals["exec_us"] is None
    back = {**STATEMENTS, READS: {"calls": 1, "exec_us": 5}}
    reset: Changes = {(STEPS, "statements"): statements(STEPS, back)}
    counted = statements_in(Kept(changes=reset).demand(tmp_path, 2))
    assert (counted.gone, counted.totals["exec_us"]) == (0, None)
    assert {one.query_id for one in counted.rows if one.at_least} == {READS}


def test_where_some_were_forgotten_each_may_have_been_and_gained_at_least_what_is_known(
    tmp_path: Path,
) -> None:
    changes: Changes = {(STEPS, "statements"): statements(STEPS, forgotten=7.0)}
    counted = statements_in(demand_with_rows(tmp_path, changes=changes))
    assert all(one.at_least for one in counted.rows)
    assert counted.totals["exec_us"] is None


def test_rows_that_others_pushed_out_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROWS_KEPT_MAX", 2)
    counted = relations_in(demand_with_rows(tmp_path))
    assert {one.oid for one in counted.rows} == {ORDERS, ORDERS_KEY}
    assert counted.unkept == 2
    assert counted.totals["blks_read"] == 324_000


def test_a_kind_that_was_not_kept_is_none_and_one_that_was_refused_says_why(tmp_path: Path) -> None:
    steps = range(STEPS + 1)
    kinds: tuple[KeptRowsKind, ...] = ("statements", "relations", "sizes", "waits")
    nothing: Changes = {(step, kind): None for step in steps for kind in kinds}
    assert demand_with_rows(tmp_path, changes=nothing).rows is None
    some: Changes = {key: rows for key, rows in nothing.items() if key[1] != "waits"}
    hidden: Changes = {(step, "waits"): CountedRows("waits", unknown="grant pg_monitor") for step in steps}
    rows = demand_with_rows(tmp_path, changes={**some, **hidden}).rows
    assert rows is not None
    assert (rows.statements, rows.relations, rows.sizes) == (None, None, None)
    assert rows.waits == SeenWaits(looks=0, missed=0, seen=0, unknown=("grant pg_monitor",))


def test_rows_that_begin_within_the_span_are_not_known_of_all_of_it(tmp_path: Path) -> None:
    """An earlier release kept none with the first snapshots."""
    changes: Changes = {(step, "statements"): None for step in range(3)}
    changes |= {(step, "statements"): statements(step) for step in range(3, STEPS + 1)}
    assert Kept(changes=changes).demand(tmp_path).rows is not None
    assert statements_or_none(Kept(changes=changes).demand(tmp_path)) is None
    across = statements_in(Kept(changes=changes, restart_at=3).demand(tmp_path))
    assert across.known_s == pytest.approx(3 * STEP_S)
    assert across.unknown == ("no rows were kept with a snapshot at its end",)


def statements_or_none(demand: Demand) -> CountedStatements | None:
    return None if demand.rows is None else demand.rows.statements


def test_a_long_span_reads_a_day_about_its_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows between are not needed: they may be gone, or unreadable."""
    monkeypatch.setattr("plimsoll.flows.kept_rows._REACH", timedelta(seconds=STEP_S))
    kept = Kept()
    asked: list[str] = []
    read = kept.store.kept_rows

    def listened(series: str, kind: KeptRowsKind, since: datetime, until: datetime) -> Iterator[KeptRows]:
        for part in read(series, kind, since, until):
            asked.append(f"{kind} {(part.taken_at - START).total_seconds() / STEP_S:g}")
            yield part

    monkeypatch.setattr(kept.store, "kept_rows", listened)
    kept.demand(tmp_path, 1, 6)
    assert [one for one in asked if one.startswith("relations")] == [
        "relations 0",
        "relations 1",
        "relations 5",
        "relations 6",
    ]
    assert [one for one in asked if one.startswith("sizes")] == [f"sizes {step}" for step in (0, 1, 2, 5, 6)]


def test_a_file_of_the_demand_has_the_rows(tmp_path: Path) -> None:
    demand = demand_with_rows(tmp_path)
    assert parse_demand(demand.model_dump_json().encode(), "demand.json") == demand


def test_waits_of_which_nobody_looked_for_a_while_say_so(tmp_path: Path) -> None:
    changes: Changes = {(3, "waits"): waits(0)}
    found = waits_in(demand_with_rows(tmp_path, changes=changes))
    assert (found.looks, found.unknown) == (3000, ("nobody has looked yet",))

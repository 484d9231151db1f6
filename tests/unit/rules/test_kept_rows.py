"""Rules on rows that were kept beside snapshots: waits that somebody looked at, relations and statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from kept_demand import STEPS
from kept_rows import SORTS, SPAN_S, STATEMENTS, Changes, demand_with_rows, statements
from plimsoll.facts import Demand, Finding
from plimsoll.rules import findings_of, interval_of_demand, judge
from plimsoll.rules._events import UNSAMPLED


@pytest.fixture(scope="module")
def demand(tmp_path_factory: pytest.TempPathFactory) -> Demand:
    return demand_with_rows(tmp_path_factory.mktemp("rows"))


def found_in(demand: Demand) -> dict[str, Finding]:
    return {one.rule: one for one in findings_of(interval_of_demand(demand))}


def with_waits(demand: Demand, **changes: object) -> Demand:
    assert demand.rows is not None
    assert demand.rows.waits is not None
    return demand.but(rows=demand.rows.but(waits=demand.rows.waits.but(**changes)))


def test_db_time_is_what_was_seen_of_sessions(demand: Demand) -> None:
    """1.5 sessions read, half a one has a CPU, a quarter waits for the log; the checkpointer is no session."""
    seen = interval_of_demand(demand)
    assert seen.db_time is not None
    assert seen.db_time.value == pytest.approx(2.25 * SPAN_S)
    assert seen.is_sampled
    assert seen.parts == pytest.approx(
        {"single-block reads": 1.5 * SPAN_S, "cpu": 0.5 * SPAN_S, "commits": 0.25 * SPAN_S}
    )
    assert (judge(seen).answer, judge(seen).helps) == ("storage-bound", "yes")
    found = found_in(demand)
    assert found["log-flushes-waited-for"].db_time_s == pytest.approx(0.25 * SPAN_S)
    assert seen.db_time.how == "looked at each second between the snapshots"


@pytest.mark.parametrize(
    "changes",
    [
        {"looks": int(SPAN_S * 0.4)},
        {"looks": 0},
        {
            "waits": (
                {
                    "backend_type": "client backend",
                    "wait_event_type": "unknown",
                    "wait_event": None,
                    "seen": 1,
                },
            )
        },
    ],
)
def test_looks_that_do_not_tell_leave_the_time_of_sessions_untold(
    demand: Demand, changes: dict[str, object]
) -> None:
    assert UNSAMPLED in interval_of_demand(with_waits(demand, **changes)).parts


def test_one_relation_takes_most_reads(demand: Demand) -> None:
    """270,000 of the 360,000 blocks that the server read, where reads are two thirds of DB time."""
    found = found_in(demand)["one-relation-takes-reads"]
    assert found.reason == (
        "reads are 67 % of DB time, and public.orders had 75 % or more of all blocks that the server read"
    )
    told = [(cell.section, cell.row, cell.value) for cell in found.evidence[:2]]
    assert told == [
        ("pg_statio_all_tables", "public.orders", "270,000"),
        ("pg_stat_database", "all databases", "360,000"),
    ]


def test_reads_that_are_shared_out_or_take_no_time_are_no_matter_of_one(demand: Demand) -> None:
    more = demand.but(counts={**demand.counts, "pg_stat_database.blks_read": 600_000.0})
    assert "one-relation-takes-reads" not in found_in(more)
    idle = with_waits(
        demand,
        waits=({"backend_type": "client backend", "wait_event_type": None, "wait_event": None, "seen": 9},),
    )
    assert "one-relation-takes-reads" not in found_in(idle)
    assert "one-relation-takes-reads" not in found_in(demand.but(rows=None))


def test_one_statement_writes_most_temporary_files(demand: Demand) -> None:
    found = found_in(demand)["one-statement-spills"]
    assert (
        found.reason
        == f"statement {SORTS} wrote 281.2 MiB to temporary files, 100 % of what all statements wrote"
    )
    assert f"WHERE queryid = {SORTS}" in found.advice
    assert {cell.row for cell in found.evidence} >= {f"queryid {SORTS}", "all", "work_mem"}


def test_temporary_files_of_many_or_of_little_are_no_matter_of_one(tmp_path: Path) -> None:
    def spilt(each: dict[str, float]) -> Demand:
        gains = {name: {"calls": 1.0, "temp_blks_written": blocks} for name, blocks in each.items()}
        changes: Changes = {(step, "statements"): statements(step, gains) for step in range(STEPS + 1)}
        return demand_with_rows(tmp_path, changes=changes)

    assert "one-statement-spills" in found_in(spilt({"1": 6_000, "2": 5_000}))
    assert "one-statement-spills" not in found_in(spilt({"1": 4_000, "2": 4_000, "3": 4_000}))
    assert "one-statement-spills" not in found_in(spilt({"1": 600}))
    gone: Changes = {(STEPS, "statements"): statements(STEPS, {SORTS: STATEMENTS[SORTS]})}
    assert "one-statement-spills" not in found_in(demand_with_rows(tmp_path, changes=gone))


def test_rows_that_were_not_kept_find_nothing_more(demand: Demand) -> None:
    assert demand.rows is not None
    bare = demand.but(rows=demand.rows.but(statements=None, relations=None))
    assert not {"one-statement-spills", "one-relation-takes-reads"} & set(found_in(bare))

"""Differences add up to the whole, never fall below zero, and a gap is told from an hour of rest."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demand_snapshots import RESET, row, snapshot
from plimsoll.demand.deltas import Delta, Gap, difference, relations_difference
from plimsoll.facts import RelationCounters, Snapshot

FIELDS = ("reads", "read_bytes", "writes", "fsyncs", "hits")
KEYS = [
    ("client backend", "relation", "normal"),
    ("checkpointer", "relation", "normal"),
    ("client backend", "wal", "normal"),
]
counts = st.integers(0, 10**12)
step = st.fixed_dictionaries(
    {
        "commits": counts,
        "time_ms": st.floats(0, 1e9),
        "rows": st.dictionaries(st.sampled_from(KEYS), st.fixed_dictionaries(dict.fromkeys(FIELDS, counts))),
        "passed_s": st.floats(0.01, 3600),
    }
)


def history(steps: list[dict]) -> list[Snapshot]:
    """Snapshots whose counters grow by the steps; a row appears with its first step, as in a server where it was zero before."""
    commits, time_ms, at_s = 0, 0.0, 0.0
    totals: dict[tuple[str, str, str], dict[str, int]] = {}
    shots = [snapshot(0, totals={"pg_stat_database.xact_commit": 0.0, "pg_stat_database.blk_read_time": 0.0})]
    for one in steps:
        commits, time_ms, at_s = commits + one["commits"], time_ms + one["time_ms"], at_s + one["passed_s"]
        for key, gained in one["rows"].items():
            old = totals.get(key, dict.fromkeys(FIELDS, 0))
            totals[key] = {field: old[field] + gained[field] for field in FIELDS}
        io = tuple(
            row(backend=key[0], what=key[1], context=key[2], **values) for key, values in totals.items()
        )
        known = {"pg_stat_database.xact_commit": float(commits), "pg_stat_database.blk_read_time": time_ms}
        shots.append(snapshot(at_s, io, totals=known))
    return shots


@given(st.lists(step, min_size=1, max_size=8))
def test_intervals_add_up_to_the_whole(steps: list[dict]) -> None:
    shots = history(steps)
    parts = [difference(one, other) for one, other in pairwise(shots)]
    whole = difference(shots[0], shots[-1])
    assert isinstance(whole, Delta)
    deltas = [part for part in parts if isinstance(part, Delta)]
    assert len(deltas) == len(parts)
    assert sum(part.duration_s for part in deltas) == pytest.approx(whole.duration_s, abs=1e-4)
    name = "pg_stat_database.xact_commit"
    assert sum(part.totals[name] or 0 for part in deltas) == pytest.approx(whole.totals[name], rel=1e-12)
    for field in FIELDS:
        in_parts = sum(getattr(one, field) for part in deltas for one in part.io)
        assert in_parts == sum(getattr(one, field) for one in whole.io)


@given(st.lists(step, min_size=2, max_size=6))
def test_nothing_is_negative(steps: list[dict]) -> None:
    shots = history(steps)
    for one in shots:
        for other in shots:
            found = difference(one, other)
            if isinstance(found, Delta):
                assert found.duration_s > 0
                assert all(value is None or value >= 0 for value in found.totals.values())
                assert all(getattr(counted, field) >= 0 for counted in found.io for field in FIELDS)


@given(st.lists(step, min_size=2, max_size=6), st.data())
def test_a_reset_is_always_noticed(steps: list[dict], data: st.DataObject) -> None:
    shots = history(steps)
    view = data.draw(st.sampled_from(sorted(shots[0].resets)))
    at = data.draw(st.integers(1, len(shots) - 1))
    when = shots[at].taken_at - timedelta(milliseconds=1)
    after = [shot.model_copy(update={"resets": {**shot.resets, view: when}}) for shot in shots[at:]]
    reset = difference(shots[at - 1], after[0])
    assert isinstance(reset, Gap)
    assert view in reset.reason
    assert all(isinstance(difference(one, other), Delta) for one, other in pairwise(after))


@given(st.lists(step, min_size=1, max_size=4), st.sampled_from(FIELDS), st.sampled_from(KEYS))
def test_a_counter_that_goes_back_is_always_noticed(
    steps: list[dict], field: str, key: tuple[str, str, str]
) -> None:
    shots = history(steps)
    more = row(backend=key[0], what=key[1], context=key[2], **{field: 5 * 10**13})
    higher = shots[0].model_copy(update={"io": (more,)})
    found = difference(higher, shots[-1])
    assert isinstance(found, Gap)
    assert field in found.reason
    assert "went back" in found.reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"started_at": RESET + timedelta(days=1)}, "restarted"),
        ({"system_identifier": "43"}, "another server"),
        ({"moment": {"databases": 2.0}}, "dropped"),
        ({"totals": {"pg_stat_database.xact_commit": 4.0}}, "xact_commit went back"),
        ({"totals": {}}, "xact_commit went back"),
    ],
)
def test_reasons_of_gaps(changes: dict, reason: str) -> None:
    before = snapshot(0, totals={"pg_stat_database.xact_commit": 5.0})
    after = snapshot(1, **{"totals": {"pg_stat_database.xact_commit": 6.0}, **changes})
    found = difference(before, after)
    assert isinstance(found, Gap)
    assert reason in found.reason


def test_a_reset_of_counters_never_reset_before() -> None:
    before = snapshot(0, resets={"pg_stat_database": None})
    assert isinstance(difference(before, snapshot(1, resets={"pg_stat_database": None})), Delta)
    assert isinstance(difference(before, snapshot(1, resets={"pg_stat_database": RESET})), Gap)


@pytest.mark.parametrize("step_s", [-3600.0, -0.4, 0.4, 3600.0])
def test_a_step_of_the_server_s_clock_does_not_change_the_duration(step_s: float) -> None:
    after = snapshot(1)
    stepped = after.model_copy(update={"taken_at": after.taken_at + timedelta(seconds=step_s)})
    found = difference(snapshot(0), stepped)
    assert isinstance(found, Delta)
    assert found.duration_s == pytest.approx(1.0)
    assert found.clock_step_s == pytest.approx(step_s)


def test_a_clock_that_went_back_without_another_to_compare() -> None:
    found = difference(snapshot(1, monotonic_s=None), snapshot(0, monotonic_s=None))
    assert isinstance(found, Gap)
    assert "clock" in found.reason


def test_sums_of_milliseconds_may_differ_in_the_last_digit() -> None:
    before = snapshot(0, totals={"pg_stat_database.blk_read_time": 0.1 + 0.2})
    found = difference(before, snapshot(1, totals={"pg_stat_database.blk_read_time": 0.3}))
    assert isinstance(found, Delta)
    assert found.totals["pg_stat_database.blk_read_time"] == 0


def test_what_is_not_counted_stays_unknown() -> None:
    before = snapshot(0, (row(reads=None),), totals={"pg_wal.written_bytes": None})
    found = difference(
        before, snapshot(1, (row(reads=None, writes=3),), totals={"pg_wal.written_bytes": None})
    )
    assert isinstance(found, Delta)
    assert found.totals["pg_wal.written_bytes"] is None
    assert found.io[0].reads is None


def table(name: str, read: int, hit: int = 0) -> RelationCounters:
    return RelationCounters(
        schema_name="public",
        name=name,
        heap_blocks_read=read,
        heap_blocks_hit=hit,
        index_blocks_read=0,
        index_blocks_hit=0,
        rows_inserted=0,
        rows_updated=0,
        rows_deleted=0,
        sequential_scans=0,
    )


def test_tables_by_what_they_read() -> None:
    before = snapshot(0, relations=(table("calm", 7, 7), table("busy", 10), table("remade", 900)))
    after = snapshot(
        1, relations=(table("calm", 7, 7), table("busy", 30), table("remade", 5), table("new", 25))
    )
    gained = relations_difference(before, after)
    assert not isinstance(gained, Gap)
    assert [(one.name, one.heap_blocks_read) for one in gained] == [("new", 25), ("busy", 20), ("remade", 5)]
    assert isinstance(relations_difference(before, snapshot(1, started_at=RESET + timedelta(1))), Gap)


def test_rows_that_a_table_has_are_no_difference() -> None:
    before = table("orders", 10).but(rows_live=100, rows_dead=90, rows_scanned=1000)
    after = table("orders", 30).but(rows_live=120, rows_dead=5, rows_scanned=4000)
    gained = relations_difference(snapshot(0, relations=(before,)), snapshot(1, relations=(after,)))
    assert not isinstance(gained, Gap)
    (one,) = gained
    assert (one.heap_blocks_read, one.rows_scanned, one.rows_live, one.rows_dead) == (20, 3000, 120, 5)

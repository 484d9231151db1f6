"""SLOB's method on real servers: tables as promised, counts that agree, and each parameter doing what it says."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import psycopg
import pytest

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, embedded, open_database
from plimsoll.demand.snapshots import demand_of_snapshots
from plimsoll.facts import Event, Proof
from plimsoll.ports import processes
from plimsoll.proof.slices import bucket_of
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from plimsoll.proof.slob.run import SlobRun, run_slob
from plimsoll.rules import interval_of_demand, judge
from proof_doubts import our_doubts
from slob_tables import count, dropped, is_measuring, seen

SCALE = 512
BRIEF = {"run_time_s": 1.0, "warm_up_s": 0.5, "work_unit": 16}


@pytest.fixture
def loaded(ctx: Context, server_18: embedded.Server) -> Iterator[Connection]:
    """Two schemas of 512 blocks, dropped after the test."""
    with open_database(ctx, server_18.url) as connection:
        tables.setup(ctx, connection, parameters(schemas=2, scale=SCALE, scan_table=32))
        yield connection
        dropped(connection)


def run(ctx: Context, connection: Connection, **given: Any) -> SlobRun:
    return run_slob(ctx, connection, parameters(**(BRIEF | {"schemas": 2} | given)))


def proved(ctx: Context, connection: Connection, **given: Any) -> Proof:
    proof = run(ctx, connection, **given).proof
    assert our_doubts(proof) == []
    return proof


def test_each_block_holds_one_row_and_keys_lie_far_apart(
    loaded: Connection, server_18: embedded.Server
) -> None:
    found = seen(loaded)
    assert found is not None
    assert found.one_row_per_block
    assert {(table.table, table.rows) for table in found.tables} == {
        ("cf1_1", SCALE), ("cf2_1", 32), ("cf1_2", SCALE), ("cf2_2", 32),
    }  # fmt: skip
    with psycopg.connect(server_18.url) as session:
        rows = session.execute(
            "select ctid::text, custid from plimsoll_slob.cf1_1 order by custid"
        ).fetchall()
    places = [int(place.strip("()").split(",")[0]) for place, _ in rows]
    assert sorted(places) == list(range(SCALE))
    neighbours = sum(abs(one - other) == 1 for one, other in pairwise(places))
    assert neighbours < SCALE / 50


def test_both_counts_agree_and_sessions_fill_the_window(ctx: Context, loaded: Connection) -> None:
    proof = proved(ctx, loaded, threads=2, update_pct=20)
    assert {one.what: one.holds for one in proof.agreements} == {
        "rows and blocks of the tables": True,
        "blocks read by key, with warm-up": True,
        "blocks updated, with warm-up": True,
        "commits in the window": True,
    }
    exact = [one for one in proof.agreements if one.what.startswith("blocks ")]
    assert all(one.sessions_count == one.server_count for one in exact)
    assert proof.window is not None
    assert len(proof.sessions) == 4
    for session in proof.sessions:
        assert session.start is not None
        assert session.end is not None
        assert proof.window.start <= session.start < session.end <= proof.window.end
    assert proof.origin is not None
    assert proof.origin.system_cache_per_s == 0
    assert proof.operations_per_s
    assert {piece.operation for piece in proof.slices} == {"select", "update", "commit"}


def test_a_proof_explains_what_its_sessions_waited_for(ctx: Context, loaded: Connection) -> None:
    drove = run(ctx, loaded, threads=2, update_pct=20, run_time_s=4.0).drove
    demand = demand_of_snapshots(loaded.database, drove.snapshots)
    assert demand is not None
    seen = interval_of_demand(demand)
    assert seen.db_time is not None
    assert seen.db_time.value > 0
    assert sum(seen.parts.values()) == pytest.approx(seen.db_time.value)
    assert judge(seen).answer not in ("cannot tell", "idle")
    assert demand.counts["pg_stat_wal.wal_bytes"] > 0


def test_older_servers_are_driven_too(ctx: Context, server: embedded.Server) -> None:
    with open_database(ctx, server.url) as connection:
        tables.setup(ctx, connection, parameters(schemas=2, scale=SCALE, scan_table=32))
        try:
            proof = proved(ctx, connection, threads=2, update_pct=20, scan_pct=10)
        finally:
            dropped(connection)
    assert {one.what: one.holds for one in proof.agreements if one.holds is not True} == {}
    assert proof.physical_reads_per_s is not None
    assert proof.commit is not None


def test_updates_are_drawn_for_each_operation(ctx: Context, loaded: Connection) -> None:
    proof = proved(ctx, loaded, update_pct=60)
    selects, updates = count(proof, "select"), count(proof, "update")
    assert abs(updates - 0.6 * (selects + updates)) < 6 * (0.24 * (selects + updates)) ** 0.5


def test_the_same_seed_touches_the_same_blocks(
    ctx: Context, loaded: Connection, server_18: embedded.Server
) -> None:
    """With a number of operations, so that the machine's speed is no part of it."""
    given = {
        "update_pct": 100,
        "work_loop": 20,
        "work_unit": 4,
        "seed": 7,
        "warm_up_s": 1.0,
        "run_time_s": 5.0,
    }
    changed = []
    for _ in range(2):
        with psycopg.connect(server_18.url, autocommit=True) as session:
            session.execute("update plimsoll_slob.cf1_1 set c2 = 'untouched'")
        run(ctx, loaded, **given)
        with psycopg.connect(server_18.url) as session:
            query = "select custid, c2 from plimsoll_slob.cf1_1 where c2 <> 'untouched' order by custid"
            changed.append(session.execute(query).fetchall())
    assert changed[0]
    assert changed[0] == changed[1]


@pytest.mark.parametrize(
    "given",
    [
        {"update_pct": 0},
        {"update_pct": 100, "redo_stress": "HEAVY"},
        {"scan_pct": 50},
        {"update_work_unit": 4, "update_pct": 50},
        {"hot_schema_frequency": 2},
        {"threads": 3, "seed": 99},
    ],
)
def test_parameters_keep_the_counts_in_agreement(
    ctx: Context, loaded: Connection, given: dict[str, Any]
) -> None:
    proof = proved(ctx, loaded, **given)
    if given.get("scan_pct"):
        assert count(proof, "scan") > 0
        assert "blocks scanned, with warm-up" in {one.what for one in proof.agreements}
    if given.get("update_work_unit"):
        update = next(one for one in proof.operations if one.name == "update")
        assert update.blocks == 4 * update.operations


def test_a_hot_spot_is_where_updates_go(ctx: Context, loaded: Connection, server_18: embedded.Server) -> None:
    with psycopg.connect(server_18.url, autocommit=True) as session:
        session.execute("update plimsoll_slob.cf1_1 set c2 = 'untouched'")
    hot = {"hotspot": 32, "hotspot_offset": 100, "hotspot_frequency": 1}
    proved(ctx, loaded, update_pct=100, schemas=1, **hot)
    with psycopg.connect(server_18.url) as session:
        query = "select min(custid), max(custid) from plimsoll_slob.cf1_1 where c2 <> 'untouched'"
        low, high = session.execute(query).fetchall()[0]
    assert 100 < low <= high <= 132


def test_a_rate_is_kept_and_latency_counts_from_when_it_was_due(ctx: Context, loaded: Connection) -> None:
    proof = proved(ctx, loaded, rate_per_s=100.0, update_pct=0, run_time_s=3.0)
    expected = 100 * 3
    assert abs(count(proof, "select") - expected) < 6 * expected**0.5
    assert proof.lateness_us_max is not None


def test_thinking_makes_sessions_idle_and_is_no_doubt(ctx: Context, loaded: Connection) -> None:
    proof = proved(ctx, loaded, think_frequency=1, think_s_min=0.05, think_s_max=0.1)
    assert 0 < count(proof, "select") + count(proof, "update") <= 2 * 2 * 20 + 2


def test_a_number_of_operations_ends_each_session(ctx: Context, loaded: Connection) -> None:
    proof = proved(ctx, loaded, work_loop=1000, run_time_s=60.0, work_unit=1)
    done = sum(one.operations for one in proof.operations if one.name != "commit")
    assert done == 2 * 1000


def test_the_servers_buckets_are_ours(server_18: embedded.Server) -> None:
    """The formula of the procedure, over all doublings."""
    values = [0, 1, 255, 256, 257, 511, 512, 1000, 4095, 65_536, 10**6, 10**7 + 1, 2**31, 2**32 - 1]
    query = (
        "select shift * 128 + (took >> shift) from (select took, width_bucket(took, (select array_agg(256::bigint << n"
        " order by n) from generate_series(0, 24) n)) as shift from unnest(%s::bigint[]) took) x"
    )
    with psycopg.connect(server_18.url) as session:
        found = [row[0] for row in session.execute(query, [values]).fetchall()]
    assert found == [bucket_of(value) for value in values]


def test_commits_of_one_session_are_explained_by_the_log(ctx: Context, loaded: Connection) -> None:
    proof = proved(ctx, loaded, schemas=1, update_pct=100, work_unit=1)
    parts = proof.commit
    assert parts is not None
    assert parts.log_syncs == pytest.approx(1, rel=0.05)
    assert parts.parts_share is not None
    assert parts.parts_share <= 1.02


def test_tables_are_made_once(ctx: Context, loaded: Connection) -> None:
    with pytest.raises(PlimsollError) as refused:
        tables.setup(ctx, loaded, parameters(scale=SCALE))
    assert refused.value.id == "slob-exists"


def test_more_schemas_than_there_are(ctx: Context, loaded: Connection) -> None:
    with pytest.raises(PlimsollError, match="3 schemas were asked for and 2 are there"):
        run(ctx, loaded, schemas=3)


def test_nothing_to_drive(ctx: Context, server_18: embedded.Server) -> None:
    with open_database(ctx, server_18.url) as connection:
        assert seen(connection) is None
        assert dropped(connection) is None
        with pytest.raises(PlimsollError) as refused:
            run(ctx, connection)
    assert refused.value.id == "slob-missing"


def test_a_schema_of_somebody_else_is_left_alone(ctx: Context, server_18: embedded.Server) -> None:
    with psycopg.connect(server_18.url, autocommit=True) as admin:
        admin.execute("create schema plimsoll_slob create table cf1_1 (precious int)")
        try:
            with open_database(ctx, server_18.url) as connection:
                for act in (
                    lambda: tables.setup(ctx, connection, parameters(scale=SCALE)),
                    lambda: dropped(connection),
                    lambda: run(ctx, connection),
                ):
                    with pytest.raises(PlimsollError) as refused:
                        act()
                    assert refused.value.id == "proof-foreign"
            assert admin.execute("select count(*) from plimsoll_slob.cf1_1").fetchall() == [(0,)]
        finally:
            admin.execute("drop schema plimsoll_slob cascade")


def test_a_table_of_somebody_else_among_ours_stops_the_drop(
    loaded: Connection, server_18: embedded.Server
) -> None:
    with psycopg.connect(server_18.url, autocommit=True) as admin:
        admin.execute("create table plimsoll_slob.precious (n int)")
        with pytest.raises(PlimsollError, match="precious") as refused:
            dropped(loaded)
        assert refused.value.id == "proof-foreign"
        admin.execute("drop table plimsoll_slob.precious")


def test_a_load_that_is_cut_short_is_known_as_such(ctx: Context, server_18: embedded.Server) -> None:
    stopping = replace(ctx, events=lambda event: ctx.cancel.set())
    with open_database(ctx, server_18.url) as connection:
        with pytest.raises(Interrupted):
            tables.setup(stopping, connection, parameters(scale=400_000, schemas=2))
        found = seen(connection)
        assert found is not None
        assert found.state == "loading"
        with pytest.raises(PlimsollError) as refused:
            run(ctx, connection)
        assert refused.value.id == "slob-partial"
        assert dropped(connection) is not None
        assert seen(connection) is None


def test_a_server_that_goes_in_mid_run_leaves_what_was_counted(ctx: Context) -> None:
    with embedded.running(ctx) as server, embedded.connected(ctx, server) as connection:
        tables.setup(ctx, connection, parameters(scale=SCALE))
        postmaster = processes.identity(server.process.pid)
        assert postmaster is not None

        def kill_when_counted(event: Event) -> None:
            if is_measuring(event):
                processes.send(postmaster, signal.SIGQUIT)

        found = run(replace(ctx, events=kill_when_counted), connection, schemas=1, run_time_s=30.0)
    assert found.drove.failure is not None
    assert found.drove.failure.id == "database-lost"
    assert not found.proof.holds
    assert found.proof.doubts[0] == found.drove.failure.message
    assert sum(one.operations for one in found.proof.operations) > 0

"""SLOB's method on a real MariaDB: one row to a page, counts that agree, each parameter doing what it says, and nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from mariadb_server import MariadbServer
from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, open_database
from plimsoll.facts import Proof
from plimsoll.proof.slices import bucket_of
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from plimsoll.proof.slob.run import run_slob
from slob_tables import count, dropped, seen

SCALE, SCANNED = 512, 256
BRIEF: dict[str, Any] = {"run_time_s": 1.0, "warm_up_s": 0.5, "work_unit": 16, "schemas": 2}


@pytest.fixture
def loaded(ctx: Context, mariadb_server: MariadbServer) -> Iterator[Connection]:
    """Two schemas of 512 pages, dropped after the test."""
    with open_database(ctx, mariadb_server.url) as connection:
        tables.setup(ctx, connection, parameters(schemas=2, scale=SCALE, scan_table=SCANNED))
        yield connection
        dropped(connection)


def asked(server: MariadbServer, sql: str) -> list[tuple[Any, ...]]:
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def proof_of(ctx: Context, connection: Connection, **given: Any) -> Proof:
    return run_slob(ctx, connection, parameters(**(BRIEF | given))).proof


def agreeing(ctx: Context, connection: Connection, **given: Any) -> Proof:
    """A proof whose counts agree. How much of the window its sessions filled is a matter of the machine."""
    proof = proof_of(ctx, connection, **given)
    assert [one.what for one in proof.agreements if one.holds is not True] == []
    return proof


def settled(connection: Connection) -> None:
    """Until the server's background neither reads nor writes pages."""
    for _ in range(100):
        before = connection.snapshot()
        time.sleep(0.5)
        after = connection.snapshot()
        names = ("pages_read", "pages_written", "data_writes")
        if all(
            after.totals[name] == before.totals[name]
            for name in (f"global_status.innodb_{one}" for one in names)
        ):
            return
    raise AssertionError("the server did not come to rest")


def test_each_page_holds_one_row_and_keys_lie_far_apart(
    loaded: Connection, mariadb_server: MariadbServer
) -> None:
    found = seen(loaded)
    assert found is not None
    assert found.state == tables.LOADED
    assert found.one_row_per_block
    assert {(table.table, table.rows) for table in found.tables} == {
        ("cf1_1", SCALE), ("cf2_1", SCANNED), ("cf1_2", SCALE), ("cf2_2", SCANNED),
    }  # fmt: skip
    rows = asked(mariadb_server, "select place div 2 from plimsoll_slob.cf1_1 order by custid")
    places = [int(place) for (place,) in rows]
    assert sorted(places) == list(range(SCALE))
    assert sum(abs(one - other) == 1 for one, other in pairwise(places)) < SCALE / 50


@pytest.mark.parametrize("rows", [1, 2, 16, 20, 21, 32, 33, 100])
def test_pages_of_small_tables_are_counted_too(
    ctx: Context, mariadb_server: MariadbServer, rows: int
) -> None:
    with open_database(ctx, mariadb_server.url) as connection:
        try:
            made = tables.setup(ctx, connection, parameters(scale=64, scan_table=rows))
        finally:
            dropped(connection)
    assert [(table.rows, table.blocks) for table in made.tables] == [(64, 64), (rows, rows)]


def test_a_read_of_a_row_is_a_read_of_a_page(loaded: Connection, mariadb_server: MariadbServer) -> None:
    """Rows read by key from a cold cache: as many pages as rows, and a few of the index."""
    asked(mariadb_server, "create or replace table test.other (n int primary key, filler varchar(2000))")
    asked(mariadb_server, "insert into test.other select seq, repeat('x', 2000) from seq_1_to_30000")
    settled(loaded)
    asked(mariadb_server, "select count(filler) from test.other")  # pushes the others out of the cache
    settled(loaded)
    before = loaded.snapshot()
    query = (
        "select count(c2) from plimsoll_slob.cf1_1 force index (cf1_1_custid) where custid between 1 and 400"
    )
    assert asked(mariadb_server, query) == [(400,)]
    read = loaded.counts(before, loaded.snapshot()).block_reads or 0
    assert 400 <= read <= 410


def test_both_counts_agree_and_commits_are_one_to_an_operation(ctx: Context, loaded: Connection) -> None:
    proof = agreeing(ctx, loaded, threads=2, update_pct=30)
    assert {one.what for one in proof.agreements} == {
        "rows and blocks of the tables",
        "blocks read by key, with warm-up",
        "blocks updated, with warm-up",
        "commits, with warm-up",
    }
    updated = next(one for one in proof.agreements if one.what == "blocks updated, with warm-up")
    assert updated.sessions_count == updated.server_count
    assert count(proof, "commit") == count(proof, "update") > 0
    assert proof.window is not None
    assert all(one.start and one.end and one.start < one.end for one in proof.sessions)
    assert proof.origin is not None
    assert proof.origin.system_cache_per_s == 0
    assert proof.redo_mb_per_s
    update = next(one for one in proof.operations if one.name == "update")
    assert update.failed == 0
    assert update.blocks == 16 * update.operations


@pytest.mark.parametrize(
    "given",
    [
        {"update_pct": 0},
        {"update_pct": 100, "redo_stress": "HEAVY"},
        {"scan_pct": 50},
        {"update_work_unit": 4, "update_pct": 50},
        {"hot_schema_frequency": 2, "update_pct": 50},
        {"think_frequency": 3, "think_s_min": 0.001, "think_s_max": 0.002},
    ],
)
def test_parameters_keep_the_counts_in_agreement(
    ctx: Context, loaded: Connection, given: dict[str, Any]
) -> None:
    proof = agreeing(ctx, loaded, **given)
    if given.get("scan_pct"):
        assert count(proof, "scan") > 0
        assert "blocks scanned, with warm-up" in {one.what for one in proof.agreements}
    if given.get("update_work_unit"):
        update = next(one for one in proof.operations if one.name == "update")
        assert update.blocks == 4 * update.operations


def test_heavy_updates_write_more_log(ctx: Context, loaded: Connection) -> None:
    per_update = []
    for stress in ("LITE", "HEAVY"):
        proof = agreeing(ctx, loaded, schemas=1, update_pct=100, redo_stress=stress)
        assert proof.window is not None
        assert proof.redo_mb_per_s is not None
        per_update.append(proof.redo_mb_per_s * proof.window.duration_s / count(proof, "update"))
    assert per_update[1] > 2 * per_update[0]


def test_a_hot_spot_is_where_updates_go(
    ctx: Context, loaded: Connection, mariadb_server: MariadbServer
) -> None:
    asked(mariadb_server, "update plimsoll_slob.cf1_1 set c2 = 'untouched'")
    agreeing(ctx, loaded, update_pct=100, schemas=1, hotspot=32, hotspot_offset=100, hotspot_frequency=1)
    query = "select min(custid), max(custid) from plimsoll_slob.cf1_1 where c2 <> 'untouched'"
    ((low, high),) = asked(mariadb_server, query)
    assert 100 < low <= high <= 132


def test_the_same_seed_touches_the_same_blocks(
    ctx: Context, loaded: Connection, mariadb_server: MariadbServer
) -> None:
    changed = []
    for seed in (7, 7, 8):
        asked(mariadb_server, "update plimsoll_slob.cf1_1 set c2 = 'untouched'")
        proof_of(ctx, loaded, update_pct=100, work_loop=20, work_unit=4, seed=seed, run_time_s=10.0)
        query = "select custid from plimsoll_slob.cf1_1 where c2 <> 'untouched' order by custid"
        changed.append(asked(mariadb_server, query))
    assert changed[0]
    assert changed[0] == changed[1] != changed[2]


def test_a_rate_is_kept_and_latency_counts_from_when_it_was_due(ctx: Context, loaded: Connection) -> None:
    proof = agreeing(ctx, loaded, rate_per_s=100.0, update_pct=0, run_time_s=3.0)
    assert abs(count(proof, "select") - 300) < 6 * 300**0.5
    assert proof.lateness_us_max is not None


def test_a_number_of_operations_ends_each_session(ctx: Context, loaded: Connection) -> None:
    proof = agreeing(ctx, loaded, work_loop=1000, run_time_s=60.0, work_unit=1)
    assert sum(one.operations for one in proof.operations if one.name != "commit") == 2 * 1000


def test_a_lock_that_another_holds_is_a_failed_operation(
    ctx: Context, loaded: Connection, mariadb_server: MariadbServer
) -> None:
    """The wait ends after the server's shortest limit; the session goes on, and what it undid is not counted as done."""
    asked(mariadb_server, "set global innodb_lock_wait_timeout = 1")
    try:
        with mariadb_server.connect() as holder, holder.cursor() as cursor:
            cursor.execute("begin")
            cursor.execute("update plimsoll_slob.cf1_1 set c3 = 'held' where custid between 1 and 512")
            proof = proof_of(ctx, loaded, schemas=1, update_pct=100, work_unit=4, run_time_s=4.0)
            cursor.execute("rollback")
    finally:
        asked(mariadb_server, "set global innodb_lock_wait_timeout = 50")
    update = next(one for one in proof.operations if one.name == "update")
    assert update.failed is not None
    assert update.failed > 0
    assert update.operations == 0


def test_the_procedures_buckets_are_ours(loaded: Connection) -> None:
    """The formula of the procedure, over all doublings."""
    values = [0, 1, 255, 256, 257, 511, 512, 1000, 4095, 65_536, 10**6, 10**7 + 1, 2**31, 2**32 - 1]
    session = loaded.session("test")
    shift = "if(took < 256, 0, length(bin(took)) - 8)"
    listed = " union all ".join(f"select {value} as took" for value in values)
    query = f"select ({shift}) * 128 + (took >> ({shift})) from ({listed}) t order by took"
    found = [int(row[0]) for row in session.run(query)]
    session.close()
    assert found == [bucket_of(value) for value in values]


def test_counts_come_back_as_pairs(ctx: Context, loaded: Connection) -> None:
    proof_of(ctx, loaded, work_loop=1, run_time_s=2.0)  # makes the procedures
    session = loaded.session("test")
    session.run(
        "set @counts = insert(insert(repeat('000000', 3456), 42 * 6 + 1, 6, '000007'), 3455 * 6 + 1, 6, '123456')"
    )
    session.run("call plimsoll_slob.plimsoll_pairs(@counts, '00423455', @pairs)")
    ((pairs,),) = session.run("select @pairs")
    session.close()
    assert json.loads(f"[{pairs}]") == [[42, 7], [3455, 123456]]


def test_tables_are_made_once_and_dropped_once(ctx: Context, mariadb_server: MariadbServer) -> None:
    with open_database(ctx, mariadb_server.url) as connection:
        assert seen(connection) is None
        assert dropped(connection) is None
        with pytest.raises(PlimsollError) as refused:
            proof_of(ctx, connection)
        assert refused.value.id == "slob-missing"
        tables.setup(ctx, connection, parameters(scale=64, scan_table=8))
        with pytest.raises(PlimsollError) as refused:
            tables.setup(ctx, connection, parameters(scale=64, scan_table=8))
        assert refused.value.id == "slob-exists"
        assert dropped(connection) is not None
        assert seen(connection) is None


def test_what_somebody_else_made_is_left_alone(ctx: Context, mariadb_server: MariadbServer) -> None:
    asked(mariadb_server, "create database plimsoll_slob")
    asked(mariadb_server, "create table plimsoll_slob.cf1_1 (precious int)")
    try:
        with open_database(ctx, mariadb_server.url) as connection:
            for act in (
                lambda: tables.setup(ctx, connection, parameters(scale=64)),
                lambda: dropped(connection),
                lambda: proof_of(ctx, connection),
            ):
                with pytest.raises(PlimsollError) as refused:
                    act()
                assert refused.value.id == "proof-foreign"
        assert asked(mariadb_server, "select count(*) from plimsoll_slob.cf1_1") == [(0,)]
    finally:
        asked(mariadb_server, "drop database plimsoll_slob")


def test_a_table_of_somebody_else_among_ours_stops_the_drop(
    loaded: Connection, mariadb_server: MariadbServer
) -> None:
    asked(mariadb_server, "create table plimsoll_slob.precious (n int)")
    with pytest.raises(PlimsollError, match="precious") as refused:
        dropped(loaded)
    assert refused.value.id == "proof-foreign"
    asked(mariadb_server, "drop table plimsoll_slob.precious")


def test_a_load_that_is_cut_short_is_known_as_such(ctx: Context, mariadb_server: MariadbServer) -> None:
    stopping = replace(ctx, events=lambda event: ctx.cancel.set())
    with open_database(ctx, mariadb_server.url) as connection:
        with pytest.raises(Interrupted):
            tables.setup(stopping, connection, parameters(scale=100_000, schemas=2))
        found = seen(connection)
        assert found is not None
        assert found.state == tables.LOADING
        with pytest.raises(PlimsollError) as refused:
            proof_of(ctx, connection)
        assert refused.value.id == "slob-partial"
        assert dropped(connection) is not None
        assert seen(connection) is None


def test_commits_agree_on_a_busy_machine_and_without_innodb_counting_transactions(
    ctx: Context, loaded: Connection, mariadb_server: MariadbServer
) -> None:
    """InnoDB counts them without a lock and loses some; a reading beside sessions at work holds some of the window's."""
    asked(mariadb_server, "set global innodb_monitor_disable = 'module_trx'")
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        with open_database(ctx, mariadb_server.url) as connection:
            assert "commits-off" in {note.code for note in connection.notes}
            proof = agreeing(ctx, connection, update_pct=20, threads=2)
    finally:
        for other in others:
            other.kill()
            other.wait()
        asked(mariadb_server, "set global innodb_monitor_enable = 'module_trx'")
    commits = next(one for one in proof.agreements if one.what.startswith("commits"))
    assert commits.sessions_count == commits.server_count

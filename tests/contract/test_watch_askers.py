"""Reads that workers of PostgreSQL 18 do for sessions, beside what it counts for each session (`pg_stat_get_backend_io`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from databases_fixture import context
from plimsoll.databases import embedded
from plimsoll.native import block_probe
from plimsoll.observe.block_io import BlockIo, BlockReading, BlockWatch
from plimsoll.observe.roles import CLIENT_BACKEND, IO_WORKER

FOLDER = Path("/var/tmp")
"""On disk, where /tmp may be memory."""
WORKERS = 3
ROUNDS = 10
TABLE_ROWS = (2_000, 3_500, 5_000)
"""Of a block each, more in all than the server's cache holds."""
COUNTED = """
    select pg_backend_pid(), sum(reads)::bigint, sum(read_bytes)::bigint from pg_stat_get_backend_io(pg_backend_pid())
"""

_DATA = re.compile("/data/(base|global)/")

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[embedded.Server]:
    """It reads past the page cache, so that each of its reads is one of the disk, and one block at a time."""
    settings = {
        "io_method": "worker",
        "io_workers": str(WORKERS),
        "io_combine_limit": "8kB",
        "shared_buffers": "2MB",
        "autovacuum": "off",
        "max_parallel_workers_per_gather": "0",
    }
    journal = tmp_path_factory.mktemp("journal")
    with context(journal) as (ctx, _), embedded.running(ctx, FOLDER, settings) as made:
        yield made


@pytest.fixture
def sessions(server: embedded.Server) -> Iterator[list[Any]]:
    """One for each table."""
    psycopg = pytest.importorskip("psycopg")
    opened = [psycopg.connect(server.url, autocommit=True) for _ in TABLE_ROWS]
    for number, rows in enumerate(TABLE_ROWS):
        opened[0].execute(f"drop table if exists t{number}")
        opened[0].execute(f"create table t{number} (filler text) with (fillfactor = 10)")
        opened[0].execute(f"alter table t{number} alter filler set storage plain")
        opened[0].execute(f"insert into t{number} select repeat('x', 5000) from generate_series(1, {rows})")
    opened[0].execute("checkpoint")
    yield opened
    for session in opened:
        session.close()


@pytest.fixture
def watch(server: embedded.Server) -> Iterator[BlockWatch]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    probe = block_probe.start()
    yield BlockWatch(probe)
    probe.stop()


def counted(sessions: Sequence[Any]) -> dict[int, tuple[int, int]]:
    """What the server counts of each session, by its process: reads and bytes."""
    found: dict[int, tuple[int, int]] = {}
    for session in sessions:
        session.execute("select pg_stat_force_next_flush()")
        pid, reads, read_bytes = session.execute(COUNTED).fetchone()
        found[pid] = (reads, read_bytes)
    return found


def read_all(sessions: Sequence[Any]) -> None:
    """All tables at the same time."""

    def scan(number: int) -> None:
        sessions[number].execute(f"select count(*) from t{number}")

    with ThreadPoolExecutor(len(sessions)) as pool:
        list(pool.map(scan, range(len(sessions))))


def direct_reads(reading: BlockReading) -> list[BlockIo]:
    """Of tables and their like: reads of programs and of settings pass the page cache."""
    return [row for row in reading.rows if row.operation == "read" and _DATA.search(row.file or "")]


def workers_of(sessions: Sequence[Any]) -> set[int]:
    """Of this server: those of other tests may begin and end meanwhile."""
    found = (
        sessions[0].execute("select pid from pg_stat_activity where backend_type = 'io worker'").fetchall()
    )
    return {pid for (pid,) in found}


def worker_bytes(workers: set[int]) -> int:
    """Which the kernel says that workers read, for whomever."""
    told = (Path(f"/proc/{pid}/io").read_text() for pid in workers)
    return sum(int(text.partition("\nread_bytes:")[2].split()[0]) for text in told)


def test_each_session_has_the_reads_that_workers_did_for_it(watch: BlockWatch, sessions: list[Any]) -> None:
    watch.begin()
    workers = workers_of(sessions)
    assert len(workers) == WORKERS
    assert workers <= watch.askers.pids, watch.askers.unknown_because
    tables = [
        sessions[0].execute(f"select pg_relation_filepath('t{number}')").fetchone()[0] for number in range(3)
    ]
    read_all(sessions)
    counted(sessions)  # which reads of catalogs itself, the first time
    for _ in range(ROUNDS):
        before, by_workers = counted(sessions), -worker_bytes(workers)
        watch.read()
        read_all(sessions)
        reading = watch.read()
        by_workers += worker_bytes(workers)
        reads = direct_reads(reading)
        # How much of all depends on the machine: a session reads itself where the workers' queue is full.
        assert by_workers > 0
        for pid, (ios, read_bytes) in counted(sessions).items():
            theirs = [row for row in reads if row.pid == pid]
            assert sum(row.ios for row in theirs) == pytest.approx(ios - before[pid][0], rel=0.01)
            assert sum(row.bytes for row in theirs) == pytest.approx(read_bytes - before[pid][1], rel=0.01)
            assert {row.role for row in theirs} == {CLIENT_BACKEND}
        by_table = {
            table: [row for row in reads if (row.file or "").endswith(f"/data/{table}")] for table in tables
        }
        for rows, theirs in zip(TABLE_ROWS, by_table.values(), strict=True):
            assert 0 < sum(row.ios for row in theirs) <= rows, (
                "each row is a block of its table, and some are at hand"
            )
        assert not [row for row in reads if row.pid in workers], "each of theirs is booked on who asked"


def test_workers_that_were_not_found_before_are_once_they_were_seen_at_work(
    watch: BlockWatch, sessions: list[Any]
) -> None:
    roles: list[set[str]] = []
    for _ in range(2):
        read_all(sessions)
        roles.append({row.role for row in direct_reads(watch.read())})
    assert IO_WORKER in roles[0]
    assert CLIENT_BACKEND in roles[1]
    assert watch.askers.unknown_because == ()
    at_work = {row.pid for row in direct_reads(watch.read()) if row.role == IO_WORKER}
    assert at_work.isdisjoint(workers_of(sessions)), "each of this server's is known by now"

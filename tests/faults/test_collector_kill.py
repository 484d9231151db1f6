"""A collector that is killed at any moment loses no confirmed snapshot, and invents nothing that the server did.

The server spills known numbers of temporary files and adds known numbers of rows, also while no collector is alive; all of them
are in the demand in the end, and not one more, in its counters and in what it tells of the table. The server is restarted, killed
and started again, and its counters are reset: each is one gap.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

import server_kill
from databases_fixture import PARENT, context
from plimsoll.databases import embedded
from plimsoll.demand.gained_rows import Gained, states
from plimsoll.demand.kept import Stretch, demand_and_stretches
from plimsoll.facts import KeptSnapshot
from plimsoll.flows.kept_rows import gained_between
from plimsoll.ports import processes
from plimsoll.store import open_store
from simulated import context as simulated_context
from zygote import Forked, zygote

PROGRAM = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from snapshot_collector import work"
)
KILLS = 10
RESTART, CRASH, RESET = 3, 6, 8
PERIOD_S = 0.1
SPILLS = "set work_mem = '64kB'; select count(*) from (select n from generate_series(1, 20000) n order by -n offset 0) x"
TEMP_FILES = "pg_stat_database.temp_files"
TABLE, ROWS = "worked", 7
"""So many rows are added to it beside each sort."""


@pytest.mark.timeout(240)
def test_kills_restarts_and_a_reset(tmp_path: Path, wheel: Path) -> None:
    location, draw = str(tmp_path / "store.sqlite"), random.Random(21)
    confirmed: list[str] = []
    spilt = 0
    with (
        context(tmp_path / "journal") as (ctx, _),
        embedded.running(ctx, PARENT) as server,
        zygote(PROGRAM) as parent,
    ):
        _run(server, f"create table {TABLE} (n int) with (autovacuum_enabled = off)")
        _spill(server, 1)
        ((files,),) = _run(server, "select sum(temp_files)::float8 from pg_stat_database")
        for kill in range(KILLS):
            collector = parent.started(server.url, location, str(PERIOD_S))
            confirmed += _next(collector, 2)
            if kill in (RESTART, CRASH):
                _restart(server) if kill == RESTART else server_kill.kill(server)
                server = embedded.start(ctx, server.cluster, embedded.SETTINGS)
                confirmed += _next(collector, 2)
            if kill == RESET:
                _run(server, "select pg_stat_reset()")
                confirmed += _next(collector, 2)
            spilt += _spill(server, draw.randint(1, 3))
            confirmed += _next(collector, draw.randint(0, 2))
            time.sleep(draw.uniform(0.0, 2 * PERIOD_S))
            confirmed += collector.kill().split()
            spilt += _spill(server, draw.randint(0, 2))
        collector = parent.started(server.url, location, str(PERIOD_S))
        confirmed += _next(collector, 2)
        collector.kill()
    kept = _kept(location)
    for kind in ("slru", "relations"):
        found = list(states(open_store(location).kept_rows(kept[0].series, kind)))
        assert [one.of.taken_at for one in found] == [one.snapshot.taken_at for one in kept]
        assert {one.unknown for one in found} == {None}
    assert set(confirmed) <= {one.snapshot.taken_at.isoformat() for one in kept}
    assert len({one.collector for one in kept}) == KILLS + 1
    demand, stretches = demand_and_stretches(kept)
    assert demand is not None
    assert len(stretches) == 4
    assert _added(location, stretches) == spilt * ROWS
    assert files == 2
    assert demand.counts[TEMP_FILES] == spilt * files
    assert demand.counts["pg_stat_database.tup_inserted"] == spilt * ROWS
    gaps = [one.gap or "" for one in demand.intervals if one.gap is not None]
    assert [gap.split(" at ")[0] for gap in gaps] == [
        "the server was restarted",
        "the server was restarted",
        "the counters of pg_stat_database were reset",
    ]


def _added(location: str, stretches: Sequence[Stretch]) -> float:
    """Rows that the table gained in all stretches, as its own rows tell."""
    added = 0.0
    with simulated_context(Path(location).parent / "reader") as made:
        ctx = replace(made, store=open_store(location))
        for stretch in stretches:
            found = gained_between(ctx, "relations", stretch.first, stretch.last)
            assert isinstance(found, Gained), found
            assert (found.unkept, found.gone) == (frozenset(), frozenset())
            for row in found.rows:
                assert not row.at_least
                added += (row.gains["rows_inserted"] or 0.0) if TABLE in row.names else 0.0
    return added


def _kept(location: str) -> list[KeptSnapshot]:
    store = open_store(location)
    (series,) = store.snapshot_series()
    return list(store.snapshots(series.series))


def _next(collector: Forked, count: int) -> list[str]:
    """So many snapshots that were taken from now on, and are confirmed: of the first that comes it is not known."""
    lines = [collector.stdout.readline().strip() for _ in range(count + 1 if count else 0)]
    assert all(lines), "the collector ended by itself"
    return lines


def _run(server: embedded.Server, *statements: str) -> list[tuple[Any, ...]]:
    """Rows of the last statement; what the session did is counted when this returns."""
    with psycopg.connect(server.url, autocommit=True) as session:
        rows: list[tuple[Any, ...]] = []
        for statement in (*statements, "select pg_stat_force_next_flush()", "select 1"):
            cursor = session.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description and statement in statements else rows
        return rows


def _spill(server: embedded.Server, times: int) -> int:
    """Sorts so often what does not fit into its memory, which takes two files each time; says how often."""
    setting, query = SPILLS.split("; ")
    insert = f"insert into {TABLE} select generate_series(1, {ROWS})"
    for _ in range(times):
        assert _run(server, setting, insert, query) == [(20000,)]
    return times


def _restart(server: embedded.Server) -> None:
    known = processes.identity(server.process.pid)
    assert known is not None
    assert processes.send(known, signal.SIGINT)
    server.process.wait(timeout=20)

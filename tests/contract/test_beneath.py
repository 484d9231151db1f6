"""A real PostgreSQL on this machine: what the kernel saw of its reads stands beside what it counted itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from databases_fixture import context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Demand
from plimsoll.ports.clock import SystemClock
from plimsoll.proof import pgbench

SCALE = 5
FOLDER = Path("/var/tmp")
"""On disk, where /tmp may be memory."""

pytestmark = pytest.mark.timeout(120)


def watched(tmp_path: Path, settings: Mapping[str, str]) -> Demand:
    """What eight seconds of reading single rows ask for, from a table that is far larger than the server's own cache."""
    with context(tmp_path, SystemClock()) as (ctx, _), embedded.running(ctx, FOLDER, settings) as server:
        pgbench.initialise(ctx, server.url, SCALE, programs=server.programs)
        load = pgbench.start(
            ctx,
            server.url,
            seconds=40,
            clients=2,
            script="select-only",
            rate_per_s=200.0,
            programs=server.programs,
        )
        try:
            with embedded.connected(ctx, server) as connection:
                return collect(ctx, connection, 8.0)
        finally:
            load.stop()


def test_what_the_cache_answers_is_said(tmp_path: Path, wheel: Path) -> None:
    """The tables were just written, so that all of them are in the system's cache."""
    demand = watched(tmp_path, {"debug_io_direct": "", "shared_buffers": "1MB"})
    assert demand.mean is not None
    assert demand.mean.classes["small_read"].ops_per_s is not None
    assert demand.mean.classes["small_read"].ops_per_s > 50
    assert any(one.beneath is not None for one in demand.intervals)
    assert demand.cached_read_share is not None
    assert demand.cached_read_share > 0.8
    assert "cached-reads" in {note.code for note in demand.notes}


def test_direct_reads_are_all_fetched(tmp_path: Path, wheel: Path) -> None:
    demand = watched(tmp_path, {"shared_buffers": "1MB"})
    told = [one.beneath for one in demand.intervals if one.beneath is not None]
    if not told or told[0].process_read_mb_per_s is None:
        pytest.skip("the kernel does not tell here what it fetched for the server's processes")
    assert demand.cached_read_share is not None
    assert demand.cached_read_share < 0.3
    assert "cached-reads" not in {note.code for note in demand.notes}

"""What one snapshot of `plimsoll demand --every` costs a PostgreSQL with 20,000 tables, in processor time of the server.

Each table has an index and a TOAST table and was written, so that none of them can be left out. A quick run makes 500.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool

from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import embedded
from plimsoll.ports.clock import SystemClock
from plimsoll.store import open_store

TABLES, QUICK_TABLES = 20_000, 500
SERVER_CPU_S_MAX = 0.5
_AT_ONCE = 500
"""Tables of one transaction: each holds locks until its end."""
_WORK = Path(__file__).parent / "kit" / "snapshot_work.py"
_MADE = """
do $$ begin for number in {first}..{last} loop
    execute format('create table t%s (id int primary key, v text)', number);
    execute format('insert into t%s values (1, ''x'')', number);
end loop; end $$
"""
_SETTINGS = {"fsync": "off", "autovacuum": "off", "shared_buffers": "128MB"}
"""Buffers as PostgreSQL's own default: they hold the catalogs, as those of any server with so many tables do."""


def main() -> int:
    """Runs it."""
    return bench.run("snapshot_cost", __doc__ or "", _measure, rounds=5, runtime_s=1, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    count = QUICK_TABLES if here.asked.rounds <= 2 else TABLES
    name = f"{count:,} tables"
    with _server(count) as url:
        # Not as a word of the command, which is kept with the result: it has a password.
        os.environ["PLIMSOLL_DATABASE"] = url
        tools = [
            Tool(what, (sys.executable, str(_WORK), what), _figures)
            for what in ("counters", "tables", "rows", "rows-and-sizes")
        ]
        here.measure(here.wanted([Case(name, tuple(tools))]))
    return [
        Aim(name, "server_cpu_s", "rows", median_max=SERVER_CPU_S_MAX),
        Aim(name, "server_cpu_s", "rows-and-sizes"),
        Aim(name, "server_cpu_s", "counters"),
        Aim(name, "server_cpu_s", "tables"),
    ]


def _figures(said: Any) -> Figures:
    return {name: float(value) for name, value in said.items()}


@contextmanager
def _server(count: int) -> Iterator[str]:
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as state, Scratch(Path(state), clock) as scratch:
        store = open_store(str(Path(state) / "store.sqlite"))
        ctx = Context(clock, lambda event: None, Cancel(), scratch, LocalExecutor(), store)
        with embedded.running(ctx, server_settings=_SETTINGS) as server:
            _fill(server.url, count)
            yield server.url


def _fill(url: str, count: int) -> None:
    print(f"making {count:,} tables", file=sys.stderr, flush=True)
    with psycopg.connect(url, autocommit=True) as session:
        for first in range(0, count, _AT_ONCE):
            last = min(count, first + _AT_ONCE) - 1
            session.execute(_MADE.format(first=first, last=last).encode())


if __name__ == "__main__":
    sys.exit(main())

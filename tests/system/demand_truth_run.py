"""Drives an embedded database whose every transaction touches exactly one block, and prints three independent counts of it.

Run by test_demand_truth.py as a program of its own; where it may, inside a mount namespace with a file system on a loop
device that nothing else uses. Each block of the table has one row, the cache is a sixteenth of the table, and the blocks are
visited in one permutation again and again, so that a block has always left the cache before it is visited anew.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import psycopg

from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import DemandInterval
from plimsoll.ports.clock import SystemClock
from plimsoll.proof import pgbench

PAGES = 16_384
CLIENTS = 2
TRANSACTIONS = {"read": 10_000, "update": 5_000}
SECONDS_MAX = 240
"""Of a script that takes some seconds where the machine is idle: what we count ends with it and not before."""
SETTINGS = {
    "shared_buffers": "8MB",
    "autovacuum": "off",
    "checkpoint_timeout": "1h",
    "max_wal_size": "4GB",
    "wal_recycle": "off",
}
VISIT = f"""\\set i :i + 1
\\set page permute(mod(:i * {CLIENTS} + :client_id, {PAGES}), {PAGES})
"""
WHERE = "where ctid >= '(:page,0)' and ctid < '(:page,1000)';"
SCRIPTS = {
    "read": f"{VISIT}select count(*) from blocks {WHERE}",
    "update": f"{VISIT}update blocks set n = n + 1 {WHERE}",
}


def device_counts(device: tuple[int, int]) -> dict[str, int]:
    """Reads and writes that the device has completed, and their bytes (Documentation/admin-guide/iostats.rst)."""
    for line in Path("/proc/diskstats").read_text().splitlines():
        fields = line.split()
        if (int(fields[0]), int(fields[1])) == device:
            return {
                "reads": int(fields[3]),
                "read_bytes": int(fields[5]) * 512,
                "writes": int(fields[7]),
                "write_bytes": int(fields[9]) * 512,
            }
    return {}


def make_table(url: str) -> None:
    """One row of 3 000 bytes in each block, with room for its next version beside it."""
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("create table blocks (n int, filler text) with (fillfactor = 45)")
        session.execute("alter table blocks alter filler set storage plain")
        session.execute("insert into blocks select 0, repeat('x', 3000) from generate_series(1, %s)", [PAGES])
        session.execute("vacuum (freeze) blocks")
        session.execute("checkpoint")


def total(interval: DemandInterval, name: str, figure: str) -> float:
    """A rate of the interval as a count again."""
    rate = getattr(interval.classes[name], figure)  # type: ignore[index]
    assert rate is not None, f"{name} must be counted by PostgreSQL 18"
    return rate * interval.duration_s


def phase(
    ctx: Context, server: embedded.Server, name: str, first: int, device: tuple[int, int]
) -> dict[str, Any]:
    """One script for some seconds, counted by pgbench, by us, and by the device."""

    def over() -> bool:
        if load.poll() is None:
            return False
        with psycopg.connect(server.url, autocommit=True) as session:
            session.execute("checkpoint")
        time.sleep(0.5)  # the checkpointer hands in its counters after it has answered
        return True

    os.sync()
    with embedded.connected(ctx, server) as connection:
        connection.snapshot()
        time.sleep(
            1.1
        )  # what this session itself has read is handed in a second later, with the next reading
        connection.snapshot()
        before = device_counts(device)
        load = pgbench.start(
            ctx,
            server.url,
            seconds=SECONDS_MAX,
            transactions_per_client=TRANSACTIONS[name],
            clients=CLIENTS,
            script=SCRIPTS[name],
            protocol="simple",
            programs=server.programs,
            variables={"i": first},
        )
        demand = collect(ctx, connection, SECONDS_MAX, until=over)
    os.sync()
    after = device_counts(device)
    mean, counted = demand.mean, load.result()
    assert mean is not None, demand.notes
    writes = [
        (kind, total(mean, kind, "bytes_per_s")) for kind in ("small_write", "large_write", "redo_write")
    ]
    return {
        "seconds": mean.duration_s,
        "pgbench_transactions": counted.transactions,
        "pgbench_per_s": [second.tps for second in counted.seconds],
        "our_reads": total(mean, "small_read", "ops_per_s") + total(mean, "large_read", "ops_per_s"),
        "our_reads_per_s": [interval.classes["small_read"].ops_per_s for interval in demand.intervals],
        "peak_reads_per_s": None if demand.peak is None else demand.peak.classes["small_read"].ops_per_s,
        "our_data_writes": total(mean, "small_write", "ops_per_s"),
        "our_write_bytes": sum(count for _, count in writes),
        "our_write_bytes_by_class": dict(writes),
        "our_syncs": total(mean, "redo_write", "syncs_per_s"),
        "device": {key: after[key] - before[key] for key in after},
    }


def main(journal: Path, folder: Path) -> None:
    """Prints the counts of both scripts as one JSON document."""
    with Scratch(journal) as scratch:
        ctx = Context(SystemClock(), lambda _: None, Cancel(), scratch, LocalExecutor(), None)  # type: ignore[arg-type]
        with embedded.running(ctx, folder, SETTINGS) as server:
            make_table(server.url)
            number = os.stat(server.cluster.data_folder).st_dev
            device = (os.major(number), os.minor(number))
            phases = {
                name: phase(ctx, server, name, order * PAGES // 2, device)
                for order, name in enumerate(SCRIPTS)
            }
    print(json.dumps(phases, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

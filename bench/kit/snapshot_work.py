"""What a snapshot costs a PostgreSQL with many tables: a case of `bench/snapshot_cost.py`. Prints one JSON object.

usage: PLIMSOLL_DATABASE=URL snapshot_work.py counters|tables

`counters` is the snapshot that `plimsoll demand --every` keeps, `tables` one with the counters of each table. The figure is
processor time of the server's own process for the session, by the kernel, over several snapshots of it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from plimsoll.databases.postgres import PostgresConnection

SNAPSHOTS = 5
"""The kernel counts in hundredths of a second."""


def main() -> int:
    """Takes the snapshots of one session."""
    (what,) = sys.argv[1:]
    with closing(PostgresConnection(os.environ["PLIMSOLL_DATABASE"])) as connection:
        process = connection.server_process
        assert process is not None, "postgresql tells it"
        before_s, begun_s = _cpu_s(process), time.monotonic()
        snapshots = [connection.snapshot(relations=what == "tables") for _ in range(SNAPSHOTS)]
        figures = {
            "server_cpu_s": (_cpu_s(process) - before_s) / SNAPSHOTS,
            "snapshot_s": (time.monotonic() - begun_s) / SNAPSHOTS,
            "tables": len(snapshots[-1].relations),
        }
    print(json.dumps(figures))
    return 0


def _cpu_s(process: int) -> float:
    """Of user and system, see proc_pid_stat(5); the fields behind the command's name."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())

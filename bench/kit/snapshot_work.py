"""What a snapshot costs a PostgreSQL with many tables: a case of `bench/snapshot_cost.py`. Prints one JSON object.

usage: PLIMSOLL_DATABASE=URL snapshot_work.py counters|tables|rows|rows-and-sizes

`rows-and-sizes` is the snapshot that `plimsoll demand --every` keeps, with the sizes of a share of the relations; `rows` is the
same with the size of about one relation, `counters` has no rows, `tables` is what a demand with the counters of each table reads.
The figure is processor time of the server's own process for the session, by the kernel, over several snapshots of it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from plimsoll.base import limits
from plimsoll.databases.postgres import PostgresConnection

SNAPSHOTS = 5
"""The kernel counts in hundredths of a second."""


def main() -> int:
    """Takes the snapshots of one session."""
    (what,) = sys.argv[1:]
    if what == "rows":
        limits.SIZES_AT_ONCE = 1
    with closing(PostgresConnection(os.environ["PLIMSOLL_DATABASE"])) as connection:
        process = connection.server_process
        assert process is not None, "postgresql tells it"
        before_s, begun_s = _cpu_s(process), time.monotonic()
        rows_read = [_snapshot(connection, what, step) for step in range(SNAPSHOTS)]
        figures = {
            "server_cpu_s": (_cpu_s(process) - before_s) / SNAPSHOTS,
            "snapshot_s": (time.monotonic() - begun_s) / SNAPSHOTS,
            "rows": rows_read[-1],
        }
    print(json.dumps(figures))
    return 0


def _snapshot(connection: PostgresConnection, what: str, step: int) -> int:
    """Says how many rows of tables, or of all kinds, were read. What could not be read is no figure."""
    if what in ("counters", "tables"):
        return len(connection.snapshot(relations=what == "tables").relations)
    _, rows = connection.snapshot_with_rows(step)
    unread = [part for part in rows if part.unknown is not None and part.kind != "statements"]
    assert not unread, unread
    return sum(len(part.lines) for part in rows)


def _cpu_s(process: int) -> float:
    """Of user and system, see proc_pid_stat(5); the fields behind the command's name."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())

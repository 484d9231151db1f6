"""fio's own way to measure from several hosts: a server for each, and one client for all of them. Prints when each job began.

Servers listen on addresses of the loopback, and end with this run: each forks for its client, and what it forked would listen on
beside the server of the next run. When a job began is told by the first line of its log.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PORT = 8765
"""fio's own."""


def main(target: str, hosts: int) -> int:
    """Prints the spread of the jobs' first I/Os, in microseconds."""
    addresses = [f"127.0.0.{number}" for number in range(1, hosts + 1)]
    servers = [
        subprocess.Popen(
            ["fio", f"--server=ip:{address}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for address in addresses
    ]
    try:
        while not all(map(_listens, addresses)):
            time.sleep(0.01)
        with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as made:
            print(json.dumps({"start_spread_us": _spread_us(target, Path(made), addresses)}))
    finally:
        for server in servers:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()
        while any(map(_listens, addresses)):
            time.sleep(0.01)
    return 0


def _listens(address: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((address, PORT)) == 0


def _spread_us(target: str, folder: Path, addresses: list[str]) -> float:
    job = folder / "job.fio"
    lines = (
        "rw=randread",
        "bs=8k",
        "ioengine=psync",
        "time_based",
        "runtime=300ms",
        "thread",
        "rate_iops=2000",
    )
    log = ("write_lat_log=begun", "log_unix_epoch=1")
    job.write_text("\n".join(("[job]", f"filename={target}", *lines, *log)) + "\n")
    words = [word for address in addresses for word in (f"--client=ip:{address}", str(job))]
    subprocess.run(["fio", "--output-format=json", *words], capture_output=True, check=True, cwd=folder)
    # Milliseconds: fio stamps with nothing finer.
    begun_ms = [int(log.read_text().split(",", 1)[0]) for log in folder.glob("begun_lat.*")]
    if len(begun_ms) != len(addresses):
        raise SystemExit(f"fio left {len(begun_ms)} logs of {len(addresses)}")
    return (max(begun_ms) - min(begun_ms)) * 1e3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))

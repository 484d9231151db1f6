"""pgbench at work, alone or watched by `plimsoll commits`: a case of `bench/commits_overhead.py`. Prints one JSON object.

`PLIMSOLL_DATABASE=URL python commits_work.py HOW PLIMSOLL PGBENCH CLIENTS SECONDS`. HOW is `alone` or `watched`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from watching import Watching

_LOOKED = "commits since the look before"
_FIGURES = {
    "transactions_per_s": r"tps = (?P<figure>[\d.]+)",
    "latency_ms_mean": r"latency average = (?P<figure>[\d.]+) ms",
}


def main() -> None:
    """Works and prints."""
    how, plimsoll, *load = sys.argv[1:]
    found = _pgbench(*load) if how == "alone" else _watched(plimsoll, *load)
    print(json.dumps(found))


def _pgbench(pgbench: str, clients: str, seconds: str) -> dict[str, float]:
    options = ("-N", "-n", "-M", "prepared", "-T", seconds, "-c", clients, "-j", "2")
    command = (pgbench, *options, os.environ["PLIMSOLL_DATABASE"])
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = {name: re.search(words, done.stdout) for name, words in _FIGURES.items()}
    return {name: float(match["figure"]) for name, match in found.items() if match is not None}


def _watched(plimsoll: str, *load: str) -> dict[str, float]:
    """With what the probe saw of it: one that missed commits would be cheap."""
    with tempfile.TemporaryDirectory() as folder:
        watching = Watching.started(plimsoll, "commits", Path(folder), _LOOKED)
        try:
            found = _pgbench(*load)
        finally:
            seen, _ = watching.ended()
    commits = sum(row["commits"] for row in seen["rows"] if row["role"] == "client backend")
    if not commits or seen["lost_commits"]:
        sys.exit(
            f"error: plimsoll commits saw {commits:,} commits, and {seen['lost_commits']:,} commits are lost"
        )
    return found | {"commits_seen": commits}


if __name__ == "__main__":
    main()

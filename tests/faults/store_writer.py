"""Not a test: the program that tests of the store start and kill. Saves runs and prints the id of each one that was confirmed.

usage: store_writer.py LOCATION COUNT
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import facts_runs
from plimsoll.store import new_run_id, open_store


def work(location: str, count: str) -> None:
    """Saves so many runs."""
    store, run = open_store(location), facts_runs.line_run()
    for _ in range(int(count)):
        run_id = new_run_id(datetime.now(UTC))
        store.save(run.model_copy(update={"id": run_id}))
        # One write of a whole line: what the parent has read was confirmed.
        sys.stdout.write(f"{run_id}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    work(*sys.argv[1:])

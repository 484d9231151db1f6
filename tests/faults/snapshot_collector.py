"""Not a test: the collector that `test_collector_kill.py` starts and kills.

Of each snapshot that the store confirmed it prints when it was taken.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import open_database
from plimsoll.facts import KeptRows, KeptSnapshot
from plimsoll.flows.snapshots import keep_snapshots
from plimsoll.ports.clock import SystemClock
from plimsoll.store import SqlStore, open_store

DAY_S = 86_400.0


class _Telling(SqlStore):
    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        super().keep_snapshot(kept, rows)
        # One write of a whole line: what the parent has read was confirmed.
        sys.stdout.write(f"{kept.snapshot.taken_at.isoformat()}\n")
        sys.stdout.flush()


def work(url: str, location: str, period_s: str) -> None:
    """Keeps snapshots until it is killed."""
    store = _Telling(open_store(location).database)
    with tempfile.TemporaryDirectory() as journal, Scratch(Path(journal)) as scratch:
        ctx = Context(SystemClock(), lambda _: None, Cancel(), scratch, LocalExecutor(), store)
        with open_database(ctx, url) as connection:
            keep_snapshots(ctx, connection, float(period_s), DAY_S)

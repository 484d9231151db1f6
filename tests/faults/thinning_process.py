"""Not a test: the process that `test_thin_kill.py` starts and kills while it thins. It prints a line for each changed day."""

from __future__ import annotations

import sys
import tempfile
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from kept_series import SERIES
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.flows.kept_days import DAY_S, Ages, Thinner, by_clock
from plimsoll.ports.clock import VirtualClock
from plimsoll.store import open_store

AGES = Ages(hours_s=DAY_S, days_s=2 * DAY_S)


def work(location: str, now: str) -> None:
    """Thins all that is due at that time."""
    with tempfile.TemporaryDirectory() as journal, Scratch(Path(journal)) as scratch:
        clock = VirtualClock(datetime.fromisoformat(now))
        ctx = Context(clock, lambda _: None, Cancel(), scratch, LocalExecutor(), open_store(location))
        thinner = Thinner(ctx, SERIES, AGES, by_clock(ctx))
        while (changed := thinner.step()) is not None:
            sys.stdout.write(f"{changed.begin.isoformat()}\n")
            sys.stdout.flush()
    sys.stdout.write("done\n")
    sys.stdout.flush()

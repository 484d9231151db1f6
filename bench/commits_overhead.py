"""What `plimsoll commits` takes of a PostgreSQL's throughput: pgbench's small updates with and without it, in turn.

With one session, whose commits are the shortest, and with so many that they wait for each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool

from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import embedded
from plimsoll.ports.clock import SystemClock
from plimsoll.store import open_store

THROUGHPUT_MIN = 0.97
"""Of that without the probe."""
SESSIONS = (1, 16)
SCALE = 10
"""Of pgbench's tables: 160 MB."""
_SETTINGS = {"shared_buffers": "256MB"}
"""The tables fit in, so that commits are what sessions wait for."""
_WORK = Path(__file__).parent / "kit" / "commits_work.py"


def main() -> int:
    """Runs it."""
    return bench.run("commits_overhead", __doc__ or "", _measure, rounds=15, runtime_s=10, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with _server() as (url, pgbench):
        # Not as a word of the command, which is kept with the result: it has a password.
        os.environ["PLIMSOLL_DATABASE"] = url
        subprocess.run((pgbench, "-i", "-q", "-s", str(SCALE), url), check=True, capture_output=True)
        cases = here.wanted([_case(here.asked, pgbench, sessions) for sessions in SESSIONS])
        here.measure(cases)
    return [aim for case in cases for aim in _aims(case.name)]


def _case(asked: bench.Asked, pgbench: Path, sessions: int) -> Case:
    def tool(how: str) -> Tool:
        words = (how, asked.plimsoll, str(pgbench), str(sessions), f"{max(1, round(asked.runtime_s))}")
        return Tool(how, (sys.executable, str(_WORK), *words), _figures)

    return Case(f"sessions-{sessions}", (tool("alone"), tool("watched")))


def _aims(case: str) -> list[Aim]:
    return [
        Aim(case, "transactions_per_s", "watched", ("alone",), median_min=THROUGHPUT_MIN),
        Aim(case, "latency_ms_mean", "watched", ("alone",)),
    ]


def _figures(said: Figures) -> Figures:
    return said


@contextmanager
def _server() -> Iterator[tuple[str, Path]]:
    """Its URL, and the pgbench of its version."""
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as state, Scratch(Path(state), clock) as scratch:
        store = open_store(str(Path(state) / "store.sqlite"))
        ctx = Context(clock, lambda event: None, Cancel(), scratch, LocalExecutor(), store)
        with embedded.running(ctx, server_settings=_SETTINGS) as server:
            yield server.url, server.programs.path("pgbench")


if __name__ == "__main__":
    sys.exit(main())

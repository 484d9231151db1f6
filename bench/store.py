"""The store with 10,000 runs, in SQLite and in PostgreSQL: what one more run costs, `store list`, and a question over months.

Each run is a line search with distributions of its own. The aims are those of a person who waits; the commands are whole ones, as
people type them, but for the insert, which is timed inside a program that holds its runs ready.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool

from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import embedded
from plimsoll.ports.clock import SystemClock
from plimsoll.store import open_store

INSERT_MS_MAX, LIST_S_MAX, QUESTION_S_MAX = 20.0, 0.5, 0.1
_WORK = Path(__file__).parent / "kit" / "store_work.py"


def main() -> int:
    """Runs it."""
    return bench.run("store", __doc__ or "", _measure, rounds=5, runtime_s=1, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with tempfile.TemporaryDirectory() as folder, _server() as url:
        places = {"sqlite": str(Path(folder) / "store.sqlite"), "postgresql": url}
        cases = here.wanted([_case(here.asked, name, place) for name, place in places.items()])
        here.measure(cases)
    return [aim for case in cases for aim in _aims(case.name)]


def _aims(case: str) -> list[Aim]:
    return [
        Aim(case, "insert_ms", "insert", median_max=INSERT_MS_MAX),
        Aim(case, "wall_s", "list", median_max=LIST_S_MAX),
        Aim(case, "question_s", "question", median_max=QUESTION_S_MAX),
    ]


@contextmanager
def _server() -> Iterator[str]:
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as state, Scratch(Path(state), clock) as scratch:
        store = open_store(str(Path(state) / "store.sqlite"))
        ctx = Context(clock, lambda event: None, Cancel(), scratch, LocalExecutor(), store)
        with embedded.running(ctx) as server:
            yield server.url


def _case(asked: bench.Asked, name: str, place: str) -> Case:
    """Fills the store first, which is no part of any figure."""
    print(f"filling {name}", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, str(_WORK), "fill", place], check=True, stdout=subprocess.DEVNULL)
    work = {
        verb: Tool(verb, (sys.executable, str(_WORK), verb, place), _figures)
        for verb in ("insert", "question")
    }
    listing = Tool(
        "list",
        (asked.plimsoll, "store", "list", "--store", place),
        lambda lines: {"runs": lines},
        said=_lines,
    )
    return Case(name, (work["insert"], listing, work["question"]))


def _lines(text: str) -> float:
    return float(text.count("\n"))


def _figures(said: Any) -> Figures:
    return {name: float(value) for name, value in said.items()}


if __name__ == "__main__":
    sys.exit(main())

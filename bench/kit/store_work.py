"""What bench/store.py does to a store, as commands of their own: `fill`, `insert`, `question`; each prints one JSON object.

usage: store_work.py fill|insert|question LOCATION
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import facts_runs
from plimsoll.facts import Line, Run
from plimsoll.native.latency import latency_of_counts
from plimsoll.store import new_run_id, open_store

RUNS, INSERTS = 10_000, 200
TARGETS, DISTRIBUTIONS, VALUES = 20, 5, 1_000
"""Each run has so many distributions, of so many values each: with its trials some 70 kB."""
_FIRST = datetime(2024, 1, 1, tzinfo=UTC)
_EVERY = timedelta(minutes=90)
_SQLITE = (
    "SELECT target, substr(started_at, 1, 7), max(line_iops) FROM runs WHERE kind = 'line' GROUP BY 1, 2"
)
_POSTGRES = _SQLITE.replace("substr(started_at, 1, 7)", "to_char(started_at, 'YYYY-MM')").replace(
    "FROM runs", "FROM plimsoll.runs"
)


def runs(first: int, count: int) -> Iterator[Run]:
    """Line searches, one every ninety minutes, each with distributions of its own."""
    model = facts_runs.line_run()
    assert model.target is not None
    for number in range(first, first + count):
        at = _FIRST + number * _EVERY
        target = model.target.model_copy(update={"path": f"/dev/mapper/data{number % TARGETS}"})
        line = _line(model, random.Random(number))
        own = {"id": new_run_id(at), "started_at": at, "ended_at": at + timedelta(seconds=60)}
        yield model.model_copy(update={**own, "target": target, "line": line})


def _line(model: Run, draw: random.Random) -> Line:
    assert model.line is not None
    spreads = [
        latency_of_counts([(draw.lognormvariate(5, 0.5), 1) for _ in range(VALUES)])
        for _ in range(DISTRIBUTIONS)
    ]
    trials = [
        trial.model_copy(
            update={"latency_us": spread, "cell": trial.cell.model_copy(update={"latency_us": spread})}
        )
        for trial, spread in zip(model.line.trials, cycle(spreads))
    ]
    return model.line.model_copy(update={"line_iops": draw.uniform(1e4, 1e5), "trials": tuple(trials)})


def _fill(location: str) -> dict[str, Any]:
    store = open_store(location)
    for run in runs(0, RUNS):
        store.save(run)
    return {"runs": RUNS}


def _insert(location: str) -> dict[str, Any]:
    """Runs that are made before the clock starts."""
    store, took_ms = open_store(location), []
    for run in list(runs(RUNS, INSERTS)):
        begin_s = time.perf_counter()
        store.save(run)
        took_ms.append((time.perf_counter() - begin_s) * 1e3)
    store.delete([one.id for one in store.summaries(INSERTS)])
    return {"insert_ms": statistics.median(took_ms)}


def _question(location: str) -> dict[str, Any]:
    """The second time: the first also opens the file."""
    _answer(location)
    begin_s = time.perf_counter()
    rows = _answer(location)
    return {"question_s": time.perf_counter() - begin_s, "rows": len(rows)}


def _answer(location: str) -> list[Any]:
    if location.startswith("postgresql://"):
        import psycopg

        with psycopg.connect(location) as session:
            return session.execute(_POSTGRES).fetchall()
    with closing(sqlite3.connect(location)) as session:
        return session.execute(_SQLITE).fetchall()


if __name__ == "__main__":
    work = {"fill": _fill, "insert": _insert, "question": _question}[sys.argv[1]]
    print(json.dumps(work(sys.argv[2])))

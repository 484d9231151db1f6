"""A load beside a real PostgreSQL on one throttled device: a closed loop makes its readers wait, `--while-in-use` does not.

It looks at the readers themselves, by a session of its own. It takes minutes on a machine that is not busy with other work:
`.venv/bin/pytest -m system tests/system/test_while_in_use.py`. The throttle adds no latency before its limit is reached: a
cliff, the hardest case, which can be noticed only when it has been stepped over.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from threading import Event, Thread

import pytest

from databases_fixture import context
from foreign_postgres import ForeignPostgres, foreign_postgres
from mounted_loop import mounted_loop
from plimsoll.context import Context
from plimsoll.facts import Line, Plan, PlanGroup
from plimsoll.flows.line import line_target, search_line, search_of
from plimsoll.proof import pgbench
from plimsoll.requests.line import LineRequest
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import on_opened
from throttled import throttled

READS_PER_S = 1500
CLIENTS_PER_S = 100.0
SCALE = 20
ROWS = 100_000 * SCALE

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]


class Reader:
    """One who reads a row fifty times a second, and how long each took."""

    def __init__(self, server: ForeignPostgres) -> None:
        self.took: list[tuple[float, float]] = []
        self._server, self._ended = server, Event()
        self._thread = Thread(target=self._read, daemon=True)

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _read(self) -> None:
        import psycopg

        chosen = random.Random(7)
        with psycopg.connect(self._server.url, autocommit=True) as session:
            while not self._ended.wait(0.02):
                begun_s = time.monotonic()
                session.execute(
                    "select abalance from pgbench_accounts where aid = %s", (chosen.randint(1, ROWS),)
                )
                self.took.append((begun_s, time.monotonic() - begun_s))

    def slow_share(self, begun_s: float, ended_s: float, limit_s: float) -> float:
        """Of the reads in that time: how many took longer."""
        mine = [took for at_s, took in self.took if begun_s <= at_s < ended_s]
        assert len(mine) > 50
        return sum(took > limit_s for took in mine) / len(mine)


@contextmanager
def busy_server(ctx: Context, folder: Path) -> Iterator[ForeignPostgres]:
    """A server with callers who ask for about a fifth of what the device gives."""
    with foreign_postgres(ctx, folder) as server:
        pgbench.initialise(ctx, server.url, SCALE, programs=server.programs)
        load = pgbench.start(
            ctx, server.url, seconds=800, clients=4, script="select-only", rate_per_s=CLIENTS_PER_S,
            programs=server.programs,
        )  # fmt: skip
        try:
            yield server
        finally:
            load.stop()


def gentle_line(ctx: Context, folder: Path) -> tuple[Line, float]:
    """The line beside the server, and when the search began."""
    asked = search_of(
        ctx, LineRequest(target=str(folder), while_in_use=True, bytes_wanted=128 << 20, slo="p99=1s")
    )
    with line_target(ctx, asked) as made:
        begun_s = time.monotonic()
        return search_line(ctx, made, asked)[0], begun_s


def careless_load(ctx: Context, folder: Path) -> None:
    """What any other search begins with: a closed loop."""
    asked = search_of(ctx, LineRequest(target=str(folder), while_in_use=True, bytes_wanted=128 << 20))
    with line_target(ctx, asked) as made:
        group = PlanGroup.of(asked.mix, "psync", depth=32)
        plan = on_opened(Plan(groups=(group,), runtime_s=10.0, warm_up_s=0.3), made)
        measure(plan, made.permits, ctx.cancel, lambda live: None)


def test_readers_are_not_made_to_wait(tmp_path: Path, wheel: Path) -> None:
    with ExitStack() as stack:
        ctx, _ = stack.enter_context(context(tmp_path / "journal"))
        folder, loop = stack.enter_context(mounted_loop())
        stack.enter_context(throttled(str(loop.path), READS_PER_S))
        server = stack.enter_context(busy_server(ctx, folder))
        reader = stack.enter_context(Reader(server))
        before_s = time.monotonic()
        time.sleep(20)
        alone_s = time.monotonic()
        limit_s = 20 * median(took for at_s, took in reader.took if at_s >= before_s)
        line, begun_s = gentle_line(ctx, folder)
        ended_s = time.monotonic()
        careless_s = time.monotonic()
        careless_load(ctx, folder)
        slow_alone = reader.slow_share(before_s, alone_s, limit_s)
        slow_beside = reader.slow_share(begun_s, ended_s, limit_s)
        slow_careless = reader.slow_share(careless_s, time.monotonic(), limit_s)
    print(
        f"slow alone {slow_alone:.3f}, beside {slow_beside:.3f}, careless {slow_careless:.3f}; {line.reason}"
    )
    assert line.shared is not None
    assert line.shared.databases
    assert line.shared.stopped is not None, "the objective is so far off that only the others end it"
    assert slow_beside <= 2 * slow_alone + 0.05
    assert slow_careless > 2 * slow_beside + 0.1

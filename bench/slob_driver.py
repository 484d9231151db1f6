"""What our driver costs: operations per second of `plimsoll prove slob` beside pgbench, which calls a function that does the same.

Both drive one embedded PostgreSQL whose cache holds all data, so that nothing but processors is in the way, in turn and with as
many sessions. pgbench makes a round trip for each operation, ours one a second.
"""

from __future__ import annotations

import os
import re
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
from plimsoll.proof import pgbench
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from plimsoll.store import open_store

RATIO_MIN = 0.95
SESSIONS = (1, 2, 8)
WORK_UNITS = (8, 64)
SCALE = 8192
UPDATE_PCT = 10
_TPS = re.compile(r"^tps = ([\d.]+)", re.MULTILINE)
_PEER = """
create schema peer;
create function peer.one(scale bigint, work_unit int, update_pct int) returns bigint language plpgsql as $$
declare first bigint := 1 + floor(random() * (scale - work_unit + 1))::bigint; touched bigint;
begin
    if random() * 100 < update_pct then
        update plimsoll_slob.cf1_1 set c2 = first::text, c20 = first::text
        where custid >= first and custid < first + work_unit;
        get diagnostics touched = row_count;
    else
        select count(c2) into touched from plimsoll_slob.cf1_1 where custid >= first and custid < first + work_unit;
    end if;
    return touched;
end $$;
alter role plimsoll set enable_bitmapscan = off; alter role plimsoll set enable_seqscan = off;
alter role plimsoll set jit = off; alter role plimsoll set plan_cache_mode = force_generic_plan
"""


def main() -> int:
    """Runs it."""
    return bench.run("slob_driver", __doc__ or "", _measure, rounds=5, runtime_s=8, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with _server() as server, tempfile.TemporaryDirectory() as folder:
        cases = [
            _case(here.asked, server, Path(folder), sessions, unit)
            for unit in WORK_UNITS
            for sessions in SESSIONS
        ]
        here.measure(here.wanted(cases))
    return [
        Aim(case.name, "operations_per_s", "plimsoll", ("pgbench",), median_min=RATIO_MIN)
        for case in here.wanted(cases)
    ]


@contextmanager
def _server() -> Iterator[embedded.Server]:
    """A loaded embedded server that stays for the whole benchmark."""
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as state, Scratch(Path(state), clock) as scratch:
        store = open_store(str(Path(state) / "store.sqlite"))
        ctx = Context(clock, lambda event: None, Cancel(), scratch, LocalExecutor(), store)
        with embedded.running(ctx, server_settings={"shared_buffers": "512MB"}) as server:
            with embedded.connected(ctx, server) as connection:
                tables.setup(ctx, connection, parameters(scale=SCALE))
                session = connection.session("bench")
                session.run(_PEER)
                session.close()
            yield server


def _case(asked: bench.Asked, server: embedded.Server, folder: Path, sessions: int, unit: int) -> Case:
    seconds = str(max(2, round(asked.runtime_s)))
    script = folder / f"one-{unit}.sql"
    script.write_text(f"select peer.one({SCALE}, {unit}, {UPDATE_PCT})\n")
    ours = (
        asked.plimsoll, "prove", "slob", "--database", server.url, "--focus", "logical", "--threads", str(sessions),
        "--work-unit", str(unit), "--update-pct", str(UPDATE_PCT), "--runtime", seconds, "--warm-up", "1", "--json",
    )  # fmt: skip
    theirs = (
        os.fspath(pgbench.find_binary(server.programs)), "--client", str(sessions), "--jobs", str(min(sessions, 2)),
        "--protocol", "prepared", "--no-vacuum", "--time", seconds, "--file", str(script), server.url,
    )  # fmt: skip
    return Case(
        f"unit-{unit}-sessions-{sessions}",
        (Tool("plimsoll", ours, _ours), Tool("pgbench", theirs, _theirs, said=lambda text: text)),
    )


def _ours(document: dict[str, dict[str, float]]) -> Figures:
    return {"operations_per_s": document["data"]["operations_per_s"]}


def _theirs(text: str) -> Figures:
    found = _TPS.search(text)
    if found is None:
        raise ValueError(f"pgbench gave no rate: {text[:200]}")
    return {"operations_per_s": float(found[1])}


if __name__ == "__main__":
    sys.exit(main())

"""`plimsoll commits` beside a PostgreSQL that counts its commits itself, and beside one that waits for a standby."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import command
from committing import BACKEND, at_work, pgbench, running
from databases_fixture import PARENT
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.native import block_probe

RATE = 100
"""Commits a second, of which any machine is capable."""
CALLS_TOLERATED, FLUSHES_TOLERATED = 0.25, 0.15
"""Of what comes at random moments; of calls fewer are seen."""
DELAY_MS = 100
COUNTED = """
SELECT pg_stat_force_next_flush(),
       (SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'),
       (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal' AND backend_type = 'client backend')
"""


@pytest.fixture
def server(tmp_path: Path, wheel: Path) -> Iterator[tuple[embedded.Server, Context]]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    with running(PARENT, tmp_path / "journal", wheel) as found:
        yield found


def watched(runtime: str) -> dict[str, Any]:
    done = command.plimsoll("commits", "--runtime", runtime, "--role", BACKEND, "--json")
    assert done.returncode == 0, (done.stdout, done.stderr)
    return command.document(done)["data"]


def counted(session: psycopg.Connection[Any]) -> tuple[float, int, int]:
    """When, commits so far, and flushes of the log by sessions."""
    row = session.execute(COUNTED).fetchone()
    assert row is not None
    return time.monotonic(), int(row[1]), int(row[2])


def test_rates_are_those_that_the_server_counts(server: tuple[embedded.Server, Context], wheel: Path) -> None:
    """Calls are seen for three seconds of eleven, and flushes are told apart from them in the other eight."""
    found, _ = server
    with (
        at_work(pgbench(wheel, found, 4, "-R", str(RATE))),
        psycopg.connect(found.url, autocommit=True) as session,
    ):
        _, first, _ = counted(session)
        while counted(session)[1] - first < RATE:  # until it is at work, and its sessions tell
            time.sleep(0.05)
        begin_s, commits_before, flushes_before = counted(session)
        rows = {row["kind"]: row["commits_per_s"] for row in watched("11s")["rows"]}
        end_s, commits_after, flushes_after = counted(session)
    elapsed_s = end_s - begin_s
    calls_per_s = sum(rows.get(kind, 0.0) for kind in ("leader", "follower", "nothing"))
    assert calls_per_s == pytest.approx((commits_after - commits_before) / elapsed_s, rel=CALLS_TOLERATED)
    assert rows["sync"] == pytest.approx((flushes_after - flushes_before) / elapsed_s, rel=FLUSHES_TOLERATED)


@contextmanager
def standby(primary: embedded.Server, ctx: Context, settings: dict[str, str]) -> Iterator[embedded.Server]:
    """A hot standby of it, in a folder of the primary's."""
    home = primary.cluster.home / "standby"
    home.mkdir(mode=0o711)
    data = embedded.hand_over(primary, home, "data")
    embedded.hand_over(primary, home, "run")
    programs = primary.programs
    words = [programs.path("pg_basebackup"), "-d", primary.url, "-D", data, "-R", "-c", "fast"]
    user = None if programs.user is None else programs.user.user_id
    subprocess.run(words, check=True, capture_output=True, user=user, cwd="/")
    cluster = embedded.Cluster(home, programs, primary.cluster.password)
    made = embedded.start(ctx, cluster, {**embedded.SETTINGS, **settings})
    yield made


def test_the_wait_for_a_synchronous_standby_is_a_cause_of_its_own(
    server: tuple[embedded.Server, Context], wheel: Path
) -> None:
    found, ctx = server
    with standby(found, ctx, {"recovery_min_apply_delay": f"{DELAY_MS}ms"}):
        with psycopg.connect(found.url, autocommit=True) as session:
            session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            session.execute("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
            session.execute("SELECT pg_reload_conf()")
        with at_work(pgbench(wheel, found, 4)):
            told = watched("6s")
    (cause,) = told["causes"]
    rows = {row["kind"]: row for row in told["rows"]}
    assert (cause["cause"], cause["share"] > 0.5) == ("standby", True), cause["reason"]
    assert rows["standby"]["times"]["queue_us"] >= DELAY_MS * 1_000 / 2
    assert rows["standby"]["flushes"] == 0
    assert "standby" not in {row["kind"] for row in told["rows"] if row["role"] != BACKEND}

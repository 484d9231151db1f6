"""`plimsoll commits` beside a PostgreSQL that counts its commits itself, and beside one that waits for a standby."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

import command
from committing import BACKEND, at_work, pgbench, running, watched_server
from databases_fixture import PARENT
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.flows import commits as flow
from plimsoll.flows.commits import InKernel
from plimsoll.native import block_probe, commit_probe
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.commits import CommitsRequest

SESSIONS = 4
PER_S = 20
"""Commits of each session in a second."""
DELAY_MS = 100
COUNTED = """
SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal' AND backend_type = 'client backend'
"""

WAITS_FOR_STANDBY = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'SyncRep'"
INSERT = "INSERT INTO notes VALUES ('x')"


@pytest.fixture
def server(tmp_path: Path, wheel: Path) -> Iterator[tuple[embedded.Server, Context]]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    with running(PARENT, tmp_path / "journal", wheel) as found:
        yield found


@dataclass
class Sessions:
    """They commit at the same time, and only while somebody sleeps."""

    opened: list[psycopg.Connection[Any]]
    committed: int = 0

    def __post_init__(self) -> None:
        self.opened[0].execute("CREATE TABLE notes (note text)")
        self.pids = {session.info.backend_pid for session in self.opened}

    def commit(self, times: int) -> None:
        def work(session: psycopg.Connection[Any]) -> None:
            for _ in range(times):
                session.execute(INSERT)

        with ThreadPoolExecutor(SESSIONS) as threads:
            list(threads.map(work, self.opened))
        self.committed += times * SESSIONS

    def counted(self) -> tuple[int, int]:
        """Commits so far, and how often the server says that sessions flushed the log for them."""
        for session in self.opened:  # each hands in what it counted before it answers
            session.execute("SELECT pg_stat_force_next_flush()")
        row = self.opened[0].execute(COUNTED).fetchone()
        assert row is not None
        return self.committed, int(row[0])


class CommittingClock(VirtualClock):
    """So many commits in each of its seconds, however long they take on this machine."""

    def __init__(self, sessions: Sessions) -> None:
        super().__init__()
        self.sessions = sessions

    def sleep(self, seconds: float) -> None:
        self.sessions.commit(round(seconds * PER_S))
        super().sleep(seconds)


@dataclass(frozen=True)
class Counting(InKernel):
    """The probe in this kernel, of which only these sessions are seen; with what was counted while it saw their calls."""

    sessions: Sessions
    edges: list[tuple[int, int]] = field(default_factory=list)
    """Begin and end of each turn."""

    def see(self, executable: str) -> bool:
        if len(self.edges) % 2 == 0:
            self.edges.append(self.sessions.counted())
        return super().see(executable)

    def leave(self) -> None:
        super().leave()
        self.edges.append(self.sessions.counted())

    def under_way(self) -> list[Any]:
        return [one for one in super().under_way() if one["owner_pid"] in self.sessions.pids]

    def read(self) -> tuple[list[Any], Any]:
        rows, counts = super().read()
        return [row for row in rows if row["owner_pid"] in self.sessions.pids], counts

    def in_turns(self) -> tuple[int, int]:
        """Commits and flushes of all turns."""
        begins, ends = self.edges[::2], self.edges[1::2]
        assert len(begins) == len(ends)
        commits, flushes = (
            sum(end[at] - begin[at] for begin, end in zip(begins, ends, strict=True)) for at in (0, 1)
        )
        return commits, flushes


@pytest.fixture
def sessions(server: tuple[embedded.Server, Context]) -> Iterator[Sessions]:
    with ExitStack() as stack:
        connect = (psycopg.connect(server[0].url, autocommit=True) for _ in range(SESSIONS))
        yield Sessions([stack.enter_context(session) for session in connect])


def test_rates_are_those_that_the_server_counts(
    server: tuple[embedded.Server, Context], sessions: Sessions
) -> None:
    """Calls are seen for three seconds of eleven, and flushes are told apart from them in the other eight."""
    _, ctx = server
    probe = commit_probe.start()
    try:
        counting = Counting(probe, sessions)
        begin_commits, begin_flushes = sessions.counted()
        ctx = replace(ctx, clock=CommittingClock(sessions))
        told = flow.watched(ctx, CommitsRequest(watched_s=11.0, roles=(BACKEND,)), counting, flow.Beside())
        end_commits, end_flushes = sessions.counted()
    finally:
        probe.stop()
    rows = {row.kind: row for row in told.rows}
    calls, flushes_of_calls = counting.in_turns()
    flushes_apart = end_flushes - begin_flushes - flushes_of_calls
    assert (told.duration_s, told.log_flushes_s) == (pytest.approx(11.0), pytest.approx(3.0))
    assert (end_commits - begin_commits, calls) == (11 * SESSIONS * PER_S, 3 * SESSIONS * PER_S)
    assert told.lost_commits == 0
    seen = [rows[kind] for kind in ("leader", "follower", "nothing") if kind in rows]
    assert sum(row.commits for row in seen) == calls
    assert sum(row.commits_per_s or 0.0 for row in seen) == pytest.approx(SESSIONS * PER_S)
    assert rows["leader"].flushes == flushes_of_calls > 0
    assert (rows["sync"].commits, rows["sync"].flushes) == (flushes_apart, flushes_apart)
    assert rows["sync"].commits_per_s == pytest.approx(flushes_apart / 8.0)


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
    server: tuple[embedded.Server, Context], tmp_path: Path, wheel: Path
) -> None:
    found, ctx = server
    with standby(found, ctx, {"recovery_min_apply_delay": f"{DELAY_MS}ms"}):
        with psycopg.connect(found.url, autocommit=True) as session:
            session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            session.execute("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
            session.execute("SELECT pg_reload_conf()")
        with at_work(pgbench(wheel, found, 4)):
            told = watched_server(found, tmp_path / "watch", 6.0)
    (cause,) = told.causes
    rows = {row.kind: row for row in told.rows}
    assert cause.share is not None
    assert (cause.cause, cause.share > 0.5) == ("standby", True), cause.reason
    assert rows["standby"].times is not None
    assert rows["standby"].times.queue_us >= DELAY_MS * 1_000 / 2
    assert rows["standby"].flushes == 0


def test_a_session_that_waits_for_a_standby_since_before_hangs(
    server: tuple[embedded.Server, Context],
) -> None:
    """No standby is there, and the session has waited when the probe comes."""
    found, _ = server
    with (
        psycopg.connect(found.url, autocommit=True) as session,
        psycopg.connect(found.url, autocommit=True) as waiting,
        ThreadPoolExecutor(1) as thread,
    ):
        session.execute("CREATE TABLE notes (note text)")
        session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        session.execute("SELECT pg_reload_conf()")
        pid = waiting.info.backend_pid
        committed = thread.submit(waiting.execute, INSERT)
        while not session.execute(WAITS_FOR_STANDBY, (pid,)).fetchone():
            if committed.done():  # before the server had read its new settings
                committed = thread.submit(waiting.execute, INSERT)
            time.sleep(0.01)
        done = command.plimsoll("commits", "--runtime", "2s", "--role", BACKEND, "--json")
        session.execute("SELECT pg_cancel_backend(%s)", (pid,))
        committed.result()
    told = command.document(done)["data"]
    (hanging,) = [one for one in told["under_way"] if one["kind"] == "standby"]
    assert (done.returncode, hanging["role"], hanging["commits"]) == (1, BACKEND, 1)
    assert hanging["hanging"] == 1
    assert hanging["longest_s"] >= told["duration_s"] / 2

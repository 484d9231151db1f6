"""Commits whose write of the log fails, in a PostgreSQL 18 that then gives up, as the kernel's probe counts them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from committing import running
from databases_fixture import PARENT
from plimsoll.databases import embedded
from plimsoll.native import block_probe, commit_probe

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitRow


@pytest.fixture
def server(tmp_path: Path, wheel: Path) -> Iterator[embedded.Server]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    with running(PARENT, tmp_path / "journal", wheel) as (found, _):
        yield found


def forbid_writes(server: embedded.Server, pid: int) -> None:
    """No process may make a file longer than one byte, nor write beyond; the server has the signal that tells of it ignored."""
    user = server.programs.user
    user_id, group_id = (None, None) if user is None else (user.user_id, user.group_id)
    words = ["prlimit", f"--pid={pid}", "--fsize=1:"]
    subprocess.run(words, check=True, cwd="/", user=user_id, group=group_id)


@pytest.fixture
def session(server: embedded.Server) -> Iterator[tuple[psycopg.Connection, int]]:
    """One with a table of its own, and the process that serves it."""
    with psycopg.connect(server.url, autocommit=True) as opened:
        opened.execute("CREATE TABLE notes (note text)")
        found = opened.execute("SELECT pg_backend_pid()").fetchone()
        assert found is not None
        yield opened, int(found[0])


def commit(session: psycopg.Connection) -> None:
    session.execute("INSERT INTO notes VALUES ('x')")


def kinds(rows: list[CommitRow], pid: int) -> dict[str, tuple[int, int]]:
    """Commits and errors of one process."""
    return {row["kind"]: (row["commits"], row["errors"]) for row in rows if row["owner_pid"] == pid}


def test_a_write_of_the_log_that_fails_is_an_error_of_that_call(
    server: embedded.Server, session: tuple[psycopg.Connection, int]
) -> None:
    opened, pid = session
    probe = commit_probe.start()
    try:
        commit_probe.see_log_flushes(probe, f"/proc/{pid}/exe")
        commit(opened)
        before, _ = commit_probe.read(probe)
        forbid_writes(server, pid)
        with pytest.raises(psycopg.Error, match="could not write to log file"):
            commit(opened)
        after, _ = commit_probe.read(probe)
        still = [one for one in commit_probe.under_way(probe) if one["owner_pid"] == pid]
    finally:
        probe.stop()
    assert kinds(before, pid) == {"leader": (1, 0)}
    assert kinds(after, pid) == {"leader": (0, 1)}
    assert still == [], "it does not hang: it has failed"

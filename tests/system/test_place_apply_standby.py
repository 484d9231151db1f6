"""Objects move on a primary with a real standby: one that falls behind stops the moves, and one that follows has them too."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from moved_tables import Tables, own_folder, tables
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.databases.postgres import PostgresConnection
from plimsoll.flows import place_apply
from plimsoll.flows.place_apply import apply_plan
from plimsoll.placement.moves import catalogue
from plimsoll.requests.place_apply import LAG_BYTES, PlaceApplyRequest

PORT = 5432


def until(holds: Callable[[], object]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it did not come to that within 30 s")


def _words(server: embedded.Server, program: str, *more: str) -> dict[str, object]:
    user = server.programs.user
    return {
        "args": [str(server.programs.path(program)), *more],
        "cwd": "/",
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "user": None if user is None else user.user_id,
        "group": None if user is None else user.group_id,
        "extra_groups": [] if user is not None else None,
    }


@contextmanager
def standby(server: embedded.Server, made: Tables) -> Iterator[str]:
    """A copy of the server with a tablespace folder of its own, that follows it; its URL for the same database."""
    home = own_folder(server, server.cluster.home / f"standby-{made.name}")
    data, space = own_folder(server, home / "data"), own_folder(server, home / "space")
    mapped = f"--tablespace-mapping={made.folder}={space}"
    copy = _words(server, "pg_basebackup", "-R", "-c", "fast", "-D", str(data), mapped, "-d", server.url)
    assert subprocess.run(**copy, check=False).returncode == 0  # type: ignore[call-overload]
    place = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={home}", "-c", f"port={PORT}")
    running = subprocess.Popen(**_words(server, "postgres", "-D", str(data), *place))  # type: ignore[call-overload]
    password = server.cluster.password
    try:
        until(lambda: made.run("select from pg_stat_replication where state = 'streaming'"))
        yield f"postgresql://{embedded.USER}:{password}@/{made.name}?host={quote(str(home), safe='')}&port={PORT}"
    finally:
        running.terminate()
        running.wait(30)


@pytest.mark.parametrize("name", ["server_15", "server_18"])
def test_a_standby_that_is_behind_stops_the_moves_and_one_that_follows_has_them(
    request: pytest.FixtureRequest, ctx: Context, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    server: embedded.Server = request.getfixturevalue(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with tables(server) as made, standby(server, made) as url:
        monkeypatch.setattr(place_apply, "plan_of", lambda ctx, word: made.plan())
        asked = PlaceApplyRequest(plan="latest", database=made.url, confirm=made.name, lag_bytes=1 << 20)
        with psycopg.connect(url, autocommit=True) as follower:
            follower.execute("select pg_wal_replay_pause()")
            until(
                lambda: follower.execute("select pg_get_wal_replay_pause_state()").fetchone() == ("paused",)
            )
            made.run("create table filler as select n, repeat('x', 1000) from generate_series(1, 3000) n")
            with pytest.raises(WorldError, match=r"standby .* of WAL behind") as caught:
                apply_plan(ctx, asked)
            assert caught.value.id == "moves-standby-behind"
            assert set(made.layout().values()) == {""}
            follower.execute("select pg_wal_replay_resume()")
            until(lambda: made.run("select from pg_stat_replication where replay_lsn = pg_current_wal_lsn()"))
            found = apply_plan(ctx, replace(asked, lag_bytes=LAG_BYTES))
            assert {step.state for step in found.steps} == {"done"}
            assert not [note for note in found.notes if note.code == "lag-unknown"]
            until(lambda: made.run("select from pg_stat_replication where replay_lsn = pg_current_wal_lsn()"))
            there = Tables(url, made.name, made.fast, made.folder)
            assert there.layout() == made.layout()
            assert there.content() == made.content()


def test_a_receiver_of_the_log_is_as_far_as_it_has_written(server_18: embedded.Server) -> None:
    with tables(server_18) as made:
        folder = own_folder(server_18, server_18.cluster.home / f"received-{made.name}")
        words = ("-D", str(folder), "-d", server_18.url)
        running = subprocess.Popen(**_words(server_18, "pg_receivewal", *words))  # type: ignore[call-overload]
        try:
            until(lambda: made.run("select from pg_stat_replication where write_lsn is not null"))
            with (
                closing(PostgresConnection(made.url)) as connection,
                closing(connection.session("look")) as look,
            ):
                (lag,) = [one for one in catalogue.lags(look) if "pg_receivewal" in one.who]
            assert lag.bytes is not None
        finally:
            running.terminate()
            running.wait(30)

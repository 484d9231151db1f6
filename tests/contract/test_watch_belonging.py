"""Two databases of a real PostgreSQL, one of them in a tablespace: what is read of each, by the server's count and by a watch."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import command
from control_group import made_group
from databases_fixture import context
from plimsoll.databases import embedded
from plimsoll.native import block_probe
from watch_ticks import PATIENCE_S, ticks, wait_for_ticks

FOLDER = Path("/var/tmp")
"""On disk, where /tmp may be memory."""
BLOCK_BYTES = 8_192
BLOCKS = {"shop": 2_000, "crm": 3_500}
"""Of a table of each database, more than the server's cache holds."""

pytestmark = pytest.mark.timeout(240)


class Made(NamedTuple):
    """Two databases of one server."""

    server: embedded.Server
    sessions: dict[str, Any]
    """One to each database."""
    folder: Path
    """Of the tablespace."""

    def url(self, database: str) -> str:
        head, _, rest = self.server.url.partition("?")
        return f"{head.rsplit('/', 1)[0]}/{database}?{rest}"

    @property
    def files(self) -> list[str]:
        """Words that show the two tables alone: what else is read of catalogs is counted elsewhere."""
        query = "select pg_relation_filepath('t')"
        paths = [session.execute(query).fetchone()[0] for session in self.sessions.values()]
        return [word for path in paths for word in ("--file", "/" + "/".join(path.split("/")[-2:]))]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[embedded.Server]:
    """It reads past the page cache, so that each of its reads is one of the disk."""
    settings = {
        "io_method": "sync",
        "io_combine_limit": "8kB",
        "shared_buffers": "2MB",
        "autovacuum": "off",
        "max_parallel_workers_per_gather": "0",
    }
    journal = tmp_path_factory.mktemp("journal")
    with context(journal) as (ctx, _), embedded.running(ctx, FOLDER, settings) as made:
        yield made


@pytest.fixture(scope="module")
def made(server: embedded.Server) -> Iterator[Made]:
    psycopg = pytest.importorskip("psycopg")
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    top = Path(tempfile.mkdtemp(dir=FOLDER))
    top.chmod(0o711)
    found = Made(server, {}, top / "fast")
    found.folder.mkdir()
    with psycopg.connect(server.url, autocommit=True) as session:
        owner = os.stat(session.execute("show data_directory").fetchone()[0])
        os.chown(found.folder, owner.st_uid, owner.st_gid)
        session.execute(f"create tablespace fast location '{found.folder}'")
        session.execute("create database shop")
        session.execute("create database crm tablespace fast")
    for name, blocks in BLOCKS.items():
        opened = found.sessions[name] = psycopg.connect(found.url(name), autocommit=True)
        opened.execute("create table t (filler text) with (fillfactor = 10)")
        opened.execute("alter table t alter filler set storage plain")
        opened.execute(f"insert into t select repeat('x', 5000) from generate_series(1, {blocks})")
        opened.execute("checkpoint")
        opened.execute("select count(*) from t")  # commits are known by then
    yield found
    for opened in found.sessions.values():
        opened.close()
    shutil.rmtree(top)


def blocks_read(of: Made) -> dict[str, int]:
    """By the server's count of each table."""
    found = {}
    for name, session in of.sessions.items():
        session.execute("select pg_stat_force_next_flush()")
        query = "select heap_blks_read from pg_statio_user_tables where relname = 't'"
        found[name] = session.execute(query).fetchone()[0]
    return found


def watched(of: Made, tmp_path: Path, *words: str) -> tuple[dict[str, Any], dict[str, int]]:
    """What a watch tells while each table is read once, and how many bytes of each the server read meanwhile."""
    events = tmp_path / "events"
    with command.started(
        "watch", "--every", "200ms", "--json", "--events", str(events), *of.files, *words
    ) as watching:
        wait_for_ticks(events, 1)
        before = blocks_read(of)
        for session in of.sessions.values():
            session.execute("select count(*) from t")
        after = blocks_read(of)
        wait_for_ticks(events, 2)
        watching.send_signal(signal.SIGINT)
        told, _ = watching.communicate(timeout=PATIENCE_S)
    assert watching.returncode == 130
    return json.loads(told)["data"], {name: BLOCK_BYTES * (after[name] - before[name]) for name in after}


def of_tables(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Reads at disks that lie on no other."""
    return [one for one in found["groups"] if one["operation"] == "read" and not one["is_again"]]


def test_each_database_and_tablespace_has_what_the_server_counts(made: Made, tmp_path: Path) -> None:
    words = (
        "--by",
        "database,tablespace",
        "--database",
        made.url("shop"),
        "--in-database",
        "shop",
        "--in-database",
        "crm",
    )
    found, counted = watched(made, tmp_path, *words)
    read = {(one["database"], one["tablespace"]): one["bytes"] for one in of_tables(found)}
    assert read.keys() == {("shop", "pg_default"), ("crm", "fast")}
    for place, name in ((("shop", "pg_default"), "shop"), (("crm", "fast"), "crm")):
        assert counted[name] > BLOCK_BYTES * BLOCKS[name] * 0.8
        assert read[place] == counted[name], name
    rows = [row for row in found["rows"] if row["operation"] == "read"]
    assert sum(row["bytes"] for row in rows) == sum(read.values())
    events = [
        group
        for tick in ticks(tmp_path / "events")
        for group in tick["groups"]
        if group["operation"] == "read"
    ]
    ticked = dict.fromkeys(read, 0)
    for group in events:
        ticked[group["database"], group["tablespace"]] += group["bytes"]
    assert all(ticked[place] <= read[place] for place in read)
    assert all(ticked[place] >= 0.99 * read[place] for place in read), (
        "what ended behind the last tick is in none"
    )


def test_without_a_connection_they_go_by_their_numbers_and_their_server_s_folder(
    made: Made, tmp_path: Path
) -> None:
    session = made.sessions["shop"]
    numbers = dict(session.execute("select datname, oid::int from pg_database").fetchall())
    (fast,) = session.execute("select oid::int from pg_tablespace where spcname = 'fast'").fetchone()
    data = session.execute("show data_directory").fetchone()[0]
    found, counted = watched(made, tmp_path, "--by", "database,tablespace")
    read = {(one["database"], one["tablespace"]): one["bytes"] for one in of_tables(found)}
    shop = (f"OID {numbers['shop']} of {data}", f"pg_default of {data}")
    crm = (f"OID {numbers['crm']} of {data}", f"OID {fast} of {data}")
    assert read == {shop: counted["shop"], crm: counted["crm"]}


def test_a_session_in_a_control_group_of_its_own_is_told_apart(made: Made, tmp_path: Path) -> None:
    pid = made.sessions["crm"].execute("select pg_backend_pid()").fetchone()[0]
    with made_group(pid) as path:
        found, counted = watched(
            made, tmp_path, "--by", "cgroup,database", "--in-cgroup", path, "--database", made.url("crm")
        )
    (one,) = of_tables(found)
    assert (one["cgroup"], one["database"]) == (path, "crm")
    assert one["bytes"] == counted["crm"]


def test_calls_are_told_apart_likewise(made: Made, tmp_path: Path) -> None:
    words = ("--calls", "--by", "database", "--database", made.url("shop"), "--in-database", "crm")
    found, counted = watched(made, tmp_path, *words)
    (one,) = [group for group in found["call_groups"] if group["operation"] == "read"]
    assert one["database"] == "crm"
    assert one["bytes"] == counted["crm"]

"""Two databases of a real MariaDB: what is read of each, by the server's own count and by a watch's."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from databases_fixture import context
from mariadb_server import SETTINGS, MariadbServer, running_mariadb
from plimsoll.native import block_probe
from watch_ticks import PATIENCE_S, wait_for_ticks

ROWS = 8_000
"""Of 2 kB: three times of what the server's cache holds."""
NAMES = ("shop", "a-b")

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, mariadb_binary: Path) -> Iterator[MariadbServer]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    journal = tmp_path_factory.mktemp("journal")
    settings = {**SETTINGS, "innodb-buffer-pool-size": "6M"}
    with context(journal) as (ctx, _), running_mariadb(ctx, mariadb_binary, settings) as made:
        with made.connect() as session, session.cursor() as cursor:
            for name in NAMES:
                cursor.execute(f"create database `{name}`")
                cursor.execute(
                    f"create table `{name}`.t (id int primary key auto_increment, f varchar(2000)) engine=innodb"
                )
                cursor.execute(f"insert into `{name}`.t (f) select repeat('x', 2000) from seq_1_to_{ROWS}")
        yield made


def bytes_read(cursor: Any) -> int:
    """By all of the server."""
    cursor.execute("show global status like 'Innodb_data_read'")
    return int(cursor.fetchone()[1])


def test_each_schema_and_its_tablespace_has_what_the_server_reads(
    server: MariadbServer, tmp_path: Path
) -> None:
    events, counted = tmp_path / "events", {}
    words = ["watch", "--every", "200ms", "--json", "--events", str(events), "--by", "database,tablespace"]
    words += ["--in-database", "shop", "--in-database", "a-b"]
    with command.started(*words) as watching, server.connect() as session, session.cursor() as cursor:
        wait_for_ticks(events, 1)
        for name in NAMES:
            before = bytes_read(cursor)
            cursor.execute(f"select sum(length(f)) from `{name}`.t")
            counted[name] = bytes_read(cursor) - before
        wait_for_ticks(events, 2)
        watching.send_signal(signal.SIGINT)
        told, _ = watching.communicate(timeout=PATIENCE_S)
    assert watching.returncode == 130
    folder = server.folder / "data"
    groups = [
        one
        for one in json.loads(told)["data"]["groups"]
        if one["operation"] == "read" and not one["is_again"]
    ]
    read = {(one["database"], one["tablespace"]): one["bytes"] for one in groups}
    for name, read_bytes in counted.items():
        assert read_bytes > 1_000 * ROWS
        # The server's count has what it reads beside it, such as undo.
        found = read[f"{name} of {folder}", f"{name}/t of {folder}"]
        assert 0.98 * read_bytes <= found <= 1.02 * read_bytes, name

"""Files of a real PostgreSQL and the relations that they are: by what the server says, and by what a watch shows."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from databases_fixture import context
from plimsoll.databases import DataFile, NamesFiles, embedded, open_database
from plimsoll.native import block_probe
from watch_ticks import PATIENCE_S, wait_for_ticks

FOLDER = Path("/var/tmp")
"""On disk, where /tmp may be memory."""

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[embedded.Server]:
    """With the page cache, by whose pages files are known."""
    journal = tmp_path_factory.mktemp("journal")
    with context(journal) as (ctx, _), embedded.running(ctx, FOLDER, {"debug_io_direct": ""}) as made:
        yield made


@pytest.fixture
def session(server: embedded.Server) -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server.url, autocommit=True) as opened:
        opened.execute("drop table if exists orders")
        opened.execute("create table orders (id int primary key, note text)")
        opened.execute("insert into orders select n, repeat('x', 500) from generate_series(1, 20000) n")
        yield opened


def path_of(session: Any, relation: str) -> str:
    """As the server says, below its folder."""
    return "/data/" + session.execute("select pg_relation_filepath(%s::regclass)", (relation,)).fetchone()[0]


def named(tmp_path: Path, server: embedded.Server, paths: list[str]) -> list[str | None]:
    """What the connection says of files."""
    with context(tmp_path / "journal") as (ctx, _), open_database(ctx, server.url) as connection:
        assert isinstance(connection, NamesFiles)
        places = connection.file_places()
        found = [places.data_file(path) for path in paths]
        asked: list[DataFile | None] = [None if one is None else one[0] for one in found]
        names = connection.file_relations([one for one in asked if one is not None])
    return [None if one is None else names.get(one) for one in asked]


def test_tables_indexes_toast_mapped_and_shared_catalogs_have_their_names(
    tmp_path: Path, server: embedded.Server, session: Any
) -> None:
    toast = session.execute("select reltoastrelid::regclass::text from pg_class where relname = 'orders'")
    relations = ["orders", "orders_pkey", toast.fetchone()[0], "pg_class", "pg_type", "pg_database"]
    paths = [path_of(session, relation) for relation in relations]
    assert named(tmp_path, server, [*paths, "/data/base/5/999999", "/data/base/1/1259"]) == [
        "public.orders",
        "public.orders_pkey",
        "public.orders (TOAST)",
        "pg_catalog.pg_class",
        "pg_catalog.pg_type",
        "pg_catalog.pg_database",
        None,
        None,
    ]


def test_a_rewrite_gives_another_file_the_name(tmp_path: Path, server: embedded.Server, session: Any) -> None:
    before = path_of(session, "orders")
    session.execute("vacuum full orders")
    after = path_of(session, "orders")
    assert before != after
    assert named(tmp_path, server, [before, after]) == [None, "public.orders"]


def test_what_a_checkpoint_writes_is_shown_by_relation(
    tmp_path: Path, server: embedded.Server, session: Any
) -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    events = tmp_path / "events"
    words = ["watch", "--every", "200ms", "--database", server.url, "--json", "--events", str(events)]
    with command.started(*words) as watching:
        wait_for_ticks(events, 1)
        session.execute("update orders set note = repeat('y', 500)")
        session.execute("checkpoint")
        wait_for_ticks(events, 2)
        watching.send_signal(signal.SIGINT)
        told, _ = watching.communicate(timeout=PATIENCE_S)
    assert watching.returncode == 130
    document = json.loads(told)
    of_orders = [row for row in document["data"]["rows"] if row["relation"] == "public.orders"]
    assert {row["operation"] for row in of_orders} == {"write"}
    path = path_of(session, "orders").removeprefix("/data/")
    assert all(path in row["file"] for row in of_orders)
    size_bytes = session.execute("select pg_relation_size('orders')").fetchone()[0]
    assert sum(row["bytes"] for row in of_orders) >= size_bytes // 2

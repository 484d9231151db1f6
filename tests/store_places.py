"""Empty stores of each kind for tests: SQLite files, and databases of one PostgreSQL of our own for the session."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import facts_runs
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch
from plimsoll.databases import embedded
from plimsoll.facts import Run
from plimsoll.ports.clock import SystemClock
from plimsoll.store import SqlStore, new_run_id, open_store

Locate = Callable[[str], str]


@pytest.fixture(scope="session")
def store_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL of our own, or a skip with the reason."""
    with Scratch(tmp_path_factory.mktemp("journal")) as scratch:
        context = Context(
            SystemClock(), lambda _: None, Cancel(), scratch, LocalExecutor(), open_store("/nowhere")
        )
        try:
            running = embedded.running(context, server_settings={"debug_io_direct": "", "fsync": "off"})
            started = running.__enter__()
        except PlimsollError as error:
            pytest.skip(f"no embedded postgresql here: {error.message}")
        try:
            yield started.url
        finally:
            running.__exit__(None, None, None)


@pytest.fixture(params=["sqlite", "postgresql"])
def locate(request: pytest.FixtureRequest, tmp_path: Path) -> Locate:
    """Gives the location of an empty store by name; each test has its own."""
    if request.param == "sqlite":
        return lambda name: str(tmp_path / f"{name}.sqlite")
    url: str = request.getfixturevalue("store_server")
    return lambda name: new_database(url, f"{request.node.name.partition('[')[0]}_{name}"[-60:].lower())


def new_database(url: str, name: str) -> str:
    import psycopg

    with psycopg.connect(url, autocommit=True) as session:
        session.execute(f'DROP DATABASE IF EXISTS "{name}"'.encode())
        session.execute(f'CREATE DATABASE "{name}"'.encode())
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def store(locate: Locate) -> SqlStore:
    return open_store(locate("store"))


@contextmanager
def session_of(location: str) -> Iterator[Any]:
    """The store as somebody else sees it: committed at the end, and closed."""
    if location.startswith("postgresql://"):
        import psycopg

        with psycopg.connect(location) as session:
            session.execute("SELECT set_config('search_path', 'plimsoll', false)")
            yield session
        return
    with closing(sqlite3.connect(location)) as session, session:
        yield session


def row_count(session: Any, table: str) -> int:
    return session.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def runs_of_all_kinds(count: int) -> list[Run]:
    """Runs of different kinds, a minute apart, oldest first."""
    kinds = list(facts_runs.all_runs().values())
    instants = [datetime(2025, 5, 1, 12, tzinfo=UTC) + timedelta(minutes=index) for index in range(count)]
    return [
        kinds[index % len(kinds)].model_copy(
            update={"id": new_run_id(at), "started_at": at, "ended_at": at + timedelta(seconds=90 + index)}
        )
        for index, at in enumerate(instants)
    ]

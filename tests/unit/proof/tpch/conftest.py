"""A server with TPC-H data of scale 0.01, loaded once for all tests here; each test that asks for `copy` gets its own copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from databases_fixture import PARENT, context
from plimsoll.base.errors import WorldError
from plimsoll.databases import embedded, open_database
from plimsoll.facts import Event, Progress
from plimsoll.proof.tpch import TpchRequest, generator, setup

REQUEST = TpchRequest(scale=0.01)
LOADED = "loaded"


@pytest.fixture(scope="session")
def tpchgen() -> Path:
    """The generator, where it is installed."""
    try:
        return generator.find_binary()
    except WorldError as error:
        pytest.skip(f"{error.message}: {error.hint}")


@dataclass(frozen=True)
class Loaded:
    """A server, the URL of its loaded database, and what was told while it was loaded."""

    server: embedded.Server
    events: tuple[Event, ...]
    _copies: list[str]

    @property
    def url(self) -> str:
        """The database that nobody changes."""
        return self.url_of(LOADED)

    def url_of(self, name: str) -> str:
        """A database of that name on the server."""
        return self.server.url.replace("/postgres?", f"/{name}?")

    def create(self, template: str) -> str:
        """A new database after a template; gives its URL."""
        name = f"test_{len(self._copies)}"
        self._copies.append(name)
        with psycopg.connect(self.server.url, autocommit=True) as admin:
            admin.execute(f"create database {name} template {template}".encode())
        return self.url_of(name)


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory, wheel: Path, tpchgen: Path) -> Iterator[Loaded]:
    """Scale 0.01 in the layout `indexed`."""
    with (
        context(tmp_path_factory.mktemp("journal")) as (ctx, events),
        # A copy of a database is made without copying files around its cache, so a larger cache is quicker.
        embedded.running(ctx, PARENT, {"shared_buffers": "128MB", "fsync": "off"}, wheel) as server,
    ):
        found = Loaded(server, (), [])
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute(f"create database {LOADED}".encode())
        with open_database(ctx, found.url) as connection:
            setup(ctx, connection, REQUEST)
        yield Loaded(server, tuple(events), [])


@pytest.fixture
def loaded_url(loaded: Loaded) -> str:
    """The URL of the database that nobody changes."""
    return loaded.url


@pytest.fixture
def loaded_events(loaded: Loaded) -> tuple[Progress, ...]:
    """What was told while it was loaded."""
    return tuple(event for event in loaded.events if isinstance(event, Progress))


@pytest.fixture
def copy(loaded: Loaded) -> str:
    """The URL of a copy that a test may change."""
    return loaded.create(LOADED)


@pytest.fixture
def empty(loaded: Loaded) -> str:
    """The URL of a database with nothing in it."""
    return loaded.create("template1")

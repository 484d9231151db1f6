"""A small order-entry data set on a real server, loaded anew for each test and gone after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from databases_fixture import context
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, embedded
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Scale

SMALL = Scale(warehouses=2, items=200, customers_per_district=30)


@pytest.fixture
def empty(ctx: Context, server_18: embedded.Server) -> Iterator[Connection]:
    """A connection to a server without our schema; what a test makes of that name goes afterwards, whoever made it."""
    with embedded.connected(ctx, server_18) as connection:
        yield connection
        session = connection.session("clean up")
        session.run("drop schema if exists plimsoll_orders cascade")
        session.close()


@pytest.fixture
def loaded(ctx: Context, empty: Connection) -> Connection:
    """The same with the small data set."""
    order_entry.load(ctx, empty, SMALL)
    return empty


@pytest.fixture(scope="module")
def kept(
    tmp_path_factory: pytest.TempPathFactory, server_18: embedded.Server
) -> Iterator[tuple[Context, Connection]]:
    """The small data set for all tests of a file that leave it as it was."""
    with (
        context(tmp_path_factory.mktemp("journal")) as (ctx, _),
        embedded.connected(ctx, server_18) as connection,
    ):
        order_entry.load(ctx, connection, SMALL)
        yield ctx, connection
        order_entry.drop(connection)


@pytest.fixture
def undone(kept: tuple[Context, Connection]) -> Iterator[Session]:
    """A session on the kept data whose changes nobody else sees, and which are taken back."""
    made = kept[1].session("test")
    made.run("begin")
    yield made
    made.run("rollback")
    made.close()


@pytest.fixture
def session(empty: Connection) -> Iterator[Session]:
    """A session that may change things."""
    made = empty.session("test")
    yield made
    made.close()

"""Bulk data into PostgreSQL: rows counted, and nothing left of what ended early."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Session, embedded, open_database

COPY = "copy bulk from stdin with (format text, delimiter '|')"


@pytest.fixture
def session(ctx: Context, server_18: embedded.Server) -> Iterator[Session]:
    """A session with an empty table `bulk`."""
    with open_database(ctx, server_18.url) as connection:
        session = connection.session("test")
        session.run("create table bulk (n integer, word text)")
        yield session
        session.run("drop table bulk")
        session.close()


def test_rows_are_counted(session: Session) -> None:
    assert session.copy_in(COPY, iter([b"1|one\n2|t", b"wo\n", b"", b"3|\\N\n"])) == 3
    assert session.run("select * from bulk order by n") == [(1, "one"), (2, "two"), (3, None)]
    assert session.copy_in(COPY, []) == 0


def test_what_the_chunks_raise_ends_it_and_leaves_nothing(session: Session) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"1|one\n"
        raise Interrupted

    with pytest.raises(Interrupted):
        session.copy_in(COPY, chunks())
    assert session.run("select count(*) from bulk") == [(0,)]


@pytest.mark.parametrize("line", [b"1|one|more\n", b"x|one\n", b"1\n"])
def test_a_row_that_does_not_fit(session: Session, line: bytes) -> None:
    with pytest.raises(PlimsollError) as caught:
        session.copy_in(COPY, [b"1|one\n", line])
    assert caught.value.id == "database-refused"
    assert session.run("select count(*) from bulk") == [(0,)]

"""A session that may change things: bulk data whose rows are counted, and refusals that each have their name."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Session, embedded, open_database

COPY = "copy bulk from stdin with (format text, delimiter '|')"


@pytest.fixture
def session(ctx: Context, server_18: embedded.Server) -> Iterator[Session]:
    """A session with an empty table `bulk`, which goes with it."""
    with open_database(ctx, server_18.url) as connection:
        session = connection.session("test")
        session.run("create temporary table bulk (n integer, word text)")
        yield session
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


RAISED = "do $$ begin raise exception using errcode = '{code}', message = 'So be it.'; end $$"


@pytest.mark.parametrize(
    ("code", "error_id"),
    [("53100", "database-full"), ("42501", "database-rights"), ("57014", "database-cancelled"),
     ("57P01", "database-lost"), ("22012", "database-refused")],
)  # fmt: skip
def test_refusals_have_names(session: Session, code: str, error_id: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        session.run(RAISED.format(code=code))
    assert caught.value.id == error_id
    assert caught.value.message.endswith(": so be it")
    assert (caught.value.hint or "").endswith(".")


def test_another_thread_can_end_what_a_session_does(session: Session) -> None:
    ended = threading.Event()

    def cancel() -> None:
        while not ended.wait(0.05):
            session.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    try:
        with pytest.raises(PlimsollError) as caught:
            session.run("select pg_sleep(100)")
    finally:
        ended.set()
        thread.join()
    assert caught.value.id == "database-cancelled"
    assert session.run("select 1") == [(1,)]


def test_a_session_that_was_ended_is_lost(session: Session) -> None:
    with pytest.raises(PlimsollError) as caught:
        session.run("select pg_terminate_backend(pg_backend_pid())")
    assert caught.value.id == "database-lost"
    with pytest.raises(PlimsollError) as caught:
        session.run("select 1")
    assert caught.value.id == "database-lost"

"""Columns, types and bytes that no server answers with are errors of the world, which name what was odd, and no defect of ours."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from fake_postgres import fake_postgres
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import _postgres_errors as errors
from plimsoll.databases import open_database, reads_answers
from plimsoll.databases._postgres_session import PostgresSession
from plimsoll.proof.order_entry import schema
from plimsoll.proof.slob import tables
from plimsoll.proof.tpch import schema as tpch
from plimsoll.store import open_store


@pytest.mark.parametrize("mode", ["odd", "bytes", "empty"])
def test_odd_answers_to_a_reading_are_no_defect_of_ours(ctx: Context, mode: str) -> None:
    with fake_postgres(mode) as url, pytest.raises(WorldError) as failed, open_database(ctx, url):
        pass
    assert failed.value.id in ("database-odd", "database-refused")
    assert failed.value.message.startswith("could not")


@pytest.mark.parametrize("mode", ["odd", "bytes", "empty"])
def test_odd_answers_to_a_store_are_no_defect_of_ours(mode: str) -> None:
    with fake_postgres(mode) as url, pytest.raises(WorldError) as failed:
        open_store(url).summaries()
    assert failed.value.id in ("store-odd", "store-damaged", "store-failed", "store-foreign", "store-newer")


@pytest.mark.parametrize("mode", ["odd", "bytes", "empty"])
@pytest.mark.parametrize(
    "ask",
    [lambda session: tables.status(session, "postgres"), schema.look, tpch.status_of],
    ids=["slob", "order-entry", "tpch"],
)
def test_odd_answers_to_a_proof_are_no_defect_of_ours(
    mode: str, ask: Callable[[PostgresSession], object]
) -> None:
    with fake_postgres(mode) as url:
        session = PostgresSession(errors.connect(errors.parse_url(url), None), "there")
        with closing(session), pytest.raises(WorldError) as failed:
            ask(session)
        assert failed.value.id in ("database-odd", "proof-foreign", "database-refused")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: {}["value\x1b"], r"it has no 'value\\x1b'"),
        (lambda: int("x"), "invalid literal for int"),
        (lambda: b"\x9b".decode(), "can't decode byte 0x9b"),
        (lambda: ()[int("5")], "index out of range"),
    ],
)
def test_the_error_names_what_was_odd(wrong: Callable[[], object], words: str) -> None:
    with pytest.raises(WorldError, match=words) as failed:
        reads_answers(wrong)()
    assert failed.value.id == "database-odd"
    assert "\x1b" not in failed.value.message

"""What is not ours is left alone, what is half loaded is known for it, and one works in the schema at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from databases_fixture import context
from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import open_database
from plimsoll.facts import Event, Progress
from plimsoll.proof.tpch import TpchRequest, drop, generator, run_tpch, schema, setup, status

REQUEST = TpchRequest(scale=0.01)
USES: dict[str, Callable[..., object]] = {
    "run": lambda ctx, connection: run_tpch(ctx, connection, REQUEST),
    "setup": lambda ctx, connection: setup(ctx, connection, REQUEST),
    "drop": lambda _, connection: drop(connection),
}


def execute(url: str, *statements: str) -> list[tuple[object, ...]]:
    """The rows of the last statement."""
    with psycopg.connect(url, autocommit=True) as session:
        cursors = [session.execute(statement.encode()) for statement in statements]
        return cursors[-1].fetchall() if cursors[-1].description else []


def refusal(ctx: Context, url: str, use: str) -> PlimsollError:
    with open_database(ctx, url) as connection, pytest.raises(PlimsollError) as caught:
        USES[use](ctx, connection)
    error = caught.value
    assert "\n" not in error.message
    assert error.message[0].islower()
    assert (error.hint or "").endswith(".")
    return error


@pytest.mark.parametrize("comment", ["null", "'sales data'", "'made by plimsoll prove tpch: nonsense'"])
@pytest.mark.parametrize("use", USES)
def test_a_foreign_schema_is_left_alone(ctx: Context, empty: str, use: str, comment: str) -> None:
    execute(
        empty,
        "create schema plimsoll_tpch",
        "create table plimsoll_tpch.orders as select 1 as n",
        f"comment on schema plimsoll_tpch is {comment}",
    )
    error = refusal(ctx, empty, use)
    assert error.id == "proof-foreign"
    assert "schema plimsoll_tpch" in error.message
    assert execute(empty, "select n from plimsoll_tpch.orders") == [(1,)]
    with open_database(ctx, empty) as connection:
        assert status(connection) == schema.TpchStatus("foreign")


def test_nothing_there(ctx: Context, empty: str) -> None:
    with open_database(ctx, empty) as connection:
        assert status(connection).state == "absent"
        assert drop(connection).state == "absent"
    assert refusal(ctx, empty, "run").id == "tpch-not-loaded"


def test_what_is_loaded_tells_what_it_is(ctx: Context, loaded_url: str, tpchgen: Path) -> None:
    with open_database(ctx, loaded_url) as connection:
        found = status(connection)
    assert found.marker == schema.Marker("loaded", "0.01", "indexed", generator.version_of(tpchgen))
    assert found.state == "loaded"
    assert 10_000_000 < (found.bytes or 0) < 100_000_000


def test_drop_takes_all_away(ctx: Context, copy: str) -> None:
    with open_database(ctx, copy) as connection:
        assert drop(connection).state == "loaded"
        assert status(connection).state == "absent"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (TpchRequest(scale=0.02), "scale 0.02, indexed"),
        (TpchRequest(scale=0.01, layout="clustered"), "clustered"),
    ],
)
@pytest.mark.parametrize("use", [setup, run_tpch])
def test_other_data_than_asked_for(
    ctx: Context, loaded_url: str, use: Callable[..., object], wanted: TpchRequest, said: str
) -> None:
    with open_database(ctx, loaded_url) as connection, pytest.raises(PlimsollError) as caught:
        use(ctx, connection, wanted)
    assert caught.value.id == "tpch-differs"
    assert "holds scale 0.01, indexed" in caught.value.message
    assert said in caught.value.message


def test_setup_again_does_nothing(ctx: Context, loaded_url: str) -> None:
    oid = "select 'plimsoll_tpch.orders'::regclass::oid"
    before = execute(loaded_url, oid)
    with open_database(ctx, loaded_url) as connection:
        assert setup(ctx, connection, REQUEST).state == "loaded"
    assert execute(loaded_url, oid) == before


@pytest.mark.parametrize("use", ["setup", "drop"])
def test_a_proof_keeps_load_and_drop_away(ctx: Context, copy: str, use: str) -> None:
    with open_database(ctx, copy) as other:
        proof = schema.open_session(other)
        schema.take_lock(proof, shared=True)
        assert refusal(ctx, copy, use).id == "proof-busy"
        proof.close()


def test_a_load_keeps_proofs_away_and_proofs_share(ctx: Context, loaded_url: str) -> None:
    with open_database(ctx, loaded_url) as other:
        load = schema.open_session(other)
        schema.take_lock(load, shared=False)
        assert refusal(ctx, loaded_url, "run").id == "proof-busy"
        load.close()
        first, second = schema.open_session(other), schema.open_session(other)
        schema.take_lock(first, shared=True)
        schema.take_lock(second, shared=True)
        first.close()
        second.close()


def test_a_marker_survives_its_comment() -> None:
    marker = schema.Marker("loading", "0.01", "indexed", "it's 4.0")
    assert schema._read(marker.text()) == marker
    assert schema._read(None) is None


@pytest.mark.parametrize("at", ["making", "loading", "indexing", "taking"])
def test_an_interrupted_load_is_seen_and_redone(
    tmp_path: Path, empty: str, tpchgen: Path, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.proof.tpch.load.default_folder", lambda: tmp_path)
    with context(tmp_path / "first") as (ctx, _):

        def stop(event: Event) -> None:
            if isinstance(event, Progress) and event.message.startswith(at):
                ctx.cancel.set()

        stopping = dataclasses.replace(ctx, events=stop)
        with open_database(ctx, empty) as connection, pytest.raises(Interrupted):
            setup(stopping, connection, REQUEST)
    assert not list(tmp_path.glob("plimsoll-tpch-*"))
    with context(tmp_path / "second") as (ctx, events):
        with open_database(ctx, empty) as connection:
            assert status(connection).state == "loading"
        assert refusal(ctx, empty, "run").id == "tpch-half-loaded"
        if at != "indexing":  # Once is enough for loading it all again.
            return
        with open_database(ctx, empty) as connection:
            assert setup(ctx, connection, REQUEST).state == "loaded"
            assert run_tpch(ctx, connection, REQUEST).proof.holds
        assert any("cut short" in event.message for event in events if event.kind == "remark")

"""Whoever may make a schema may write our mark on it: what it says is not believed, and what is in it not run with our rights."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database
from plimsoll.proof import order_entry
from plimsoll.proof.slob import tables as slob
from plimsoll.proof.slob.parameters import SlobParameters
from plimsoll.proof.tpch import schema as tpch

SLOB = {
    "made_by": "plimsoll 1",
    "state": "loaded",
    "schemas": 1,
    "scale": 8,
    "scan_table": 0,
    "seed": 1,
    "tables": [["cf1_1", 8, 8]],
}
ORDERS = {
    "state": "loaded",
    "layout": 1,
    "warehouses": 1,
    "items": 100,
    "customers_per_district": 30,
    "seed": 1,
}
TPCH = {"state": "loaded", "scale": "0.01", "layout": "plain", "generator": "1"}
MARKS = {
    "plimsoll_slob": f"plimsoll slob {json.dumps(SLOB)}",
    "plimsoll_orders": f"plimsoll order-entry {json.dumps(ORDERS)}",
    "plimsoll_tpch": f"made by plimsoll prove tpch: {json.dumps(TPCH)}",
}


@pytest.fixture
def database(server_18: embedded.Server) -> Iterator[str]:
    """A database with a table that nobody may touch, and with a role that is no superuser and may make schemas."""
    with psycopg.connect(server_18.url, autocommit=True) as session:
        session.execute("create database hostile_schemas")
        session.execute("create role mallory login")
        session.execute("grant create on database hostile_schemas to mallory")
    url = server_18.url.replace("/postgres?", "/hostile_schemas?")
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("create table public.canary (n int)")
    try:
        yield url
    finally:
        with psycopg.connect(server_18.url, autocommit=True) as session:
            session.execute("drop database hostile_schemas with (force)")
            session.execute("drop role mallory")


def put(url: str, schema: str, mark: str, owner: str) -> None:
    """A schema with that comment, made by that role."""
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(sql.SQL("set role {}").format(sql.Identifier(owner)))
        session.execute(sql.SQL("create schema {}").format(sql.Identifier(schema)))
        session.execute(
            sql.SQL("comment on schema {} is {}").format(sql.Identifier(schema), sql.Literal(mark))
        )


def tried(ctx: Context, url: str, schema: str) -> list[str]:
    """The ids of what looking, using and dropping are refused with."""
    with open_database(ctx, url) as connection:
        session = connection.session("look")
        if schema == "plimsoll_slob":
            calls = (
                lambda: slob.status(session, "postgres"),
                lambda: slob.checked(session, "postgres", SlobParameters()),
                lambda: slob.drop(session, "postgres"),
            )
        elif schema == "plimsoll_orders":
            calls = (
                lambda: order_entry.look(session),
                lambda: order_entry.drop(connection),
            )
        else:
            calls = (lambda: tpch.status(connection), lambda: tpch.drop(connection))
        ids = []
        for call in calls:
            try:
                found = call()
            except PlimsollError as error:
                ids.append(error.id)
            else:
                ids.append(getattr(found, "state", "done"))
        session.close()
    return ids


def untouched(url: str, schema: str) -> bool:
    with psycopg.connect(url, autocommit=True) as session:
        (kept,) = session.execute(
            "select to_regclass('public.canary') is not null and to_regnamespace(%s) is not null", [schema]
        ).fetchone() or (False,)
    return bool(kept)


@pytest.mark.parametrize("schema", MARKS)
def test_another_role_s_schema_is_refused(ctx: Context, database: str, schema: str) -> None:
    put(database, schema, MARKS[schema], "mallory")
    assert set(tried(ctx, database, schema)) == {"proof-foreign"}
    assert untouched(database, schema)


def test_another_role_s_function_in_our_schema_is_refused(ctx: Context, database: str) -> None:
    """A trigger of theirs would run with the rights of whoever updates the table."""
    put(database, "plimsoll_slob", MARKS["plimsoll_slob"], "plimsoll")
    with psycopg.connect(database, autocommit=True) as session:
        session.execute("grant create, usage on schema plimsoll_slob to mallory")
        session.execute("set role mallory")
        session.execute("create function plimsoll_slob.f() returns int language sql as 'select 1'")
    with open_database(ctx, database) as connection:
        session = connection.session("look")
        with pytest.raises(WorldError, match="role mallory, who is no superuser") as caught:
            slob.status(session, "postgres")
        session.close()
    assert caught.value.id == "proof-foreign"
    assert "Log in as mallory" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "changed",
    [
        {"schemas": "1; drop table public.canary; --"},
        {"scale": "8) from x; drop table public.canary; --"},
        {"seed": None},
        {"schemas": True},
        {"schemas": -1},
        {"state": "loaded'"},
        {"made_by": 5},
        {"tables": [["cf1_1; drop table public.canary", 8, 8]]},
        {"tables": [["cf1_1", "8", 8]]},
        {"tables": "cf1"},
        {"more": 1},
    ],
    ids=str,
)
def test_a_mark_of_slob_s_that_we_never_write(
    ctx: Context, database: str, changed: dict[str, object]
) -> None:
    """Its numbers become a part of statements."""
    put(database, "plimsoll_slob", f"plimsoll slob {json.dumps({**SLOB, **changed})}", "plimsoll")
    ids = tried(ctx, database, "plimsoll_slob")
    if changed == {"more": 1}:
        return  # a later release may write more
    assert set(ids) == {"proof-foreign"}
    assert untouched(database, "plimsoll_slob")


STRANGE = [
    "{",
    "[" * 5000,
    "{}",
    "[]",
    "null",
    '{"state": 5, "layout": 1}',
    '{"layout": 1, "state": "loaded"}',
    json.dumps({**TPCH, "state": "x"}),
    json.dumps({**TPCH, "scale": 5}),
    json.dumps({**ORDERS, "warehouses": "1; drop"}),
    json.dumps({**ORDERS, "seed": -1}),
]


@pytest.mark.parametrize("schema", ["plimsoll_orders", "plimsoll_tpch"])
@pytest.mark.parametrize("mark", STRANGE, ids=lambda mark: mark[:40])
def test_marks_that_we_never_write_are_strangers(ctx: Context, database: str, schema: str, mark: str) -> None:
    """But for one of another layout, which is what an earlier release leaves."""
    put(database, schema, MARKS[schema].partition("{")[0] + mark, "plimsoll")
    ids = tried(ctx, database, schema)
    assert set(ids) <= {"foreign", "proof-foreign"} or ids[0] == "outdated"
    assert untouched(database, schema) or ids[0] == "outdated"

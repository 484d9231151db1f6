"""Databases whose owner set what names mean and whom a session acts as: nothing of theirs runs with our rights."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

import command
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database

_WATCHED = {
    "clock_timestamp()": "timestamptz", "now()": "timestamptz", "pg_current_wal_lsn()": "pg_lsn",
    "pg_stat_force_next_flush()": "void", "obj_description(oid, name)": "text", "current_setting(text)": "text",
    "pg_try_advisory_lock(int, int)": "boolean", "pg_backend_pid()": "int", "md5(text)": "text",
    "pg_total_relation_size(oid)": "bigint", "pg_relation_size(regclass)": "bigint", "format(text, text, text)": "text",
    "set_config(text, text, boolean)": "text", "pg_table_is_visible(oid)": "boolean",
}  # fmt: skip
"""Functions that our statements call, made anew where the owner's search path comes first."""


@pytest.fixture
def owned(server_18: embedded.Server) -> Iterator[str]:
    """The URL, as a superuser, of a database of mallory's, who is none."""
    with psycopg.connect(server_18.url, autocommit=True) as session:
        session.execute("create role mallory login")
        session.execute("create database hostile_settings owner mallory")
    url = server_18.url.replace("/postgres?", "/hostile_settings?")
    try:
        yield url
    finally:
        with psycopg.connect(server_18.url, autocommit=True) as session:
            session.execute("drop database hostile_settings with (force)")
            session.execute("drop role mallory")


def shadow(url: str) -> None:
    """What she may do: her functions and an operator in front of the server's, each of which writes down who ran it."""
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("set role mallory")
        session.execute("create schema evil")
        session.execute("grant usage on schema evil to public")
        session.execute("create table evil.seen (what text, as_whom text)")
        session.execute("grant insert on evil.seen to public")
        for signature, result in _WATCHED.items():
            last = "return" if result == "void" else "return null"
            body = f"begin insert into evil.seen values ('{signature}', current_user); {last}; end"
            session.execute(
                f"create function evil.{signature} returns {result} language plpgsql as $$ {body} $$".encode()
            )
        session.execute(
            "create function evil.joined(text, bigint) returns text language plpgsql as "
            "$$ begin insert into evil.seen values ('||', current_user); return null; end $$"
        )
        session.execute("create operator evil.|| (leftarg = text, rightarg = bigint, function = evil.joined)")
        session.execute("alter database hostile_settings set search_path = evil, public, pg_catalog")


def seen(url: str) -> list[tuple[str, str]]:
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("set search_path = pg_catalog")
        return session.execute("select distinct what, as_whom from evil.seen").fetchall()


def test_no_function_of_theirs_runs(owned: str) -> None:
    shadow(owned)
    statuses = [
        command.here(*words).returncode
        for words in (
            ("demand", "--database", owned, "--runtime", "2"),
            ("prove", "slob", "setup", "--database", owned, "--scale", "1M"),
            ("prove", "slob", "--database", owned, "--threads", "1", "--runtime", "1", "--warm-up", "0"),
            ("prove", "slob", "drop", "--database", owned),
            ("prove", "order-entry", "setup", "--database", owned, "--items", "200", "--customers", "30"),
            ("prove", "order-entry", "status", "--database", owned),
            ("prove", "order-entry", "drop", "--database", owned),
            ("prove", "tpch", "status", "--database", owned),
        )
    ]
    assert set(statuses) <= {0, 1, 5}
    assert seen(owned) == []


def test_a_store_of_theirs_is_not_used_as_a_superuser(owned: str) -> None:
    shadow(owned)
    done = command.here("store", "list", "--store", owned, "--json")
    assert command.document(done)["data"]["id"] == "store-untrusted"
    done = command.here("io", "sim:", "--runtime", "100ms", "--store", owned, "--json")
    assert "could have put anything into it" in command.document(done)["warnings"][0]["message"]
    assert seen(owned) == []


def test_a_session_acts_as_the_user_who_logged_in(ctx: Context, owned: str) -> None:
    """What mallory owned by that, we would have trusted as our own."""
    with psycopg.connect(owned, autocommit=True) as session:
        session.execute("alter database hostile_settings set role = mallory")
    with open_database(ctx, owned) as connection:
        session = connection.session("test")
        assert session.run("select current_user = session_user, current_user <> 'mallory'") == [(True, True)]
        session.close()

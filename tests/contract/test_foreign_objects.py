"""Drop beside every kind of object that others may have put into our schema, or built upon it: it names them and drops nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest

from databases_fixture import context
from mariadb_server import MariadbServer
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, embedded, open_database
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Scale
from plimsoll.proof.order_entry import schema as orders
from plimsoll.proof.slob import tables as slob
from plimsoll.proof.slob.parameters import SlobParameters
from plimsoll.proof.tpch import TpchRequest
from plimsoll.proof.tpch import schema as tpch
from plimsoll.proof.tpch import setup as load_tpch
from slob_tables import dropped

SLOB = SlobParameters(schemas=1, scale=64, scan_table=8)

POSTGRES = {
    "view": ("create view {own}.v as select 1 as n", "view {own}.v"),
    "view upon": ("create view public.v as select * from {own}.{table}", "view public.v"),
    "materialized view": ("create materialized view {own}.m as select 1 as n", "materialized view {own}.m"),
    "table": ("create table {own}.notes (n int)", "table {own}.notes"),
    "child": ("create table public.child () inherits ({own}.{table})", "table public.child"),
    "parent": (
        "create table public.parent (like {own}.{table}); alter table {own}.{table} inherit public.parent",
        "table public.parent with the rows of table {own}.{table}",
    ),
    "partitioned": (
        (
            "create table public.parts (like {own}.{table}) partition by list ({column});"
            " alter table public.parts attach partition {own}.{table} default"
        ),
        "table public.parts with the rows of table {own}.{table}",
    ),
    "of its type": ("create table public.rowed (r {own}.{table})", "column r of table public.rowed"),
    "index": ("create index mine on {own}.{table} ({column})", "index {own}.mine"),
    "unique": ("alter table {own}.{table} add constraint one unique ({column})", "constraint one on table {own}.{table}"),
    "check": ("alter table {own}.{table} add constraint c check ({column} is not null)", "constraint c on table"),
    "statistics": ("create statistics {own}.st on ({column} + 1), ({column} + 2) from {own}.{table}", "statistics object {own}.st"),
    "sequence": ("create sequence {own}.s", "sequence {own}.s"),
    "owned sequence": ("create sequence {own}.s owned by {own}.{table}.{column}", "sequence {own}.s"),
    "function": ("create function {own}.f() returns int language sql return 1", "function {own}.f()"),
    "function upon": (
        "create function public.f() returns bigint language sql begin atomic select count(*) from {own}.{table}; end",
        "function public.f()",
    ),
    "aggregate": ("create aggregate {own}.a(int) (sfunc = int4pl, stype = int)", "function {own}.a(integer)"),
    "default": (
        "alter table {own}.{table} alter {column} set default 7",
        "default value for column {column} of table {own}.{table}",
    ),
    "default upon": (
        "create function {own}.seven() returns int language sql return 7; create table public.d (n int default {own}.seven())",
        "function {own}.seven()",
    ),
    "trigger": (
        "create trigger tr before update on {own}.{table} execute function suppress_redundant_updates_trigger()",
        "trigger tr on table {own}.{table}",
    ),
    "column": ("alter table {own}.{table} add column owner_notes text", "column owner_notes of table {own}.{table}"),
    "rule": ("create rule ru as on delete to {own}.{table} do also select 1", "rule ru on table {own}.{table}"),
    "policy": ("create policy po on {own}.{table} using (true)", "policy po on table {own}.{table}"),
    "publication": ("create publication pu for table {own}.{table}", "publication of table {own}.{table} in publication pu"),
    "schema's publication": ("create publication pu for tables in schema {own}", "publication of schema {own} in publication pu"),
    "domain": ("create domain {own}.d as int", "type {own}.d"),
    "enum": ("create type {own}.e as enum ('a')", "type {own}.e"),
    "composite": ("create type {own}.c as (n int)", "type {own}.c"),
    "operator": (
        "create operator {own}.### (leftarg = int, rightarg = int, function = int4pl)",
        "operator {own}.###(integer,integer)",
    ),
    "collation": ("create collation {own}.co (locale = 'C')", "collation {own}.co"),
    "text search": ("create text search configuration {own}.ts (copy = simple)", "text search configuration {own}.ts"),
    "default rights": (
        "alter default privileges in schema {own} grant select on tables to public",
        "default privileges on new relations",
    ),
}  # fmt: skip
PLACES = {
    "slob": ("plimsoll_slob", "cf1_1", "custid"),
    "order-entry": ("plimsoll_orders", "item", "i_id"),
    "tpch": ("plimsoll_tpch", "region", "r_regionkey"),
}


@pytest.fixture(scope="module", params=PLACES)
def made(
    server_18: embedded.Server,
    wheel: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[tuple[str, str]]:
    """The workload that has its tables in a database of its own, and its URL."""
    with psycopg.connect(server_18.url, autocommit=True) as session:
        session.execute("create database foreign_objects")
    url = server_18.url.replace("/postgres?", "/foreign_objects?")
    try:
        with context(tmp_path_factory.mktemp("journal")) as (ctx, _), open_database(ctx, url) as connection:
            make(ctx, connection, request.param)
        yield request.param, url
    finally:
        with psycopg.connect(server_18.url, autocommit=True) as session:
            session.execute("drop database foreign_objects with (force)")


def make(ctx: Context, connection: Connection, workload: str) -> None:
    if workload == "slob":
        slob.setup(ctx, connection, SLOB)
    elif workload == "order-entry":
        order_entry.load(ctx, connection, Scale(warehouses=1, items=100, customers_per_district=10))
    else:
        load_tpch(ctx, connection, TpchRequest(scale=0.01))


def drop(session: Session, workload: str) -> None:
    """What the commands call once they hold their lock."""
    if workload == "slob":
        slob.drop(session, "postgres")
    elif workload == "order-entry":
        orders.drop_tables(session)
    else:
        tpch.drop_tables(session)


def test_each_kind_of_object_is_named_and_nothing_is_dropped(ctx: Context, made: tuple[str, str]) -> None:
    """Each in a transaction that is rolled back, in which a drop that does not refuse would leave nothing."""
    workload, url = made
    own, table, column = PLACES[workload]
    words = {"own": own, "table": table, "column": column}
    with open_database(ctx, url) as connection, closing(connection.session("test")) as session:
        for kind, (text, name) in POSTGRES.items():
            session.run(f"begin; {text.format(**words)}")
            with pytest.raises(PlimsollError) as refused:
                drop(session, workload)
            assert refused.value.id == "proof-foreign", kind
            named = refused.value.message.partition("depend on it: ")[2]
            assert name.format(**words) in named, (kind, named)
            session.run(f"select count({column}) from {own}.{table}")
            session.run("rollback")
        assert session.run("select 1 from pg_namespace where nspname = %s", [own])


def test_code_of_others_on_our_tables_is_not_run(ctx: Context, made: tuple[str, str]) -> None:
    """Whoever was granted TRIGGER on a table can make it run functions with the rights of whoever drives the table."""
    workload, url = made
    own, table, column = PLACES[workload]
    checks = {
        "slob": lambda session: slob.checked(session, "postgres", SLOB),
        "order-entry": orders.check_loaded,
        "tpch": tpch.check_pure,
    }
    with open_database(ctx, url) as connection, closing(connection.session("test")) as session:
        checks[workload](session)
        for kind in ("trigger", "rule", "policy", "partitioned"):
            text, name = POSTGRES[kind]
            session.run(f"begin; {text.format(own=own, table=table, column=column)}")
            with pytest.raises(PlimsollError, match="act on them") as refused:
                checks[workload](session)
            assert refused.value.id == "proof-foreign"
            assert name.format(own=own, table=table) in refused.value.message
            session.run("rollback")


def test_all_of_them_at_once_and_then_none(ctx: Context, made: tuple[str, str]) -> None:
    workload, url = made
    own, table, column = PLACES[workload]
    texts = [text.format(own=own, table=table, column=column) for text, _ in POSTGRES.values()]
    with open_database(ctx, url) as connection, closing(connection.session("test")) as session:
        session.run("begin")
        for number, text in enumerate(texts):
            session.run(f"savepoint s{number}")
            with suppress(PlimsollError):  # some have the same name as others
                session.run(text)
                continue
            session.run(f"rollback to s{number}")
        with pytest.raises(PlimsollError, match=r"and [0-9]+ more"):
            drop(session, workload)
        session.run("rollback")
        drop(session, workload)
        assert session.run("select 1 from pg_namespace where nspname = %s", [own]) == []
        assert session.run("select 1 from pg_class where relname = %s", [table]) == []
        make(ctx, connection, workload)


MARIADB = {
    "view": ("create view plimsoll_slob.v as select 1", "view v"),
    "view upon": ("create view theirs.v as select * from plimsoll_slob.cf1_1", "view theirs.v"),
    "table": ("create table plimsoll_slob.notes (n int)", "table notes"),
    "sequence": ("create sequence plimsoll_slob.s", "sequence s"),
    "function": ("create function plimsoll_slob.f() returns int return 1", "function f"),
    "procedure": ("create procedure plimsoll_slob.p() select 1", "procedure p"),
    "event": ("create event plimsoll_slob.e on schedule every 1 day do select 1", "event e"),
    "trigger": (
        "create trigger plimsoll_slob.t before insert on plimsoll_slob.cf1_1 for each row set new.custid = 1",
        "trigger t on table cf1_1",
    ),
    "index": ("create index mine on plimsoll_slob.cf1_1 (c2)", "index mine on table cf1_1"),
    "check": (
        "alter table plimsoll_slob.cf1_1 add constraint c check (custid is not null)",
        "constraint c on table cf1_1",
    ),
    "column": ("alter table plimsoll_slob.cf1_1 add column notes int", "column notes of table plimsoll_slob.cf1_1"),
    "foreign key": (
        "create table theirs.child (n bigint, foreign key (n) references plimsoll_slob.cf1_1 (place)) engine=innodb",
        "of table theirs.child",
    ),
}  # fmt: skip
UNDO = {
    "view": "drop view plimsoll_slob.v", "view upon": "drop view theirs.v", "table": "drop table plimsoll_slob.notes",
    "sequence": "drop sequence plimsoll_slob.s", "function": "drop function plimsoll_slob.f",
    "procedure": "drop procedure plimsoll_slob.p", "event": "drop event plimsoll_slob.e", "trigger": "drop trigger plimsoll_slob.t",
    "column": "alter table plimsoll_slob.cf1_1 drop column notes",
    "check": "alter table plimsoll_slob.cf1_1 drop constraint c",
    "index": "drop index mine on plimsoll_slob.cf1_1", "foreign key": "drop table theirs.child",
}  # fmt: skip


def test_each_kind_of_object_in_mariadb(ctx: Context, mariadb_server: MariadbServer) -> None:
    with open_database(ctx, mariadb_server.url) as connection, closing(connection.session("test")) as session:
        slob.setup(ctx, connection, SLOB)
        session.run("create database theirs")
        try:
            for kind, (text, name) in MARIADB.items():
                session.run(text)
                with pytest.raises(PlimsollError) as refused:
                    slob.drop(session, "mariadb")
                assert refused.value.id == "proof-foreign", (kind, refused.value.message)
                assert name in refused.value.message, kind
                if kind == "trigger":
                    with pytest.raises(PlimsollError, match="act on them: trigger t on table cf1_1"):
                        slob.checked(session, "mariadb", SLOB)
                session.run(UNDO[kind])
        finally:
            session.run("drop database theirs")
        slob.drop(session, "mariadb")
        assert slob.status(session, "mariadb") is None


def test_what_a_user_of_mariadb_may_not_see_is_not_dropped(
    ctx: Context, mariadb_server: MariadbServer
) -> None:
    """An event and a trigger of others would go with the database, unseen."""
    with open_database(ctx, mariadb_server.url) as connection, closing(connection.session("test")) as session:
        slob.setup(ctx, connection, SLOB)
        session.run("create user sees_little@'localhost' identified by 'x'")
        session.run("grant all on plimsoll_slob.* to sees_little@'localhost'")
        url = mariadb_server.url_of("sees_little", "x", "plimsoll_slob")
        try:
            session.run("revoke event, trigger on plimsoll_slob.* from sees_little@'localhost'")
            session.run("create event plimsoll_slob.e on schedule every 1 day do select 1")
            with (
                open_database(ctx, url) as limited,
                pytest.raises(PlimsollError, match="privilege") as refused,
            ):
                dropped(limited)
            assert refused.value.id == "proof-foreign"
            session.run("drop event plimsoll_slob.e")
            session.run("grant event, trigger on plimsoll_slob.* to sees_little@'localhost'")
            with open_database(ctx, url) as limited:
                assert dropped(limited) is not None
        finally:
            session.run("drop user sees_little@'localhost'")

"""A plan is carried out on a real PostgreSQL, and taken back: every object lies where it should, and its rows are
what they were.
"""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

import plimsoll
from applied_plans import applied, states
from databases_fixture import context
from moved_plans import placement, row
from moved_tables import ODD, Tables
from plimsoll.base.errors import ExitStatus, Interrupted, WorldError
from plimsoll.cli import main
from plimsoll.context import Context
from plimsoll.databases.postgres import PostgresConnection
from plimsoll.facts import Event
from plimsoll.placement.scripts import postgres
from plimsoll.placement.scripts.moves import moves_of

MOVED = {
    "orders", "toast of orders", "orders_pkey", "orders_day", ODD, "odd %s index", "year_1", "toast of year_1",
    "stays_during_excl", "totals",
}  # fmt: skip


EACH_RELEASE = pytest.mark.parametrize("made", ["server_15", "server_16", "server_18"], indirect=True)
"""Where catalogs, locks and builds of the releases could differ."""


@EACH_RELEASE
def test_there_and_back(ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    before, content = made.layout(), made.content()
    assert set(before.values()) == {""}
    found = applied(ctx, made, made.plan(), monkeypatch)
    assert set(states(found).values()) == {"done"}
    assert found.status is ExitStatus.DONE
    assert {name for name, space in made.layout().items() if space == made.fast} == MOVED
    assert made.temp() == [([f"temp_tablespaces={made.fast}"],)]
    assert made.content() == content
    assert made.invalid() == []
    again = applied(ctx, made, made.plan(), monkeypatch, confirm=None)
    assert set(states(again).values()) == {"done"}, "nothing is left to do, and nothing is asked"
    back = applied(ctx, made, made.plan(), monkeypatch, reverse=True)
    assert set(states(back).values()) == {"done"}
    assert (made.layout(), made.content(), made.temp()) == (before, content, [])


def test_a_name_with_dots_is_told_by_its_quotes(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.run('create schema "a.b"; create schema a; create table "a.b".c (); create table a."b.c" ()')
    found = applied(ctx, made, placement([row('"a.b".c', "pg_default", made.fast)]), monkeypatch)
    assert states(found) == {'"a.b".c': "done"}
    lies = made.run(
        "select oid::regclass::text from pg_class where reltablespace <> 0 and relkind = 'r' and oid >= 16384"
    )
    assert lies == [('"a.b".c',)]


@EACH_RELEASE
def test_a_slot_that_is_behind_stops_it(ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    made.run("select pg_create_physical_replication_slot('late', true)")
    try:
        made.run("create table filler as select generate_series(1, 1000)")
        with pytest.raises(WorldError, match=r"replication slot late is .* of WAL behind") as caught:
            applied(ctx, made, made.plan(), monkeypatch, lag_bytes=1)
        assert caught.value.id == "moves-standby-behind"
    finally:
        made.run("select pg_drop_replication_slot('late')")
    assert set(made.layout().values()) == {""}


@EACH_RELEASE
def test_a_lock_is_asked_for_again_and_given_up(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = placement([row("public.orders", "pg_default", made.fast)])
    with psycopg.connect(made.url) as holder:
        holder.execute("lock table orders in access share mode")
        with pytest.raises(
            WorldError, match=r"could not move public.orders: other sessions held locks on it"
        ) as caught:
            applied(ctx, made, plan, monkeypatch, lock_s=0.02)
        assert caught.value.id == "moves-locked"
        assert set(made.layout().values()) == {""}
        remarks: list[str] = []

        def heard(event: Event) -> None:
            remarks.append(getattr(event, "message", ""))
            if "is locked by others" in remarks[-1]:
                holder.rollback()

        found = applied(replace(ctx, events=heard), made, plan, monkeypatch, lock_s=0.05)
    assert states(found) == {"public.orders": "done"}
    assert any("trying again (1 of 5)" in one for one in remarks)


@EACH_RELEASE
def test_a_table_that_somebody_has_to_himself_is_named_and_not_waited_for_without_end(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even its size can be asked for meanwhile."""
    plan = placement(
        [row("public.orders", "pg_default", made.fast), row("public.totals", "pg_default", made.fast)]
    )
    with psycopg.connect(made.url) as holder:
        holder.execute("lock table orders in access exclusive mode")
        for confirm in (None, made.name):
            with pytest.raises(
                WorldError, match=r"could not look at public\.orders: another session"
            ) as caught:
                applied(ctx, made, plan, monkeypatch, lock_s=0.02, confirm=confirm)
            assert caught.value.id == "moves-locked"
        ctx.cancel.set()
        with pytest.raises(Interrupted):
            applied(ctx, made, plan, monkeypatch, lock_s=0.02)


def test_one_command_at_a_time(ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    from plimsoll.placement.moves import carry_out

    monkeypatch.setattr(carry_out, "_TURN_S_MAX", 0.1)
    with psycopg.connect(made.url) as other:
        other.execute(
            "select pg_advisory_lock(%s, (select oid::int8 %% 2147483648 "
            "from pg_database where datname = current_database())::int4)",
            [carry_out._TURN_KEY],
        )
        with pytest.raises(WorldError, match="another command moves objects") as caught:
            applied(ctx, made, made.plan(), monkeypatch)
    assert caught.value.id == "moves-under-way"


@EACH_RELEASE
@pytest.mark.parametrize(
    ("mode", "left"), [("row exclusive", "orders_day_ccnew"), ("access share", "orders_day_ccold")]
)
def test_a_build_that_is_interrupted_is_cleared_away_and_gone_on_with(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: str, left: str
) -> None:
    """Another transaction keeps the build waiting after the new index was made, or after it took the old one's place;
    then comes Ctrl-C.
    """
    plan = placement([row("public.orders_day", "pg_default", made.fast, "index")])
    with psycopg.connect(made.url) as old:
        old.execute(f"lock table orders in {mode} mode".encode())
        waits = threading.Thread(target=_cancel_when_there, args=(made, ctx, left), daemon=True)
        waits.start()
        found = applied(ctx, made, plan, monkeypatch, lock_s=0.2)
        waits.join(10)
        assert (found.interrupted, found.status) == (True, ExitStatus.INTERRUPTED)
        assert [note.code for note in found.notes] == ["index-left"]
        assert made.invalid() == [left], "it could not be dropped, as the transaction holds its table"
    with context(tmp_path / "again") as (fresh, _):
        unconfirmed = applied(fresh, made, plan, monkeypatch, confirm=None)
        assert (unconfirmed.confirmed, made.invalid()) == (False, [left])
        found = applied(fresh, made, plan, monkeypatch)
    assert (states(found), found.notes) == ({"public.orders_day": "done"}, ())
    assert made.invalid() == []


def _cancel_when_there(made: Tables, ctx: Context, name: str) -> None:
    with psycopg.connect(made.url, autocommit=True) as session:
        while not session.execute(
            "select from pg_index i join pg_class c on c.oid = indexrelid where not indisvalid and relname = %s",
            [name],
        ).fetchall():
            ctx.cancel.wait(0.05)
        # The mover looks after the build many times in a second.
        ctx.cancel.wait(0.5)
    ctx.cancel.set()


def test_an_invalid_index_of_somebody_else_is_named_and_left(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.run("create index orders_day_ccnew on orders (day)")
    made.run("update pg_index set indisvalid = false where indexrelid = 'orders_day_ccnew'::regclass")
    found = applied(
        ctx, made, placement([row("public.orders_day", "pg_default", made.fast, "index")]), monkeypatch
    )
    assert states(found) == {"public.orders_day": "done"}
    assert made.invalid() == ["orders_day_ccnew"]
    assert [note.code for note in found.notes] == ["index-invalid"]


@EACH_RELEASE
def test_the_script_does_the_same_and_its_reverse_takes_it_back(made: Tables) -> None:
    before, content = made.layout(), made.content()
    plan = made.plan(odd='public."Odd ""na.me; drop table x --"')
    for reverse in (False, True):
        text = postgres.script(
            moves_of(plan.plan, {}, reverse=reverse), plan.tiers, {}, made.name, reverse=reverse
        )
        with psycopg.connect(made.url, autocommit=True) as session:
            for sql in statements_of(text):
                session.execute(sql.encode())
        lies = {name for name, space in made.layout().items() if space}
        # A plan on paper does not know that an index belongs to an exclusion constraint, nor whether a table is a
        # materialised view.
        assert lies == (set() if reverse else MOVED - {"stays_during_excl"}), reverse
    assert (made.layout(), made.content()) == (before, content)


def statements_of(text: str) -> list[str]:
    """Without comments; a name may hold a semicolon, so that statements end with the line."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return [one for one in code.split(";\n") if one.strip() and "stays_during_excl" not in one]


def test_a_lock_that_was_not_given_is_no_lost_connection(made: Tables) -> None:
    with (
        closing(PostgresConnection(made.url)) as connection,
        closing(connection.session("test")) as session,
        psycopg.connect(made.url) as holder,
    ):
        session.run("set lock_timeout = 1")
        holder.execute("lock table orders")
        with pytest.raises(WorldError, match="lock timeout") as caught:
            session.run("select from public.orders")
        assert caught.value.id == "database-locked"
        assert session.run("select 1") == [(1,)]


def test_what_people_and_python_are_told(
    made: Tables, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    path.write_text(made.plan().model_dump_json())
    assert main.run(["place", "apply", str(path), "--database", made.url]) == 0
    told = capsys.readouterr().out
    assert "public.orders (" in told
    assert f": pg_default to {made.fast}: to do" in told
    assert "lock: ACCESS EXCLUSIVE on the table" in told
    assert "9 to do." in told
    assert (
        told.splitlines()[-1]
        == f"Nothing was moved. Confirm it by the name of the database: --confirm {made.name}"
    )
    seen = plimsoll.place_apply(path, database=made.url)
    assert (seen.confirmed, {step["state"] for step in seen.steps}) == (False, {"to do"})
    moved = plimsoll.place_apply(path, database=made.url, confirm=made.name)
    assert (moved.confirmed, {step["state"] for step in moved.steps}) == (True, {"done"})
    assert f'SET TABLESPACE "{made.fast}"' in plimsoll.place_script(path).text

"""What of a plan is not carried out on a real PostgreSQL, and what stops it: all that was not moved lies where it lay."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest

from applied_plans import applied, states
from moved_plans import placement, row, tier
from moved_tables import Tables
from plimsoll.base.errors import ExitStatus, PlimsollError, SafetyError, WorldError
from plimsoll.context import Context
from plimsoll.databases import database_id
from plimsoll.databases.postgres import PostgresConnection
from plimsoll.flows import place_apply
from plimsoll.placement.moves import catalogue, room
from plimsoll.ports import files


def test_nothing_moves_without_the_databases_name(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = made.layout()
    found = applied(ctx, made, made.plan(), monkeypatch, confirm=None)
    assert (found.confirmed, found.status) == (False, ExitStatus.DONE)
    assert set(states(found).values()) == {"to do"}
    with pytest.raises(SafetyError, match=f"nothing was moved: 'postgres' is not {made.name}") as caught:
        applied(ctx, made, made.plan(), monkeypatch, confirm="postgres")
    assert caught.value.id == "moves-declined"
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return "yes"

    with pytest.raises(SafetyError, match="'yes' is not"):
        applied(replace(ctx, ask=ask), made, made.plan(), monkeypatch, confirm=None)
    assert "ACCESS EXCLUSIVE on the table: nobody reads or writes it" in asked[0]
    assert f'ALTER TABLE "public"."orders" SET TABLESPACE "{made.fast}"' in asked[0]
    assert made.layout() == before


def test_what_is_not_as_it_was_planned_is_left_alone(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.run(
        'create schema "a.b"; create schema a; create table "a.b".c (); create table a."b.c" (); create sequence counts'
    )
    made.run("alter database " + made.name + " set temp_tablespaces = 'pg_default', 'elsewhere'")
    plan = placement(
        [
            row("public.orders", "gone", made.fast),
            row("public.missing", "pg_default", made.fast),
            row("a.b.c", "pg_default", made.fast),
            row("public.counts", "pg_default", made.fast, "other"),
            row("public.year", "pg_default", made.fast),
            row("pg_catalog.pg_class", "pg_default", made.fast),
            row("public.orders_day", "pg_default", "nowhere", "index"),
            row("log", "pg_default", made.fast, "wal"),
            row("temp", "pg_default", made.fast, "temp"),
        ]
    )
    before = made.layout()
    found = applied(ctx, made, plan, monkeypatch)
    assert set(states(found).values()) == {"left"}
    assert found.status is ExitStatus.DONE_IN_PART
    reasons = {step.move.object: step.reason for step in found.steps}
    assert reasons["public.orders"] == "it lies in pg_default, not in gone as when it was planned"
    assert reasons["public.missing"] == f"there is no object of this name in the database {made.name}"
    assert set(reasons["a.b.c"].removeprefix("its name means ").split(" and ")) == {'"a.b"."c"', '"a"."b.c"'}
    assert reasons["public.counts"] == "a sequence cannot be moved"
    assert "its partitions are moved" in reasons["public.year"]
    assert reasons["pg_catalog.pg_class"] == "a catalog of the server stays where it is"
    assert "there is no tablespace nowhere" in reasons["public.orders_day"]
    assert "the log moves while the server is down" in reasons["log"]
    assert "temp_tablespaces of the database is pg_default, elsewhere" in reasons["temp"]
    assert made.layout() == before


def test_a_full_tablespace_is_seen_before_anything_is_copied(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "free_bytes", lambda path: room.SPARE_BYTES + 1)
    with pytest.raises(WorldError, match="has 16 MiB free") as caught:
        applied(ctx, made, made.plan(), monkeypatch)
    assert caught.value.id == "moves-no-room"
    assert set(made.layout().values()) == {""}


def test_free_bytes_are_asked_for_where_they_cannot_be_seen(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_apply, "is_here", lambda connection: False)
    with pytest.raises(SafetyError, match=f"free space of the tablespace {made.fast} is unknown") as caught:
        applied(ctx, made, made.plan(), monkeypatch)
    assert caught.value.id == "moves-room-unknown"
    one = placement(
        [
            row("public.orders", "pg_default", made.fast),
            row("public.orders_day", "pg_default", made.fast, "index"),
        ]
    )
    with pytest.raises(WorldError) as full:
        applied(ctx, made, one, monkeypatch, free_bytes=(f"{made.fast}=16m",))
    assert full.value.id == "moves-no-room"
    found = applied(ctx, made, one, monkeypatch, free_bytes=(f"{made.fast}=1g",))
    assert set(states(found).values()) == {"done"}


def test_what_has_got_a_confirmed_name_since_is_left(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = placement(
        [row("public.totals", "pg_default", made.fast), row("public.orders", "pg_default", made.fast)]
    )

    def ask(question: str) -> str:
        made.run("alter table orders rename to orders_old; create table orders (other int)")
        return made.name

    found = applied(replace(ctx, ask=ask), made, plan, monkeypatch, confirm=None)
    assert states(found) == {"public.totals": "done", "public.orders": "left"}
    assert found.status is ExitStatus.DONE_IN_PART
    assert "another object than the one that was confirmed" in found.steps[1].reason
    assert {made.layout()[name] for name in ("orders", "orders_old")} == {""}
    assert states(applied(ctx, made, plan, monkeypatch))["public.orders"] == "done"


def test_what_gets_the_name_while_the_lock_is_waited_for_is_left(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server looks a name up again once it has the lock."""
    plan = placement([row("public.orders", "pg_default", made.fast)])
    with psycopg.connect(made.url) as holder:
        holder.execute("lock table orders in row exclusive mode")

        def swap() -> None:
            with psycopg.connect(made.url, autocommit=True) as looking:
                while not looking.execute("select from pg_locks where not granted").fetchall():
                    ctx.cancel.wait(0.02)
            holder.execute("alter table orders rename to orders_old; create table orders (other int)")
            holder.commit()

        swaps = threading.Thread(target=swap, daemon=True)
        swaps.start()
        found = applied(ctx, made, plan, monkeypatch, lock_s=30.0)
        swaps.join(10)
    assert states(found) == {"public.orders": "left"}
    assert {made.layout()[name] for name in ("orders", "orders_old")} == {""}


def test_the_index_of_a_toast_table_is_left_to_its_table(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((name,),) = made.run(
        "select i.indexrelid::regclass::text from pg_index i join pg_class c on c.reltoastrelid = i.indrelid"
        " where c.relname = 'orders'"
    )
    found = applied(ctx, made, placement([row(name, "pg_default", made.fast, "index")]), monkeypatch)
    assert [(step.state, step.reason) for step in found.steps] == [
        ("left", "the index of a TOAST table moves with its table")
    ]


def test_a_plan_of_another_database_is_said_and_confirmed_by_more_than_a_name(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresConnection(made.url)) as connection, closing(connection.session("test")) as session:
        own = catalogue.here(session).id
        assert own == database_id(
            connection.snapshot().system_identifier, connection.objects().server.database_oid or 0
        )
    rows = [row("public.totals", "pg_default", made.fast)]
    other = placement(rows, database_id="1/2")
    seen = applied(ctx, made, other, monkeypatch, confirm=None)
    word = f"{made.name}@{own}"
    assert (seen.to_confirm, [note.code for note in seen.notes]) == (word, ["plan-of-another-database"])
    with pytest.raises(SafetyError, match="the plan is of another database or server") as caught:
        applied(ctx, made, other, monkeypatch)
    assert caught.value.id == "moves-declined"
    assert set(made.layout().values()) == {""}
    assert states(applied(ctx, made, other, monkeypatch, confirm=word)) == {"public.totals": "done"}
    mine = placement(rows, database_id=own)
    assert states(applied(ctx, made, mine, monkeypatch, reverse=True)) == {"public.totals": "done"}


def test_a_tier_that_is_slower_than_planned_stops_it_after_the_first_table(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second table does not follow; reads that were planned to take an hour go on."""
    rows = [row(f"public.{name}", "pg_default", made.fast) for name in ("orders", "year_1")]
    # Of what autovacuum has read into memory there is nothing left to time.
    made.run("alter table orders set (autovacuum_enabled = off)")
    made.run("insert into orders select n, n, md5(n::text) from generate_series(10001, 20000) n")
    slow, patient = (placement(rows, [tier("pg_default"), tier(made.fast, us)]) for us in (0.001, 3.6e9))
    with pytest.raises(
        WorldError, match=f"could not go on: reads of public.orders on {made.fast} took"
    ) as caught:
        applied(ctx, made, slow, monkeypatch)
    assert caught.value.id == "moves-tier-slow"
    assert {name: made.layout()[name] for name in ("orders", "year_1")} == {"orders": made.fast, "year_1": ""}
    back = applied(ctx, made, slow, monkeypatch, reverse=True)
    assert (back.status, made.layout()["orders"]) == (ExitStatus.DONE, "")
    found = applied(ctx, made, patient, monkeypatch)
    assert [note.code for note in found.notes] == ["tier-read"]
    assert f"reads of public.orders on {made.fast} took" in found.notes[0].message
    assert applied(ctx, made, slow, monkeypatch, reverse=True).status is ExitStatus.DONE
    assert applied(ctx, made, slow, monkeypatch, slower_times=1e12).status is ExitStatus.DONE


def test_a_tier_whose_speed_was_not_seen_is_named(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = placement(
        [row("public.totals", "pg_default", made.fast)], [tier("pg_default"), tier(made.fast, 0.001)]
    )
    found = applied(ctx, made, plan, monkeypatch)
    assert (states(found), [note.code for note in found.notes]) == (
        {"public.totals": "done"},
        ["tier-unread"],
    )


def test_temporary_files_that_lay_there_before_stay_there(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = placement([row("temp", "pg_default", made.fast, "temp")])
    made.run(f"alter database {made.name} set temp_tablespaces = {made.fast}")
    assert states(applied(ctx, made, plan, monkeypatch)) == {"temp": "done"}
    kept = applied(ctx, made, plan, monkeypatch, reverse=True)
    assert (states(kept), kept.status) == ({"temp": "left"}, ExitStatus.DONE_IN_PART)
    assert "RESET temp_tablespaces" in kept.steps[0].reason
    assert made.temp() == [([f"temp_tablespaces={made.fast}"],)]
    made.run(f"alter database {made.name} reset temp_tablespaces")
    assert states(applied(ctx, made, plan, monkeypatch)) == {"temp": "done"}
    assert states(applied(ctx, made, plan, monkeypatch, reverse=True)) == {"temp": "done"}
    assert made.temp() == []


def test_wal_that_would_not_fit_is_seen_before_anything_is_copied(
    ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.run("insert into orders select n, n, repeat(md5(n::text), 60) from generate_series(10001, 30000) n")
    wal = Path(made.run("show data_directory")[0][0], "pg_wal")
    monkeypatch.setattr(files, "free_bytes", lambda path: 17 << 20 if path == wal else 1 << 40)
    monkeypatch.setattr(catalogue, "log", lambda session: catalogue.Log(False, 1 << 30, True, 0))
    with pytest.raises(WorldError, match=r"pg_wal has 17 MiB free, and the next step needs") as caught:
        applied(ctx, made, placement([row("public.orders", "pg_default", made.fast)]), monkeypatch)
    assert caught.value.id == "moves-no-room"
    assert set(made.layout().values()) == {""}


def test_other_databases_have_scripts_alone(ctx: Context) -> None:
    class Elsewhere:
        dialect = "oracle"
        database = type("Kind", (), {"kind": "oracle"})

    with (
        pytest.raises(PlimsollError, match="a script is all there is for it") as caught,
        place_apply._sessions(cast("Any", Elsewhere())),
    ):
        pass
    assert caught.value.id == "moves-unsupported"


def test_a_standby_is_not_moved(ctx: Context, made: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    real = catalogue.here
    monkeypatch.setattr(catalogue, "here", lambda session: replace(real(session), is_standby=True))
    with pytest.raises(PlimsollError, match="the server is a standby") as caught:
        applied(ctx, made, made.plan(), monkeypatch)
    assert caught.value.id == "moves-on-standby"

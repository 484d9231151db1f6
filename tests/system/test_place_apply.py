"""A plan is carried out on a real PostgreSQL, and taken back: every object lies where it should, and its rows are
what they were.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest

import plimsoll
from databases_fixture import context
from moved_plans import placement, row, tier
from moved_tables import ODD, Tables, tables
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, SafetyError, WorldError
from plimsoll.cli import main
from plimsoll.context import Context
from plimsoll.databases import database_id
from plimsoll.databases.postgres import PostgresConnection
from plimsoll.facts import Event, Placement
from plimsoll.flows import place_apply
from plimsoll.flows.place_apply import Applied, apply_plan
from plimsoll.placement.moves import catalogue, room
from plimsoll.placement.scripts import postgres
from plimsoll.placement.scripts.moves import moves_of
from plimsoll.ports import files
from plimsoll.requests.place_apply import PlaceApplyRequest

MOVED = {
    "orders", "toast of orders", "orders_pkey", "orders_day", ODD, "odd %s index", "year_1", "toast of year_1",
    "stays_during_excl", "totals",
}  # fmt: skip


EACH_RELEASE = pytest.mark.parametrize("made", ["server_15", "server_16", "server_18"], indirect=True)
"""Where catalogs, locks and builds of the releases could differ."""


@pytest.fixture
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tables]:
    server = request.getfixturevalue(getattr(request, "param", "server_18"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with tables(server) as found:
        yield found


def applied(
    ctx: Context, made: Tables, plan: Placement, monkeypatch: pytest.MonkeyPatch, **words: Any
) -> Applied:
    monkeypatch.setattr(place_apply, "plan_of", lambda ctx, word: plan)
    asked = PlaceApplyRequest(**{"plan": "latest", "database": made.url, "confirm": made.name, **words})
    return apply_plan(ctx, asked)


def states(found: Applied) -> dict[str, str]:
    return {step.move.object: step.state for step in found.steps}


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

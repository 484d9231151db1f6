"""A database of a test's own in a running embedded server, with tablespaces and tables to be moved, and where everything lies."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from moved_plans import placement, row, tier
from plimsoll.databases import embedded
from plimsoll.facts import Placement, PlanRow
from plimsoll.facts.placement import ObjectKind

ODD = 'Odd "na.me; drop table x --'
_NUMBERS = itertools.count()
_SETUP = """
create table orders (id int primary key, day int, words text);
alter table orders alter words set storage external;
create index orders_day on orders (day);
create table "Odd ""na.me; drop table x --" (id int);
create index "odd %s index" on "Odd ""na.me; drop table x --" (id);
create table stays (during int4range, exclude using gist (during with &&));
create table year (day int, what text) partition by range (day);
create table year_1 partition of year for values from (0) to (1000);
create materialized view totals as select 1 as one;
"""
_ROWS = """
insert into orders select n, n %% 97, case when n %% 50 = 0 then repeat(md5(n::text), 200) else md5(n::text) end
from generate_series(1, %s) n;
insert into "Odd ""na.me; drop table x --" select generate_series(1, 100);
insert into stays select int4range(n * 10, n * 10 + 5) from generate_series(1, 100) n;
insert into year select n, md5(n::text) from generate_series(1, 900) n;
"""


@dataclass(frozen=True)
class Tables:
    """The database, and who may look into it."""

    url: str
    name: str
    fast: str
    """A tablespace; everything begins in the default one."""
    folder: Path

    def run(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as session:
            cursor = session.execute(sql.encode(), parameters)
            return [] if cursor.description is None else cursor.fetchall()

    def layout(self) -> dict[str, str]:
        """Tablespaces by relation, TOAST too; empty is the default."""
        return dict(
            self.run(
                "select case when c.relkind = 't' then 'toast of ' || o.relname else c.relname end, coalesce(t.spcname, '')"
                " from pg_class c left join pg_tablespace t on t.oid = c.reltablespace"
                " left join pg_class o on o.reltoastrelid = c.oid"
                " where c.oid >= 16384 and (c.relnamespace = 'public'::regnamespace "
                "or c.relkind = 't') and c.relkind in ('r', 'i', 'm', 't')"
            )
        )

    def content(self) -> list[Any]:
        """A hash of every table's rows."""
        tables = ["orders", '"Odd ""na.me; drop table x --"', "stays", "year", "totals"]
        return [
            self.run(f"select md5(string_agg(t::text, '' order by t::text)), count(*) from {one} t")
            for one in tables
        ]

    def invalid(self) -> list[str]:
        return [
            name
            for (name,) in self.run("select indexrelid::regclass::text from pg_index where not indisvalid")
        ]

    def temp(self) -> list[Any]:
        return self.run(
            "select setconfig from pg_db_role_setting r join pg_database "
            "b on b.oid = setdatabase where datname = current_database()"
        )

    def plan(self, *more: PlanRow, odd: str = f"public.{ODD}") -> Placement:
        """Everything that can be moved goes to the fast tier."""
        whole: dict[str, ObjectKind] = {
            "public.orders": "table", "public.orders_pkey": "index", "public.orders_day": "index", odd: "table",
            "public.odd %s index": "index", "public.year_1": "partition", "public.stays_during_excl": "index",
            "public.totals": "table", "temp": "temp",
        }  # fmt: skip
        rows = [row(name, "pg_default", self.fast, kind) for name, kind in whole.items()]
        return placement([*rows, *more], [tier("pg_default"), tier(self.fast, 1e9)])


def own_folder(server: embedded.Server, folder: Path) -> Path:
    """A folder that the server's account owns, which it wants for a tablespace."""
    folder.mkdir(mode=0o700, exist_ok=True)
    user = server.cluster.programs.user
    if user is not None:
        os.chown(folder, user.user_id, user.group_id)
    folder.chmod(0o700)
    return folder


@contextmanager
def tables(
    server: embedded.Server,
    rows: int = 2000,
    folder: Path | None = None,
    prepare: Callable[[Tables], None] | None = None,
) -> Iterator[Tables]:
    """Made and dropped again."""
    name = f"moved_{os.getpid()}_{next(_NUMBERS)}"
    where = own_folder(server, folder or server.cluster.home / name)
    made = Tables(server.url.replace("/postgres?", f"/{name}?"), name, f"fast_{name}", where)
    with psycopg.connect(server.url, autocommit=True) as session:
        session.execute(f"create database {name}".encode())
        session.execute(f"create tablespace {made.fast} location '{where}'".encode())
        try:
            made.run(_SETUP)
            made.run(_ROWS.replace("%s", str(rows)).replace("%%", "%"))
            if prepare is not None:
                prepare(made)
            yield made
        finally:
            session.execute(f"drop database {name} with (force)".encode())
            session.execute(f"drop tablespace {made.fast}".encode())

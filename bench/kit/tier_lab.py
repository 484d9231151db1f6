"""`plimsoll lab tiers` with TPC-H on it: loaded, moved between the tiers, and asked its 22 queries while objects are counted."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kit.targets import CannotMake

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import psycopg

from plimsoll.context import Context
from plimsoll.databases import CountsObjects, open_database
from plimsoll.demand.deltas import Gap, difference
from plimsoll.facts import Inventory, IoCounters
from plimsoll.placement.objects import postgres
from plimsoll.proof.tpch import queries

SLOW, FAST = "slow", "fast"
SCHEMA = "plimsoll_tpch"
_PATIENCE_S = 300.0
_MEMORY = Path("/sys/fs/cgroup/memory")
_RELATIONS = """
select n.nspname || '.' || c.relname, c.relkind,
  (select sum(pg_relation_size(c.oid, fork)) from unnest(array['main', 'fsm', 'vm']) fork)::bigint,
  coalesce(t.spcname, d.spcname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_tablespace t on t.oid = c.reltablespace,
  (select s.spcname from pg_database b join pg_tablespace s on s.oid = b.dattablespace
   where b.datname = current_database()) d
where n.nspname = 'plimsoll_tpch' and c.relkind in ('r', 'i')
"""
_YEARS = range(1992, 1999)
_COLUMNS = (
    "object", "kind", "parent", "bytes", "tier", "small_reads", "large_reads", "small_writes", "background_writes",
    "write_bytes", "cached_share", "large_read_bytes", "read_s", "write_s",
)  # fmt: skip


@dataclass(frozen=True)
class Relation:
    """A table or an index of the schema, and the tablespace that it lies in."""

    name: str
    is_index: bool
    size_bytes: int
    tablespace: str


@dataclass(frozen=True)
class Watched:
    """A power run: seconds of each query by its number, and what the database counted meanwhile."""

    seconds: Mapping[int, float]
    inventory: Inventory
    io: tuple[IoCounters, ...]
    """What pg_stat_io counted."""

    @property
    def total_s(self) -> float:
        """All queries together."""
        return sum(self.seconds.values())


@dataclass
class Lab:
    """The tiers, and the database on them."""

    ctx: Context
    plimsoll: str
    folder: Path
    scale: str
    url: str = field(repr=False)

    @property
    def tiers_file(self) -> Path:
        """What describes the tiers."""
        return self.folder / "tiers.toml"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Statements, each a transaction; the rows of the last one."""
        with psycopg.connect(self.url, autocommit=True) as session:
            for one in statements[:-1]:
                session.execute(one.encode())
            last = session.execute(statements[-1].encode())
            return [] if last.description is None else last.fetchall()

    def load(self) -> None:
        """TPC-H, made on the fast tier, lineitem in a partition for each year, and then all of it on the slow one."""
        self.run(f"alter database postgres set default_tablespace = '{FAST}'")
        self.command("prove", "tpch", "setup", "--database", self.url, "--scale", self.scale)
        self.run(*_partitioned(), "vacuum (freeze, analyze)")
        self.run(f"alter database postgres set default_tablespace = '{SLOW}'")
        self.lay_out(())

    def relations(self) -> list[Relation]:
        """Tables and indexes of the schema, without the whole of a partitioned one, which holds nothing."""
        return [Relation(name, kind == "i", size, space) for name, kind, size, space in self.run(_RELATIONS)]

    def lay_out(self, on_fast: Collection[str], temporary: str = SLOW) -> None:
        """These relations on the fast tier, all others on the slow one, and temporary files where it says."""
        for one in self.relations():
            wanted = FAST if one.name in on_fast else SLOW
            if one.tablespace != wanted:
                kind = "index" if one.is_index else "table"
                self.run(f"alter {kind} {one.name} set tablespace {wanted}")
        self.run(f"alter database postgres set temp_tablespaces = '{temporary}'", "checkpoint")

    def forget(self, tables: Collection[str]) -> None:
        """Of these tables and their indexes nothing stays in the database's cache: a move there and back takes it out."""
        for one in self.relations():
            if one.name.removeprefix(f"{SCHEMA}.").startswith(tuple(tables)):
                kind = "index" if one.is_index else "table"
                for place in (FAST if one.tablespace == SLOW else SLOW, one.tablespace):
                    self.run(f"alter {kind} {one.name} set tablespace {place}")

    def ask(self, numbers: Sequence[int], settings: Sequence[str] = ()) -> dict[int, float]:
        """Seconds of each of these queries, asked one after the other by one session."""
        found: dict[int, float] = {}
        with psycopg.connect(self.url, autocommit=True) as session:
            for one in settings:
                session.execute(one.encode())
            for number in numbers:
                text = queries.query_text("postgres", number, self.scale)
                begin_s = time.monotonic()
                session.execute(text.encode()).fetchall()
                found[number] = time.monotonic() - begin_s
        return found

    def watch(self, numbers: Sequence[int]) -> Watched:
        """The same, with what each object was asked for meanwhile."""
        with open_database(self.ctx, self.url, None) as connection:
            assert isinstance(connection, CountsObjects)
            before = connection.objects()
            with connection.watch_read_waits() as watch:
                seconds = self.ask(numbers)
            time.sleep(1.5)  # A session hands in its last counts within a second.
            after = connection.objects()
            delta = difference(before.snapshot, after.snapshot)
            if isinstance(delta, Gap):
                raise RuntimeError(delta.reason)
            waits = None if watch is None else watch.waits
            found = postgres.inventory(
                connection.database, before, after, delta, None, postgres.Host(), waits
            )
        return Watched(seconds, found, delta.io)

    def command(self, *words: str, statuses: Collection[int] = (0,)) -> str:
        """What our own command says."""
        done = subprocess.run([self.plimsoll, *words], capture_output=True, text=True, check=False)
        if done.returncode not in statuses:
            raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    @contextmanager
    def memory(self, size_bytes: int) -> Iterator[None]:
        """The server's sessions from now on have so much memory, page cache included, until the block ends."""
        if not (_MEMORY / "cgroup.procs").exists():
            raise CannotMake("no control group of version 1 can bound the page cache here")
        group = _MEMORY / f"plimsoll-lab-{os.getpid()}"
        server = str(self.run("select split_part(pg_read_file('postmaster.pid'), chr(10), 1)")[0][0])
        group.mkdir()
        try:
            (group / "memory.limit_in_bytes").write_text(str(size_bytes))
            (group / "cgroup.procs").write_text(server)
            yield
        finally:
            time.sleep(1.0)  # Sessions that are about to end take a moment.
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    (_MEMORY / "cgroup.procs").write_text(pid)
            time.sleep(0.5)
            group.rmdir()


def _partitioned() -> list[str]:
    """lineitem made anew with a partition for each year of shipping, and the same indexes."""
    whole, parts = f"{SCHEMA}.lineitem", [f"{SCHEMA}.lineitem_{year}" for year in _YEARS]
    made = [
        f"create table {part} partition of {whole} for values from ('{year}-01-01') to ('{year + 1}-01-01')"
        for part, year in zip(parts, _YEARS, strict=True)
    ]
    keys = ("l_orderkey, l_linenumber", "l_partkey, l_suppkey", "l_suppkey", "l_shipdate")
    return [
        f"alter table {whole} rename to lineitem_loaded",
        f"create table {whole} (like {SCHEMA}.lineitem_loaded) partition by range (l_shipdate)",
        *made,
        f"insert into {whole} select * from {SCHEMA}.lineitem_loaded",
        f"drop table {SCHEMA}.lineitem_loaded",
        *(f"create index on {whole} ({columns})" for columns in keys),
    ]


def write_objects(path: Path, inventory: Inventory) -> None:
    """The inventory as `plimsoll place --objects` reads it; what lies in no tablespace of ours lies on the slow tier."""
    with path.open("w", newline="") as file:
        rows = csv.DictWriter(file, _COLUMNS)
        rows.writeheader()
        for one in inventory.objects:
            values = one.model_dump()
            values |= {
                "object": one.name,
                "bytes": one.size_bytes,
                "large_read_bytes": one.large_read_bytes_mean,
            }
            values["tier"] = one.tier if one.tier in (SLOW, FAST) else SLOW
            rows.writerow({name: values[name] for name in _COLUMNS})


@contextmanager
def lab(ctx: Context, plimsoll: str, folder: Path, scale: str, words: Sequence[str]) -> Iterator[Lab]:
    """Serves the tiers as long as the block lasts."""
    folder.mkdir()
    log = (folder.parent / "lab.log").open("wb")
    server = subprocess.Popen(
        [plimsoll, "lab", "tiers", str(folder), "--json", *words], stdout=log, stderr=log
    )
    try:
        url = folder / "url"
        deadline_s = time.monotonic() + _PATIENCE_S
        while not url.exists():
            if server.poll() is not None or time.monotonic() > deadline_s:
                raise CannotMake(Path(log.name).read_text())
            time.sleep(0.2)
        yield Lab(ctx, plimsoll, folder, scale, url.read_text().strip())
    finally:
        server.send_signal(signal.SIGINT)  # TERM would leave the rest to the next command.
        server.wait(timeout=_PATIENCE_S)
        log.close()

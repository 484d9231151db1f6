"""Advice held against changes that are really made: what is found before a change names what it cures, and the seconds are true.

Each pair is a load on a real server, watched by `plimsoll advise` for some seconds, then a change (a faster disk, a larger cache,
an index, CPUs that others had, no synchronous standby …), and the same load again. The truth is the server's own clock: the time
that its sessions spent in statements, for each unit of work. What truly vanished of the first interval is its DB time less what the
same work takes after the change. Servers, disks and loads are in kit/changed_servers.py; nothing outlives its pair.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kit import bench
from kit.advised import Adviser, Watched
from kit.changed_servers import Mariadb, Postgres, competitors, cpu_limit, disk, mariadb_on, postgres
from kit.judge import Aim
from kit.rounds import Figures, Sample, pack

from databases_fixture import context
from plimsoll.context import Context
from plimsoll.ports.clock import SystemClock

FACTOR_MAX = 1.5
"""Between the seconds that were said and those that truly vanished."""
CONFIRMED_MIN = 0.9
Server = Any
Step = Callable[[Server], None]


@dataclass(frozen=True)
class Pair:
    """A load, and a change that takes time off it. `rule` is what must be found before, and its `figure` the seconds."""

    name: str
    change: str
    rule: str
    script: str
    prepare: Step
    cure: Step
    figure: Literal["db_time_s", "storage_saves_s"] = "db_time_s"
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    clients: int = 8
    script_after: str | None = None
    mount: str = "noatime"

    @property
    def is_postgres(self) -> bool:
        """Or it is of MariaDB."""
        return self.name.startswith("postgresql")


ROWS = 10_000
SMALL = "repeat('x', 100)"
ONE_ROW = f"\\set id random(1, {ROWS})\nselect n, filler from work where id = :id;"
ONE_UPDATE = f"\\set id random(1, {ROWS})\nupdate work set n = n + 1 where id = :id;"
BY_CODE = f"\\set id random(1, {ROWS})\nselect n from work where code = :id;"
ALL_ROWS = "select sum(n) from work;"
SORTED = "select count(*) from (select filler from work where id <= 2000 order by filler, id) as sorted;"
BUSY = "select sum(length(md5(a.filler || b.n))) from work as a, generate_series(1, 10) as b (n) where a.id <= 3000;"
LOG_ALONE = "select pg_logical_emit_message(false, 'load', repeat('x', 200000));\n\\sleep 5 ms"
MARIADB_UPDATE = "update work set n = n + 1 where id = {id}"
MARIADB_ROW = "select n, filler from work where id = {id}"


def rows(filler: str = SMALL, fill_percent: int = 50, unlogged: bool = False) -> Step:
    """A table of PostgreSQL."""

    def make(server: Postgres) -> None:
        kind = "unlogged table" if unlogged else "table"
        server.run(
            f"create {kind} work (id int, n int, code int, filler text) with (fillfactor = {fill_percent})",
            "alter table work alter filler set storage plain",
            f"insert into work select id, 0, id, {filler} from generate_series(1, {ROWS}) as id",
            "alter table work add primary key (id)",
            "vacuum (freeze, analyze) work",
            "checkpoint",
        )

    return make


def mariadb_rows(bytes_each: int) -> Step:
    """A table of MariaDB."""

    def make(server: Mariadb) -> None:
        server.run(
            "create table `load`.work (id int primary key, n int, filler varchar(8000)) character set latin1",
            f"insert into `load`.work select seq, 0, repeat('x', {bytes_each}) from seq_1_to_{ROWS}",
        )

    return make


def throttled(**limits: int) -> Step:
    """So many I/Os or bytes a second."""
    return lambda server: server.disk.throttle(**limits)


def setting(**settings: str) -> Step:
    """In force from now on."""
    return lambda server: server.set(**settings)


def run(*statements: str) -> Step:
    """Statements."""
    return lambda server: server.run(*statements)


def both(*steps: Step) -> Step:
    """One after the other."""

    def all_of_them(server: Server) -> None:
        for step in steps:
            step(server)

    return all_of_them


def free(server: Server) -> None:
    """Of every throttle."""
    server.disk.throttle()


def leave(server: Server) -> None:
    """What was entered for the first interval."""
    server.left.close()


def restarted(**settings: str) -> Step:
    """With other settings."""
    return lambda server: server.restart(**settings)


def read_all(server: Postgres) -> None:
    """Every block by its index, which fills the cache."""
    server.disk.throttle()
    server.run("set enable_seqscan = off", "select sum(length(filler)) from work where id > 0")


def whole_pages_once(server: Postgres) -> None:
    """A checkpoint, and the first change of each page after it."""
    server.disk.throttle()
    server.run("checkpoint", "update work set n = n + 1", "vacuum work")


def with_others(server: Postgres) -> None:
    """Processes that want a CPU all the time."""
    server.left.enter_context(competitors(6))


def with_little_cpu(server: Postgres) -> None:
    """A limit of its control group."""
    server.left.enter_context(cpu_limit(server.server.process.pid, 0.5))


def with_standby(server: Postgres) -> None:
    """One whose disk is slow, and the server waits for it."""
    receiver = server.receiver(server.disk.folder / "standby")
    server.left.callback(receiver.wait)
    server.left.callback(receiver.kill)
    server.left.enter_context(server.disk.apart(receiver.pid, wiops=60))
    server.set(synchronous_standby_names="*")


LARGE = "repeat('x', 3500)"
"""Two to a page, half of which is left free: a page a row, 80 MB."""
CHECKPOINTS = {"max_wal_size": "32MB", "min_wal_size": "32MB", "checkpoint_timeout": "30s"}
POSTGRESQL = (
    Pair("postgresql, faster log", "disk of the log: 300 writes/s → free", "log-flushes-waited-for", ONE_UPDATE,
         both(rows(), throttled(wiops=300)), free, "storage_saves_s"),
    Pair("postgresql, commits that do not wait", "synchronous_commit = off", "log-flushes-waited-for", ONE_UPDATE,
         both(rows(), throttled(wiops=300)), setting(synchronous_commit="off")),
    Pair("postgresql, fewer checkpoints", "max_wal_size 32 MB → 2 GB", "whole-pages-in-log", ONE_UPDATE,
         both(rows("repeat('x', 1800)"), throttled(wbps=8 << 20)),
         both(setting(max_wal_size="2GB", checkpoint_timeout="1h"), whole_pages_once, throttled(wbps=8 << 20)),
         settings=CHECKPOINTS, clients=32),
    Pair("postgresql, no whole pages", "full_page_writes = off", "whole-pages-in-log", ONE_UPDATE,
         both(rows("repeat('x', 1800)"), throttled(wbps=8 << 20)), setting(full_page_writes="off"),
         settings=CHECKPOINTS, clients=32),
    Pair("postgresql, faster data disk", "disk of the data: 1,000 reads/s → free", "single-block-reads", ONE_ROW,
         both(rows(LARGE), throttled(riops=1000)), free, "storage_saves_s", {"shared_buffers": "16MB"}),
    Pair("postgresql, larger cache", "shared_buffers 16 MB → 400 MB", "single-block-reads", ONE_ROW,
         both(rows(LARGE), throttled(riops=1000)),
         both(restarted(shared_buffers="400MB"), read_all, throttled(riops=1000)), settings={"shared_buffers": "16MB"}),
    Pair("postgresql, faster disk of scans", "disk of the data: 20 MB/s → free", "single-block-reads", ALL_ROWS,
         both(rows("repeat('x', 1500)", 100), throttled(rbps=20 << 20)), free, "storage_saves_s",
         {"shared_buffers": "4MB"}, clients=2),
    Pair("postgresql, index on disk", "an index on the column that is asked for", "rows-read-by-scans", BY_CODE,
         both(rows(LARGE), throttled(rbps=200 << 20)), run("create index on work (code)", "analyze work"),
         settings={"shared_buffers": "16MB", "max_parallel_workers_per_gather": "0"}, clients=2),
    Pair("postgresql, index in cache", "an index on the column that is asked for", "rows-read-by-scans", BY_CODE,
         rows(), run("create index on work (code)", "analyze work"), clients=2),
    Pair("postgresql, others leave the CPUs", "six processes that used the CPUs are ended", "cpu-starved", BUSY,
         both(rows(), with_others), leave, clients=2),
    Pair("postgresql, CPU limit lifted", "control group: 0.5 CPUs → all", "cpu-starved", BUSY,
         both(rows(), with_little_cpu), leave, clients=2),
    Pair("postgresql, no synchronous standby", "synchronous_standby_names = ''", "standby-waited-for", ONE_UPDATE,
         both(rows(), with_standby), setting(synchronous_standby_names="")),
    Pair("postgresql, larger work_mem", "work_mem 64 kB → 64 MB", "work-areas-spill", SORTED,
         both(rows("repeat(md5(id::text), 20)", 100), throttled(wiops=1500)), setting(work_mem="64MB"),
         settings={"work_mem": "64kB", "max_parallel_workers_per_gather": "0"}, clients=2, mount="noatime,sync"),
    Pair("postgresql, no common row", "each session changes a row of its own", "row-locks",
         "begin;\nupdate work set n = n + 1 where id = 1;\n\\sleep 5 ms\nend;", rows(), lambda server: None,
         script_after="begin;\nupdate work set n = n + 1 where id = :client_id + 1;\n\\sleep 5 ms\nend;"),
    Pair("postgresql, sessions need not write", "shared_buffers 16 MB → 400 MB", "sessions-write-data-files", ONE_UPDATE,
         both(rows(LARGE, 40, unlogged=True), throttled(wiops=500)),
         both(restarted(shared_buffers="400MB"), read_all, throttled(wiops=500)),
         settings={"shared_buffers": "16MB", "bgwriter_lru_maxpages": "0"}),
    Pair("postgresql, larger log buffer", "wal_buffers 64 kB → 16 MB", "wal-buffers-full", LOG_ALONE,
         throttled(wiops=300), restarted(wal_buffers="16MB"),
         settings={"wal_buffers": "64kB", "wal_sync_method": "open_datasync", "synchronous_commit": "off", "max_wal_size": "1GB"},
         clients=4),
    Pair("postgresql, no old versions", "VACUUM FULL", "tables-bloated", ALL_ROWS,
         both(rows("repeat('x', 1800)", 100), run(*["update work set n = n + 1"] * 4, "checkpoint"), throttled(rbps=200 << 20)),
         both(free, run("vacuum full work"), throttled(rbps=200 << 20)), settings={"shared_buffers": "16MB"}, clients=2),
)  # fmt: skip
MARIADB = (
    Pair("mariadb, faster log", "disk of the log: 150 writes/s → free", "log-flushes-waited-for", MARIADB_UPDATE,
         both(mariadb_rows(100), throttled(wiops=150)), free),
    Pair("mariadb, commits that do not wait", "innodb_flush_log_at_trx_commit = 0", "log-flushes-waited-for", MARIADB_UPDATE,
         both(mariadb_rows(100), throttled(wiops=150)), setting(innodb_flush_log_at_trx_commit="0")),
    Pair("mariadb, faster data disk", "disk of the data: 600 reads/s → free", "single-block-reads", MARIADB_ROW,
         both(mariadb_rows(7000), throttled(riops=600)), free, "storage_saves_s", {"innodb-buffer-pool-size": "16M"}),
    Pair("mariadb, larger buffer pool", "innodb_buffer_pool_size 16 MB → 256 MB", "single-block-reads", MARIADB_ROW,
         both(mariadb_rows(7000), throttled(riops=600)),
         both(free, setting(innodb_buffer_pool_size=str(256 << 20)), run("select sum(length(filler)) from `load`.work"),
              throttled(riops=600)),
         settings={"innodb-buffer-pool-size": "16M"}),
    Pair("mariadb, no common row", "each session changes a row of its own", "row-locks",
         "begin; update work set n = n + 1 where id = 1; sleep 5; commit", mariadb_rows(100), lambda server: None,
         script_after="begin; update work set n = n + 1 where id = {session}; sleep 5; commit"),
)  # fmt: skip


def main() -> int:
    """Runs it."""
    return bench.run(
        "advice_changes", __doc__ or "", _measure, rounds=1, runtime_s=12.0, programs=("mkfs.ext4",)
    )


def _measure(here: bench.Bench) -> list[Aim]:
    pairs = [pair for pair in (*POSTGRESQL, *MARIADB) if here.asked.case in pair.name]
    here.describe(pairs={pair.name: [pair.change, pair.rule, pair.script] for pair in pairs})
    raw = here.folder / "raw"
    raw.mkdir()
    with tempfile.TemporaryDirectory() as made, context(Path(made) / "journal", SystemClock()) as (ctx, _):
        adviser = Adviser(here.asked.plimsoll, Path(made) / "store.sqlite", raw, here.asked.runtime_s)
        with disk() as idle:
            adviser.measure(idle)
        for pair in pairs:
            sample = Sample(pair.name, "advise", 0, _figures(pair, *_watched(ctx, adviser, pair)))
            here.samples.append(sample)
            print(sample, file=sys.stderr, flush=True)
    pack(raw)
    confirmed = [sample.figures["as_said"] for sample in here.samples]
    here.write("samples.json", [vars(sample) for sample in here.samples])
    here.samples.append(Sample("all", "advise", 0, {"confirmed_share": sum(confirmed) / len(confirmed)}))
    return [Aim("all", "confirmed_share", "advise", median_min=CONFIRMED_MIN)]


def _watched(ctx: Context, adviser: Adviser, pair: Pair) -> tuple[Watched, Watched]:
    """Before and after the change."""
    with ExitStack() as stack:
        beneath = stack.enter_context(disk(options=pair.mount))
        made = postgres if pair.is_postgres else mariadb_on
        server = stack.enter_context(made(ctx, beneath, pair.settings))
        stack.callback(server.left.close)
        pair.prepare(server)
        before = adviser.watch(f"{pair.name}, before", server, pair.script, pair.clients)
        pair.cure(server)
        after = adviser.watch(f"{pair.name}, after", server, pair.script_after or pair.script, pair.clients)
        server.disk.throttle()
    return before, after


def _figures(pair: Pair, before: Watched, after: Watched) -> Figures:
    """Seconds of the first interval: its DB time, what was said of it, and what truly vanished with the change."""
    elapsed_s = before.verdict["elapsed_s"] or 0.0
    true_s = (before.work.db_time_s - before.work.statements * after.statement_s) / before.seconds * elapsed_s
    found = next(
        (one for one in before.findings if one["rule"] == pair.rule and one["severity"] == "finding"), None
    )
    said_s = 0.0 if found is None else found[pair.figure] or 0.0
    ratio = said_s / true_s if true_s > 0 else 0.0
    return {
        "db_time_s": before.verdict["db_time_s"] or 0.0,
        "db_time_true_s": before.work.db_time_s / before.seconds * elapsed_s,
        "said_s": said_s,
        "true_s": true_s,
        "ratio": ratio,
        "before_us": 1e6 * before.statement_s,
        "after_us": 1e6 * after.statement_s,
        "as_said": float(found is not None and 1 / FACTOR_MAX <= ratio <= FACTOR_MAX),
    }


if __name__ == "__main__":
    sys.exit(main())

"""Real servers whose storage, CPUs and settings a benchmark changes while they run: PostgreSQL and MariaDB.

Each has its files on a loop device of its own in memory, beneath a control group that throttles it; what the server itself counts
of its statements is the truth that advice is held against. All of it is taken back after the block.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kit.targets import CannotMake

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import psycopg

import mariadb_server as mariadb
from databases_fixture import BEFORE_16
from loop_device import Loop
from mounted_loop import mounted
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.proof import pgbench
from throttled import controller

FREE = 1_000_000
"""I/Os a second that no load here comes near."""
FREE_BYTES = 100 << 30
_FORGET_S = 0.1
_LARGE_BYTES = 1 << 20
_CPU = Path("/sys/fs/cgroup/cpu")
_POSTGRES = {
    "shared_buffers": "256MB", "max_wal_size": "2GB", "checkpoint_timeout": "1h", "autovacuum": "off",
    "max_connections": "100", "io_workers": "4",
}  # fmt: skip
_AT_START = ("shared_buffers", "wal_buffers", "max_connections", "io_workers", "debug_io_direct")
"""Words on the server's command line; what stands there cannot be changed while it runs, as all others are."""
_MARIADB = {
    **mariadb.SETTINGS, "innodb-buffer-pool-size": "256M", "innodb-log-file-size": "256M", "max-connections": "100",
    "innodb-stats-auto-recalc": "OFF",
}  # fmt: skip


@dataclass(frozen=True)
class Work:
    """What users' sessions did until a moment."""

    statements: float
    db_time_s: float

    def __sub__(self, before: Work) -> Work:
        return Work(self.statements - before.statements, self.db_time_s - before.db_time_s)


class Disk:
    """The loop device beneath a server, and what of it this process and its children get."""

    def __init__(self, loop: Loop, group: Path, folder: Path) -> None:
        self.folder = folder
        self.device = loop.path
        self._group = group
        self._number = Path("/sys/class/block", loop.path.name, "dev").read_text().strip()

    def throttle(self, **limits: int) -> None:
        """By the words of `io.max`: riops, wiops, rbps, wbps. What is not named is free."""
        free = {"riops": FREE, "wiops": FREE, "rbps": FREE_BYTES, "wbps": FREE_BYTES}
        controller().throttle(self._group, self._number, {**free, **limits})

    @contextmanager
    def apart(self, process: int, **limits: int) -> Iterator[None]:
        """A process that gets less of the device than the others, until the block ends."""
        group = self._group.with_name(f"{self._group.name}-apart")
        group.mkdir()
        try:
            controller().throttle(group, self._number, limits)
            (group / "cgroup.procs").write_text(f"{process}\n")
            yield
        finally:
            for pid in (group / "cgroup.procs").read_text().split():
                (self._group / "cgroup.procs").write_text(f"{pid}\n")
            _leave(group)


@contextmanager
def disk(size_bytes: int = 3 << 30, options: str = "noatime") -> Iterator[Disk]:
    """ext4 on a loop device; this process enters the group that is throttled."""
    if os.geteuid() != 0:
        raise CannotMake("loop devices and mounts are for root")
    place = controller()
    name = f"plimsoll-changes-{os.getpid()}"
    with ExitStack() as stack:
        folder, loop = stack.enter_context(mounted(name, size_bytes, options))
        group = place.mount / name
        group.mkdir()
        stack.callback(_leave, group)
        made = Disk(loop, group, folder)
        made.throttle()
        (group / "cgroup.procs").write_text(f"{os.getpid()}\n")
        stack.callback((place.home / "cgroup.procs").write_text, f"{os.getpid()}\n")
        yield made


def _leave(group: Path) -> None:
    """The kernel lets go of a group a moment after its last process has ended."""
    for _ in range(100):
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.1)
        else:
            return
    group.rmdir()


@contextmanager
def uncached(folder: Path) -> Iterator[None]:
    """Has the system's cache forget the large files in a folder again and again, for a server that cannot read past it."""
    over = threading.Event()

    def forget() -> None:
        while not over.wait(_FORGET_S):
            for path in folder.rglob("*"):
                if path.is_file() and path.stat().st_size > _LARGE_BYTES:
                    with path.open("rb") as file:
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    thread = threading.Thread(target=forget, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def cpu_limit(process: int, cpus: float) -> Iterator[None]:
    """The server's first process and the sessions that it starts from now on get so many CPUs, until the block ends."""
    if not (_CPU / "cgroup.procs").exists():
        raise CannotMake("no control group of version 1 can limit CPUs here")
    group = _CPU / f"plimsoll-changes-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text("100000\n")
        (group / "cpu.cfs_quota_us").write_text(f"{round(100_000 * cpus)}\n")
        (group / "cgroup.procs").write_text(f"{process}\n")
        yield
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            (_CPU / "cgroup.procs").write_text(f"{pid}\n")
        _leave(group)


@contextmanager
def competitors(count: int) -> Iterator[None]:
    """So many processes that want a CPU all the time; each of a session of its own, for the kernel may ration CPUs by session."""
    command = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


class Load(Protocol):
    """Sessions at work until they are stopped."""

    def stop(self) -> None: ...


@dataclass
class Postgres:
    """PostgreSQL on the disk."""

    ctx: Context
    disk: Disk
    server: embedded.Server
    settings: dict[str, str]
    kind: str = "postgres"
    left: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return self.server.url

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as session:
            for one in statements:
                session.execute(one.encode())

    def set(self, **settings: str) -> None:
        """Settings that need no restart, in force when this returns."""
        self.run(*(f"alter system set {name} = '{value}'" for name, value in settings.items()))
        self.run("select pg_reload_conf()")
        time.sleep(0.5)

    def restart(self, **settings: str) -> None:
        """With other settings; what the cache held is gone."""
        self.server.process.send_signal(2)
        self.server.process.wait(timeout=60)
        self.settings |= settings
        self.server = embedded.start(self.ctx, self.server.cluster, self.settings)

    def work(self, load: Load) -> Work:
        """Transactions by pgbench, and the time that sessions spent in statements by pg_stat_database."""
        assert isinstance(load, pgbench.Pgbench)
        with psycopg.connect(self.url, autocommit=True) as session:
            row = session.execute(
                "select active_time / 1000 from pg_stat_database where datname = 'postgres'"
            ).fetchone()
        assert row is not None
        ends = [0.0, *(second.at_s for second in load.seconds())]
        lengths = [end - begin for begin, end in itertools.pairwise(ends)]
        done = sum(one.tps * length for one, length in zip(load.seconds(), lengths, strict=False))
        return Work(done, float(row[0]))

    def load(self, clients: int, script: str, seconds: float) -> Load:
        return pgbench.start(
            self.ctx, self.url, seconds=seconds, clients=clients, script=script, programs=self.server.programs
        )  # fmt: skip

    def receiver(self, folder: Path) -> subprocess.Popen[bytes]:
        """A synchronous standby that keeps the log alone, in that folder, and forces it there before it answers."""
        user = self.server.programs.user
        folder.mkdir(mode=0o700)
        if user is not None:
            os.chown(folder, user.user_id, user.group_id)
        words = [
            str(self.server.programs.path("pg_receivewal")),
            "-D",
            str(folder),
            "--synchronous",
            "-d",
            self.url,
        ]
        return subprocess.Popen(
            words, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            user=user.user_id if user else None, group=user.group_id if user else None,
        )  # fmt: skip


@contextmanager
def postgres(
    ctx: Context, beneath: Disk, settings: Mapping[str, str], binaries: Path | None = None
) -> Iterator[Postgres]:
    """A fresh one."""
    chosen = {**embedded.SETTINGS, **_POSTGRES, **settings}
    if binaries is not None:
        chosen |= BEFORE_16
    at_start = {name: value for name, value in chosen.items() if name in _AT_START}
    later = {name: value for name, value in chosen.items() if value and name not in _AT_START}
    with (
        embedded.running(ctx, beneath.folder, dict.fromkeys(chosen, "") | at_start, binaries) as server,
        ExitStack() as left,
    ):
        given = {name: value for name, value in at_start.items() if value}
        made = Postgres(ctx, beneath, server, given, left=left)
        made.set(**later)
        yield made


@dataclass
class Mariadb:
    """MariaDB on the disk."""

    ctx: Context
    disk: Disk
    server: mariadb.MariadbServer
    kind: str = "mariadb"
    left: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return self.server.url

    def run(self, *statements: str) -> None:
        session = self.server.connect()
        with session.cursor() as cursor:
            for one in statements:
                cursor.execute(one)
        session.close()

    def set(self, **settings: str) -> None:
        self.run(*(f"set global {name} = {value}" for name, value in settings.items()))
        time.sleep(0.5)

    def work(self, load: Load) -> Work:
        """By the performance schema: statements of the load's sessions and the time that they took, in picoseconds."""
        session = self.server.connect()
        with session.cursor() as cursor:
            cursor.execute(
                "select coalesce(sum(count_star), 0), coalesce(sum(sum_timer_wait), 0) / 1e12"
                " from performance_schema.events_statements_summary_by_digest where schema_name = 'load'"
            )
            row = cursor.fetchone()
        session.close()
        return Work(float(row[0]), float(row[1]))

    def load(self, clients: int, script: str, seconds: float) -> Load:
        words = [
            sys.executable,
            str(Path(__file__).with_name("mariadb_load.py")),
            str(self.server.socket),
            str(clients),
            script,
        ]
        return _Process(subprocess.Popen(words))


class _Process:
    def __init__(self, process: subprocess.Popen[Any]) -> None:
        self._process = process

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def mariadb_on(ctx: Context, beneath: Disk, settings: Mapping[str, str]) -> Iterator[Mariadb]:
    """A fresh one."""
    binary = Path("/usr/sbin/mariadbd")
    if not binary.is_file():
        raise CannotMake("no mariadbd: install Debian's package mariadb-server-core")
    mariadb.PARENT = beneath.folder
    with mariadb.running_mariadb(ctx, binary, {**_MARIADB, **settings}) as server, ExitStack() as left:
        made = Mariadb(ctx, beneath, server, left=left)
        made.run("create database `load`")
        yield made

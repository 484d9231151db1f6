"""`plimsoll commits` beside programs whose commits wait for something that is known: a device that is throttled, a processor on
which another program spins, and each other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import command
from committing import (
    BACKEND,
    OfServer,
    at_work,
    children_of,
    pgbench,
    postmaster_of,
    running,
    watched_server,
)
from databases_fixture import context as database_context
from loop_device import Loop, run
from mounted_loop import mounted_loop
from plimsoll.context import Cancel
from plimsoll.databases import embedded
from plimsoll.facts import CommitCause, CommitsOfRole
from plimsoll.flows import commits as flow
from plimsoll.host.cpu_users import cpu_times, cpu_use
from plimsoll.native import block_probe, commit_probe
from plimsoll.requests.commits import CommitsRequest
from throttled import controller, throttled

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitCounts, CommitRow

OTHERS_SHARE_MAX = 0.4
"""Of all CPUs; the threads of the loop device and of the disk are among the others."""
MIB = 1 << 20
WRITER = f"log-{os.getpid()}"
SPINNING = 8
"""So many, and writes so few, that what a busy machine adds does not matter."""
SLEEP_US, NICE = 100, 10
UNTHROTTLED = 1_000_000
LARGE_SHARE = 0.8
SPINS = "while True: pass"
HELD_BACK_S = 2.5
"""Longer than the second between two looks."""


@pytest.fixture
def disk() -> Iterator[tuple[Path, Path]]:
    """A folder on a device of the test's own, whose file is in memory; and the device."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    with mounted_loop(1024 * MIB) as (folder, loop):
        yield folder, loop.path


def writer(folder: Path, name: str = WRITER) -> list[str]:
    """fio, which writes blocks of a file one after the other and has each on the disk before the next. By a name that no other
    test's has."""
    fio = shutil.which("fio")
    if fio is None:
        pytest.skip("fio is not installed")
    program = folder / name
    program.symlink_to(fio)
    words = [
        str(program),
        "--name=log",
        f"--directory={folder}",
        "--rw=write",
        "--bs=8k",
        "--size=16m",
        "--thread",
    ]
    return [*words, "--overwrite=1", "--fdatasync=1", "--ioengine=psync", "--time_based", "--runtime=100"]


@contextmanager
def slowed(device: Path) -> Iterator[Any]:
    """What is started in the block can be throttled, to the number of writes a second that the call says."""
    number = Path("/sys/class/block", device.name, "dev").read_text().strip()
    with throttled(str(device), writes_per_s=UNTHROTTLED):
        place = controller()
        group = place.mount / f"plimsoll-throttled-{os.getpid()}"
        yield lambda writes_per_s: place.throttle(group, number, {"wiops": writes_per_s})


@contextmanager
def crowded(processes: Sequence[int]) -> Iterator[None]:
    """These processes have one processor, on which others spin."""
    cpu = max(os.sched_getaffinity(0))
    with ExitStack() as stack:
        for _ in range(SPINNING):
            # The kernel may share processors out among sessions first: each is one of its own, as others of a host are.
            spinning = stack.enter_context(at_work([sys.executable, "-c", SPINS], start_new_session=True))
            os.sched_setaffinity(spinning, {cpu})
        for process in processes:
            for thread in os.listdir(f"/proc/{process}/task"):
                os.sched_setaffinity(int(thread), {cpu})
        yield


def watched(role: str, runtime: str = "3s") -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What its commits wait for, and the rows by kind, whose parts are the whole."""
    done = command.plimsoll("commits", "--runtime", runtime, "--role", role, "--json")
    assert done.returncode == 0, (done.stdout, done.stderr)
    data = command.document(done)["data"]
    for row in data["rows"]:
        assert sum(row["times"].values()) == pytest.approx(row["total_us_mean"], rel=0.01)
    (cause,) = data["causes"]
    return cause, {row["kind"]: row for row in data["rows"]}


def await_writes(process: int) -> None:
    """Returns once this process is at its work: to begin takes long where it has a small share of a processor."""
    for _ in range(600):
        calls = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
        if int(calls["syscw"]) > 100:
            return
        time.sleep(0.1)
    pytest.fail("it does not begin to write")


def test_a_limit_above_a_fast_device_is_told_of_a_writer(disk: tuple[Path, Path]) -> None:
    folder, device = disk
    with slowed(device) as slow, at_work(writer(folder)) as process:
        await_writes(process)
        slow(10)
        cause, rows = watched(WRITER, "6s")
    assert (cause["cause"], cause["share"] >= LARGE_SHARE) == ("above the disk", True), cause["reason"]
    assert rows["sync"]["flushes"] == rows["sync"]["commits"]


def test_a_limit_beside_a_neighbour_without_one_is_not_the_disk(disk: tuple[Path, Path]) -> None:
    """Whose fast writes may fill the time in which the other waits, so that the disk's own times are those of the neighbour."""
    folder, device = disk
    beside = folder / "beside"
    beside.mkdir()
    with (
        at_work(writer(beside, f"beside-{os.getpid()}")),
        slowed(device) as slow,
        at_work(writer(folder)) as process,
    ):
        await_writes(process)
        slow(10)
        cause, _ = watched(WRITER, "6s")
    assert cause["cause"] in ("above the disk", "disk or above it"), cause["reason"]
    assert cause["share"] >= LARGE_SHARE, cause["reason"]


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder where a flush is over at once: disk and loop device would wait for crowded processors themselves."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("no folder in memory can be written here (/dev/shm)")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o711)
        yield Path(folder)


def test_a_crowded_processor_is_told_of_a_writer(in_memory: Path) -> None:
    with at_work(writer(in_memory)) as process, ExitStack() as stack:
        await_writes(process)
        stack.enter_context(crowded([process]))
        cause, _ = watched(WRITER)
    assert (cause["cause"], cause["share"] >= LARGE_SHARE) == ("run queue", True), cause["reason"]


def watched_sessions(
    server: embedded.Server, journal: Path, seconds: float = 6.0
) -> tuple[CommitCause, dict[str, CommitsOfRole]]:
    """The same of this server's sessions alone."""
    found = watched_server(server, journal, seconds)
    for row in found.rows:
        assert row.times is not None
        assert sum(row.times.model_dump().values()) == pytest.approx(row.total_us_mean, rel=0.01)
    (cause,) = found.causes
    return cause, {row.kind: row for row in found.rows}


@pytest.fixture
def server(disk: tuple[Path, Path], tmp_path: Path, wheel: Path) -> Iterator[tuple[embedded.Server, Any]]:
    """A PostgreSQL 18 on that device, and what throttles it."""
    folder, device = disk
    with slowed(device) as slow, running(folder, tmp_path / "journal", wheel) as (found, _):
        yield found, slow


def test_a_limit_above_a_fast_device_is_told_of_postgresql(
    server: tuple[embedded.Server, Any], tmp_path: Path, wheel: Path
) -> None:
    found, slow = server
    with at_work(pgbench(wheel, found, 1)):
        slow(50)
        cause, rows = watched_sessions(found, tmp_path / "watch")
    assert cause.share is not None
    assert (cause.cause, cause.share >= LARGE_SHARE) == ("above the disk", True), cause.reason
    assert rows["leader"].flushes >= rows["leader"].commits > 0


def gives_its_processor_away(server: embedded.Server) -> None:
    """Each commit sleeps a moment before it flushes, and wants a processor again."""
    with psycopg.connect(server.url, autocommit=True) as session:
        for setting in (f"commit_delay = {SLEEP_US}", "commit_siblings = 0"):
            session.execute(f"ALTER SYSTEM SET {setting}")  # type: ignore[arg-type]
        session.execute("SELECT pg_reload_conf()")


def comes_last(process: int) -> None:
    """What sleeps a moment has its processor back at once, but where it is worth less than the others: in its session, and its
    session among those of the host."""
    os.setpriority(os.PRIO_PROCESS, process, NICE)
    of_session = Path(f"/proc/{process}/autogroup")
    if of_session.exists():
        of_session.write_text(str(NICE))


def inserts(wheel: Path, server: embedded.Server, folder: Path) -> list[str | Path]:
    """One session, each of whose statements is a commit."""
    script = folder / "insert.sql"
    script.write_text("INSERT INTO pgbench_history (tid, bid, aid, delta) VALUES (1, 1, 1, 1);\n")
    return [wheel / "pgbench", "-n", "-M", "prepared", "-T", "100", "-c", "1", "-f", script, server.url]


def test_a_crowded_processor_is_told_of_postgresql(in_memory: Path, tmp_path: Path, wheel: Path) -> None:
    """In memory, where nobody else's I/O keeps a flush waiting; a loop device has a thread of its own, which would want that
    processor too."""
    with running(in_memory, tmp_path / "journal", wheel) as (found, _):
        gives_its_processor_away(found)
        postmaster = postmaster_of(found)
        comes_last(postmaster)
        with crowded([postmaster]), at_work(inserts(wheel, found, tmp_path)):
            cause, rows = watched_sessions(found, tmp_path / "watch")
    assert cause.share is not None
    assert (cause.cause, cause.share >= LARGE_SHARE) == ("run queue", True), (cause, rows)


def test_many_sessions_on_a_fast_device_wait_for_each_other(
    server: tuple[embedded.Server, Any], tmp_path: Path, wheel: Path
) -> None:
    found, _ = server
    before = cpu_times()
    with at_work(pgbench(wheel, found, 32)):
        cause, rows = watched_sessions(found, tmp_path / "watch")
        use = cpu_use(before, cpu_times(), postmaster_of(found))
    if cause.cause != "group commit" and use is not None and use.others_share > OTHERS_SHARE_MAX:
        pytest.skip(
            f"other programs had {use.others_share:.0%} of the CPUs: no 32 sessions were at work at once"
        )
    assert cause.cause == "group commit", (cause, rows)
    assert rows["follower"].flushes == 0
    assert rows["follower"].commits > 0
    assert rows["leader"].flushes >= rows["leader"].commits > 0


@contextmanager
def frozen(folder: Path) -> Iterator[None]:
    """No write to the file system of this folder goes on."""
    with ExitStack() as stack:
        stack.callback(subprocess.run, ["fsfreeze", "--unfreeze", folder], check=True)
        subprocess.run(["fsfreeze", "--freeze", folder], check=True)
        yield


def await_commits(watching: subprocess.Popen[str]) -> None:
    """Returns once a look of a second has counted some."""
    assert watching.stderr is not None
    next(line for line in watching.stderr if "commits since the look before" in line)


@dataclass(frozen=True, kw_only=True)
class HeldBack(OfServer):
    """Of this server, whose file system freezes in the first turn in which its calls are seen, and stays so beyond the turn."""

    folder: Path
    cancel: Cancel
    frozen: ExitStack
    since_s: list[float] = field(default_factory=list)
    """When it froze."""

    def see(self, executable: str) -> bool:
        is_there = super().see(executable)
        if not self.since_s and os.path.samefile(executable, f"/proc/{self.postmaster}/exe"):
            # A session whose call is seen begins the next one in this turn too, so that its write meets the frozen file system.
            while not self.is_within_calls():
                self.known.update(children_of(self.postmaster))
                time.sleep(0.001)
            self.frozen.enter_context(frozen(self.folder))
            self.since_s.append(time.monotonic())
        return is_there

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        if self.since_s and time.monotonic() - self.since_s[0] >= HELD_BACK_S:
            self.frozen.close()
        return super().read()

    def let_go(self) -> None:
        """All calls that were seen to begin have ended."""
        super().let_go()
        self.cancel.set()


def test_calls_longer_than_the_second_in_which_they_are_watched_are_seen(
    server: tuple[embedded.Server, Any], disk: tuple[Path, Path], tmp_path: Path, wheel: Path
) -> None:
    """Writes of the log that a frozen file system holds back for several looks, from within a turn until long after it."""
    found, _ = server
    folder, _ = disk
    with ExitStack() as stack:
        stack.enter_context(at_work(pgbench(wheel, found, 4)))
        ctx, _ = stack.enter_context(database_context(tmp_path / "watch"))
        probe = commit_probe.start()
        stack.callback(probe.stop)
        held = stack.enter_context(ExitStack())
        seen = HeldBack(probe, postmaster=postmaster_of(found), folder=folder, cancel=ctx.cancel, frozen=held)
        told = flow.watched(ctx, CommitsRequest(roles=(BACKEND,)), seen, flow.Beside())
    longest_us = [row.latency_us.max or 0.0 for row in told.rows if row.kind in ("leader", "follower")]
    assert max(longest_us) > 1e6, told


FLUSHES = """
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_DSYNC)
while True:
    os.pwrite(file, bytes(4096), 0)
"""


def test_a_commit_that_hangs_at_the_end_reaches_headline_and_status(
    disk: tuple[Path, Path],
) -> None:
    folder, _ = disk
    with at_work([sys.executable, "-c", FLUSHES, folder / "log"]), ExitStack() as stack:
        watching = stack.enter_context(
            command.started("commits", "--runtime", "4s", "--json", "--events", "-")
        )
        await_commits(watching)
        stack.enter_context(frozen(folder))
        out, _ = watching.communicate(timeout=60)
    told = json.loads(out)["data"]
    (hanging,) = [one for one in told["under_way"] if one["hanging"]]
    assert (watching.returncode, hanging["kind"], hanging["hanging"]) == (1, "sync", 1)
    assert hanging["longest_s"] >= 1.0
    assert hanging["longest_in"] == "write"


LONG_FLUSH = """
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY)
for at in range(64):
    os.pwrite(file, bytes(4096), at << 20)
os.fdatasync(file)
"""
FSYNC, FDATASYNC = ("74", "75") if os.uname().machine == "x86_64" else ("82", "83")


def waits_in(call: str, pid: int) -> bool:
    """Whether a process waits in that system call for the disk."""
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return (state, Path(f"/proc/{pid}/syscall").read_text().split()[0]) == ("D", call)


def test_a_flush_that_hangs_since_before_the_watch_reaches_headline_and_status(
    disk: tuple[Path, Path],
) -> None:
    """Blocks of a file apart from each other, at a device that takes one write in a second."""
    folder, device = disk
    (folder / "data").write_bytes(bytes(65 * MIB))
    os.sync()
    program = folder / WRITER
    program.symlink_to(sys.executable)
    with slowed(device) as slow, ExitStack() as stack:
        slow(1)
        writing = stack.enter_context(at_work([program, "-c", LONG_FLUSH, folder / "data"]))
        stack.callback(slow, UNTHROTTLED)
        while not waits_in(FDATASYNC, writing):
            time.sleep(0.01)
        done = command.plimsoll("commits", "--runtime", "2s", "--role", WRITER, "--json")
    told = command.document(done)["data"]
    (hanging,) = told["under_way"]
    assert (done.returncode, hanging["role"], hanging["hanging"]) == (1, WRITER, 1)
    assert hanging["longest_in"] == "flush"
    assert hanging["longest_s"] == pytest.approx(told["duration_s"])


@contextmanager
def mounted_within(folder: Path) -> Iterator[Path]:
    """Another file system, on a device whose file is in that folder: while that is frozen, nothing of it reaches its disk."""
    backing, point = folder / "inner.dat", folder / "inner"
    with ExitStack() as stack:
        with backing.open("wb") as file:
            file.truncate(64 * MIB)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", backing)
        loop = Loop(backing)
        stack.callback(loop.detach)
        point.mkdir()
        run("mount", "-o", "noatime", loop.path, point)
        stack.callback(run, "umount", point)
        yield point


FLUSHED = """
import os, sys, time
if sys.argv[2] == "file":
    with open(sys.argv[1] + "/file", "wb", buffering=0) as file:
        file.write(bytes(4096))
    os.fsync(os.open(sys.argv[1] + "/file", os.O_RDONLY))
else:
    os.mkdir(sys.argv[1] + "/folder")
    os.fsync(os.open(sys.argv[1], os.O_RDONLY))
time.sleep(100)
"""


def test_a_folder_whose_flush_hangs_is_no_commit_and_a_file_is(disk: tuple[Path, Path]) -> None:
    """Each by a descriptor that may only be read, as a folder's is."""
    outer, _ = disk
    program = outer / WRITER
    program.symlink_to(sys.executable)
    with mounted_within(outer) as inner, ExitStack() as stack:
        processes = stack.enter_context(ExitStack())
        stack.enter_context(frozen(outer))
        for kind in ("folder", "file"):
            process = processes.enter_context(at_work([program, "-c", FLUSHED, inner, kind]))
            while not waits_in(FSYNC, process):
                time.sleep(0.01)
        done = command.plimsoll("commits", "--runtime", "2s", "--role", WRITER, "--json")
    (hanging,) = command.document(done)["data"]["under_way"]
    assert (done.returncode, hanging["role"], hanging["commits"], hanging["hanging"]) == (1, WRITER, 1, 1)

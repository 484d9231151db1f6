"""The probe of the block layer in this machine's kernel, against the counts of fio and of the kernel's own diskstats.

The disk is a loop device of the test's own, so nobody else is at work on it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loop_device import Loop
from mounted_loop import mounted_loop
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, counts_beneath
from plimsoll.native import block_probe
from plimsoll.observe.block_io import BlockIo, BlockReading, BlockWatch

MIB = 1 << 20
IOS = 2000
BLOCK_BYTES = 8192
ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "crates" / "observe" / "bpf"


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    if os.geteuid() != 0:
        pytest.skip("loop devices are for root")
    file = tmp_path / "file"
    file.write_bytes(random.Random(1).randbytes(64 * MIB))
    made = Loop(file)
    yield made
    made.detach()


def fio(target: Path, *options: str) -> dict[str, Any]:
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    command = [
        "fio",
        "--name=known",
        f"--filename={target}",
        f"--bs={BLOCK_BYTES}",
        "--output-format=json",
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["jobs"][0]


def counts(loop: Loop) -> DeviceCounts:
    found = counts_beneath(loop.path)
    assert found is not None
    return found[1]


def on(loop: Loop, reading: BlockReading, operation: str) -> list[BlockIo]:
    assert reading.lost_ios == 0
    return [row for row in reading.rows if row.device == loop.path.name and row.operation == operation]


def total(rows: list[BlockIo]) -> tuple[int, int]:
    return sum(row.ios for row in rows), sum(row.bytes for row in rows)


@pytest.mark.parametrize("engine", ["psync", "libaio", "io_uring"])
@pytest.mark.parametrize("rw", ["randread", "randwrite"])
def test_direct_io_is_counted_as_fio_and_the_disk_count_it(
    watch: BlockWatch, loop: Loop, engine: str, rw: str
) -> None:
    operation = rw.removeprefix("rand")
    untimed = watch.read().untimed
    before = counts(loop)
    depth = [] if engine == "psync" else ["--iodepth=8"]
    options = ["--direct=1", f"--rw={rw}", f"--ioengine={engine}", f"--number_ios={IOS}", *depth]
    job = fio(loop.path, *options)
    reading, after = watch.read(), counts(loop)
    rows, known = on(loop, reading, operation), job[operation]
    ios, moved = total([row for row in rows if row.role == "fio"])
    assert (ios, moved) == (known["total_ios"], known["io_bytes"]) == (IOS, IOS * BLOCK_BYTES)
    counted, sectors = (
        (after.reads - before.reads, after.read_sectors - before.read_sectors)
        if operation == "read"
        else (after.writes - before.writes, after.write_sectors - before.write_sectors)
    )
    assert total(rows) == (counted, sectors * SECTOR_BYTES)
    fios = next(row for row in rows if row.role == "fio")
    assert fios.sizes == ((BLOCK_BYTES, IOS),)
    assert (fios.file, fios.file_kind) == (None, "unknown")
    # Each is counted; the times of some may be lost where processors are busy, and how many at most is told.
    assert IOS - (reading.untimed - untimed) <= fios.service_us.count <= IOS


FILES = ("orders", "customers")
ASKED = {
    "psync": ("--ioengine=psync",),
    "libaio": ("--ioengine=libaio", "--iodepth=8"),
    "io_uring": ("--ioengine=io_uring", "--iodepth=8"),
    "polled queue": ("--ioengine=io_uring", "--iodepth=8", "--sqthread_poll=1"),
    "workers of io_uring": ("--ioengine=io_uring", "--iodepth=8", "--force_async=1"),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("rw", ["randread", "randwrite"])
def test_direct_io_is_counted_by_its_file(watch: BlockWatch, asked: str, rw: str) -> None:
    """One process reads or writes two files, a different number of blocks of each, with both under way at the same time."""
    if not watch.probe.names_direct():
        pytest.skip("this kernel does not tell where its functions are, or has none for direct I/O of files")
    operation = rw.removeprefix("rand")
    with mounted_loop(128 * MIB) as (folder, loop):
        paths = [folder / name for name in FILES]
        for path in paths:
            path.write_bytes(random.Random(1).randbytes(16 * MIB))
        os.sync()
        watch.read()
        options = ["--direct=1", f"--rw={rw}", "--file_service_type=roundrobin:3", *ASKED[asked]]
        job = fio(Path(":".join(map(str, paths))), *options, f"--number_ios={IOS}")[operation]
        reading = watch.read()
        rows = [row for row in on(loop, reading, operation) if row.role == "fio"]
        numbers = [path.stat().st_ino for path in paths]
        counted = [total([row for row in rows if row.inode_number == number]) for number in numbers]
    assert total(rows) == (job["total_ios"], job["io_bytes"]) == (IOS, IOS * BLOCK_BYTES)
    assert sum(ios for ios, _ in counted) == IOS, [(row.file_kind, row.inode_number, row.ios) for row in rows]
    assert all(moved == ios * BLOCK_BYTES for ios, moved in counted)
    assert abs(counted[0][0] - counted[1][0]) <= 3, "they take turns, three blocks each"


def test_direct_io_that_is_too_large_for_its_disk_is_that_of_its_file_in_all_parts(
    watch: BlockWatch,
) -> None:
    if not watch.probe.names_direct():
        pytest.skip("this kernel does not tell where its functions are, or has none for direct I/O of files")
    with mounted_loop(128 * MIB) as (folder, loop):
        loop.set_queue("max_sectors_kb", "64")
        path = folder / "orders"
        path.write_bytes(random.Random(1).randbytes(32 * MIB))
        os.sync()
        watch.read()
        fio(path, "--direct=1", "--rw=read", "--ioengine=psync", "--bs=1m", "--number_ios=32")
        rows = [row for row in on(loop, watch.read(), "read") if row.role == "fio"]
        assert {row.inode_number for row in rows} == {path.stat().st_ino}
    assert total(rows) == (32 * MIB // 65_536, 32 * MIB)


WRITER = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.pwrite(file, b"x" * 8192 * 20, 0)
os.fsync(file)
print(os.fstat(file).st_ino, flush=True)
sys.stdin.readline()
for at in range(20):
    os.pwrite(file, b"y" * 8192, at * 8192)
    os.fdatasync(file)
print("done", flush=True)
sys.stdin.read()
"""
"""Overwrites 20 blocks of a file and has each on the disk before the next."""


def test_commits_are_writes_to_their_file_and_flushes_of_their_process(watch: BlockWatch) -> None:
    """fdatasync hands the pages to the disk in the process itself, and waits for a flush behind them."""
    with mounted_loop(128 * MIB) as (folder, loop):
        path = folder / "segment"
        command = [sys.executable, "-c", WRITER, path]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            inode = int(process.stdout.readline())
            watch.read()
            process.stdin.write("go\n")
            process.stdin.flush()
            process.stdout.readline()
            reading = watch.read()
            process.communicate()
        writes = [row for row in on(loop, reading, "write") if row.pid == process.pid]
        assert [(row.file, row.inode_number, row.ios, row.bytes) for row in writes] == [
            (str(path), inode, 20, 20 * 8192)
        ]
        if watch.probe.begin() == "block_io_start":
            waited_for = on(loop, reading, "flush-request")
            assert [(row.pid, row.ios) for row in waited_for] == [(process.pid, 20)]
        assert {row.role for row in on(loop, reading, "flush")} == {"kernel"}


def test_what_does_not_fit_is_counted_as_lost(loop: Loop) -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    watch = BlockWatch(probe := block_probe.start(rows_max=1))
    fio(loop.path, "--direct=1", "--rw=randread", "--ioengine=psync", "--number_ios=100")
    fio(loop.path, "--direct=1", "--rw=randwrite", "--ioengine=psync", "--number_ios=100")
    reading = watch.read()
    probe.stop()
    assert len(reading.rows) <= 1
    assert reading.lost_ios >= 100


@pytest.mark.skipif(
    shutil.which("clang-14") is None, reason="clang-14 is not installed, which makes the object"
)
@pytest.mark.skipif(
    shutil.which("llvm-strip-14") is None, reason="llvm-strip-14 is not installed (package llvm-14)"
)
def test_the_objects_that_are_kept_are_those_of_their_sources(tmp_path: Path) -> None:
    subprocess.run([ROOT / "scripts" / "probe.sh", tmp_path], check=True, timeout=100)
    kept = sorted(KEPT.glob("*.o"))
    assert [made.name for made in sorted(tmp_path.iterdir())] == [one.name for one in kept]
    for one in kept:
        made = tmp_path / one.name
        assert made.read_bytes() == one.read_bytes(), f"run make probe and commit {one.name}"


def test_a_start_leaves_the_process_its_huge_pages() -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")

    def told() -> list[str]:
        status = Path("/proc/self/status").read_text().splitlines()
        return [line for line in status if line.startswith("THP_enabled:")]

    before = told()
    block_probe.start().stop()
    assert told() == before


_LEAVES = """
import ctypes, os
CLONE_FS = 0x200
if ctypes.CDLL(None).unshare(CLONE_FS):
    raise SystemExit("unshare is refused")
os.chroot("/sys/kernel/btf")
"""
"""What a start does so that the library reads no types: containers may refuse it to root as well."""

_A_START = """
import os
import re
from pathlib import Path

from plimsoll.native import {module}

os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})


def told(name):
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"^{{name}}:\\s+(\\d+)", status, re.M)[1])


resident, own = told("VmRSS"), told("RssAnon")
probe = {module}.start()
print(told("VmHWM") - resident, told("RssAnon") - own)
"""


def untold_bytes() -> int:
    """What the kernel may leave out of a count of a process's pages: what the CPU that it is on has not handed in yet."""
    return max(64, 2 * (os.cpu_count() or 1)) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("module", ["block_probe", "commit_probe"])
def test_a_start_takes_little_memory_and_gives_it_back(module: str) -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if subprocess.run((sys.executable, "-c", _LEAVES), capture_output=True, check=False).returncode:
        pytest.skip("this user may not leave its folders (CAP_SYS_CHROOT), so that all types are read")
    command = (sys.executable, "-c", _A_START.format(module=module))
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    for_a_moment, kept = map(int, said.split())
    types = len(Path("/sys/kernel/btf/vmlinux").read_bytes())
    # Each of the figures is a difference of two, and what is resident is the sum of three counts.
    assert kept < 4e6 + 2 * untold_bytes(), "what was read of the kernel's types is no longer needed"
    assert for_a_moment < 2 * types + 4e6 + 6 * untold_bytes(), (
        "its types once, and room for those that are asked for"
    )

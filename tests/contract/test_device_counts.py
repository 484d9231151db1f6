"""What we say that we did, held against the kernel's own counters of a loop device and of the disk beneath a file.

Neighbouring I/Os that come to the kernel together become one: 8 KiB reads at depth 16 claimed 242,912 I/Os where the device saw
30,635. So every pattern, engine and verb is tried.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from device_counts import check_each
from loop_device import Loop
from plimsoll import _core
from plimsoll.context import Cancel, Context
from plimsoll.facts import Cell, Event, IoClass, Plan, PlanGroup, Remark, Run, Workload
from plimsoll.flows.calibrate import calibrate
from plimsoll.flows.fio import run_job_file
from plimsoll.flows.io import measure_io
from plimsoll.flows.line import measure_line
from plimsoll.flows.shapes import measure_shapes
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.requests.fio import FioRequest
from plimsoll.requests.io import IoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.requests.shapes import ShapesRequest
from plimsoll.supply.checks import passive_checks
from plimsoll.supply.choose import check_engine
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Wish, on_opened, opened
from simulated import context

MIB = 1 << 20
LINE_TRIALS = 6
ENGINES = ("psync", "libaio", "io_uring")
PATTERNS = tuple(entry["name"] for entry in _core.patterns())
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may set up a loop device")


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    file = tmp_path_factory.mktemp("loop") / "file"
    file.write_bytes(random.Random(1).randbytes(64 * MIB))
    made = Loop(file)
    yield made
    made.detach()


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    """A context that keeps runs."""
    with context(tmp_path / "scratch") as made:
        yield made


def run_cell(ctx: Context, loop: Loop, engine: str, **given: Any) -> Cell:
    op = given.pop("op", "read")
    kind = {name: given.pop(name) for name in ("pattern", "block_bytes", "skew", "sync") if name in given}
    mix = Workload(
        name="it", classes=(IoClass(**{"name": "it", "op": op, "block_bytes": 8192, "weight": 1.0} | kind),)
    )
    wish = Wish(str(loop.path), writes=op == "write", destroy=(loop.confirmed,) if op == "write" else ())
    with opened(ctx, wish) as made:
        group = PlanGroup.of(mix, engine, depth=given.pop("depth", 16), jobs=given.pop("jobs", 1))
        plan = on_opened(Plan(groups=(group,), **{"ios_max": 2000, **given}), made)
        cell = measure(plan, made.permits, Cancel(), lambda live: None)
        verdict = {check.name: check for check in passive_checks(cell, made.target)}["reached"]
    assert verdict.passed is True, verdict.reason
    return cell


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_io_reaches_the_device_alone(
    ctx: Context, loop: Loop, engine: str, op: str, pattern: str
) -> None:
    check_engine(engine)
    if pattern == "log_write" and op == "read":
        pytest.skip("a log is written")
    skew = {"zipf": 1.1, "pareto": 0.2}.get(pattern)
    cell = run_cell(ctx, loop, engine, op=op, pattern=pattern, skew=skew, sync=pattern == "log_write")
    counted = cell.at_devices
    assert counted is not None
    assert counted.devices == (loop.path.name,)
    assert (counted.ios, counted.bytes, counted.device_bytes) == (2000, 2000 * 8192, 2000 * 8192)
    # Some kernels count a durable write that ends with a flush twice.
    assert counted.device_ios == 2000 or pattern == "log_write"


@pytest.mark.parametrize("engine", ["libaio", "io_uring"])
def test_with_merge_the_kernel_may_make_one_of_neighbours(ctx: Context, loop: Loop, engine: str) -> None:
    """How many become one depends on how many are waiting at once; those of the first submission always are."""
    counted = run_cell(ctx, loop, engine, pattern="sequential", merge=True).at_devices
    assert counted is not None
    assert counted.bytes == counted.device_bytes
    assert counted.device_ios < counted.ios


def test_one_that_is_too_large_for_the_device_is_counted_in_its_parts(ctx: Context, loop: Loop) -> None:
    part_kb = int(Path(f"/sys/block/{loop.path.name}/queue/max_sectors_kb").read_text())
    counted = run_cell(ctx, loop, "io_uring", block_bytes=8 * MIB, ios_max=20, depth=2).at_devices
    assert counted is not None
    assert counted.device_ios >= counted.bytes / 1024 / part_kb
    assert counted.device_bytes == counted.bytes


def _fio(ctx: Context, name: str, folder: Path) -> Run:
    job = folder / "scan.fio"
    job.write_text(
        f"[scan]\nfilename={name}\nrw=read\nbs=16k\niodepth=8\nioengine=libaio\ndirect=1\ntime_based\nruntime=1\n"
    )
    return run_job_file(ctx, FioRequest(str(job))).run


def _line(ctx: Context, name: str, folder: Path) -> Run:
    """Its first trials; the search is none of this test."""
    heard: list[Event] = []

    def listen(event: Event) -> None:
        heard.extend([event] if isinstance(event, Remark) else [])
        if len(heard) == LINE_TRIALS:
            ctx.cancel.set()

    asked = LineRequest(name, rw="read", trial_s=0.2, trials_confirm=3)
    return measure_line(replace(ctx, events=listen), asked)


VERBS: dict[str, Callable[[Context, str, Path], Run]] = {
    "io": lambda ctx, name, folder: measure_io(ctx, IoRequest(name, rw="read", runtime_s=0.3)),
    "line": _line,
    "calibrate": lambda ctx, name, folder: calibrate(
        ctx,
        CalibrateRequest(
            (name,), matrix="basic", disks=1, large_pattern="sequential", duration_s=0.2, cache_bytes=0
        ),
    ),
    "shapes": lambda ctx, name, folder: measure_shapes(
        ctx, ShapesRequest(name, runtime_s=0.3, only=("scans", "async_readers"))
    ),
    "fio": _fio,
}


@pytest.mark.parametrize("verb", VERBS)
def test_the_verbs_on_a_loop_device(ctx: Context, loop: Loop, tmp_path: Path, verb: str) -> None:
    check_each(VERBS[verb](ctx, str(loop.path), tmp_path))


def test_the_disk_beneath_a_file(ctx: Context, tmp_path: Path) -> None:
    """Others may be at work on this machine's disk: it has counted each of ours at least, alone or merged into another.

    While others keep the disk from taking each at once, the kernel makes one I/O of a few neighbours.
    """
    before = merged_reads()
    run = measure_io(ctx, IoRequest(str(tmp_path), rw="read", bytes_wanted=32 * MIB, runtime_s=0.5))
    assert run.cell is not None
    if run.cell.at_devices is None:
        pytest.skip(f"no block device beneath {tmp_path}, or none that counts")
    counted = run.cell.at_devices
    merged = sum(merged_reads()[name] - before[name] for name in counted.devices)
    assert counted.device_reads + merged >= counted.reads > 0
    assert counted.device_read_bytes >= counted.read_bytes
    assert {check.name: check.passed for check in run.cell.checks}["reached"] is True


def merged_reads() -> dict[str, int]:
    """By device, how many reads the kernel has joined to another one (/proc/diskstats, field 5; iostats.rst)."""
    lines = Path("/proc/diskstats").read_text().splitlines()
    return {line.split()[2]: int(line.split()[4]) for line in lines}

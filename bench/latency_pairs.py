"""Latency of one I/O at a time: blocking reads, and durable log writes of 4 KiB to 128 KiB, `plimsoll io` beside fio.

fio's figure is its total latency (`lat`), from the call to its return, as ours is. Both wait for each write until it is on
stable storage: fio opens the file with O_DSYNC, ours asks with RWF_DSYNC for each write. Both write into files that were filled
before, each into its own. Both threads are bound to the same processor, as ours always is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case
from kit.targets import CannotMake, write_file
from kit.tools import BELIEVED_OR_NOT, fio, ours

P50_RATIO_MIN, P50_RATIO_MAX = 0.9, 1.1
LOG_BLOCKS_KIB = (4, 8, 16, 32, 64, 128)
LOG_BYTES = 128 << 20
ROOM_LOGS = 4
"""We leave a part of a file system free."""


def main() -> int:
    """Runs it."""
    return bench.run("latency_pairs", __doc__ or "", _measure, rounds=15, runtime_s=5)


def _measure(here: bench.Bench) -> list[Aim]:
    def measure(place: str, folder: Path) -> list[Aim]:
        cases = _cases(here, place, folder)
        here.measure(cases, place)
        return [_aim(case.name) for case in cases]

    return here.on_each_place(here.asked.size_bytes + ROOM_LOGS * LOG_BYTES, measure)


def _aim(case: str) -> Aim:
    bounds = {"median_min": P50_RATIO_MIN, "median_max": P50_RATIO_MAX}
    return Aim(case, "latency_us_p50", "plimsoll", ("fio",), **bounds)


def _cases(here: bench.Bench, place: str, folder: Path) -> list[Case]:
    data, own_log, their_log = folder / "data", folder / "log-plimsoll", folder / "log-fio"
    write_file(data, here.asked.size_bytes)
    write_file(their_log, LOG_BYTES)
    # We write to files of our own only, so this one is made by us.
    made = [here.asked.plimsoll, "io", own_log, "--prefill", "--size", str(LOG_BYTES), "--runtime", "100ms"]
    done = subprocess.run(made, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in BELIEVED_OR_NOT:
        raise CannotMake(f"plimsoll could not fill its log: {done.stderr.strip()}")
    logs = [_log_case(here.asked, place, own_log, their_log, kib) for kib in LOG_BLOCKS_KIB]
    return [_read_case(here.asked, place, data), *logs]


def _read_case(asked: bench.Asked, place: str, data: Path) -> Case:
    own_words = ("--rw", "randread", "--block", "8k", "--depth", "1", "--engine", "psync")
    their_words = ("--ioengine=psync", "--bs=8k", "--rw=randread", "--iodepth=1")
    return Case(
        f"{place}-read-8k",
        (
            ours("plimsoll", asked.plimsoll, data, *own_words, runtime_s=asked.runtime_s),
            fio("fio", data, *their_words, _pinned(), runtime_s=asked.runtime_s),
        ),
    )


def _log_case(asked: bench.Asked, place: str, own: Path, theirs: Path, kib: int) -> Case:
    own_words = ("--rw", "log-write", "--block", f"{kib}k", "--depth", "1", "--engine", "psync")
    their_words = ("--ioengine=psync", f"--bs={kib}k", "--rw=write", "--sync=dsync", "--iodepth=1")
    return Case(
        f"{place}-log-write-{kib}k",
        (
            ours("plimsoll", asked.plimsoll, own, *own_words, runtime_s=asked.runtime_s),
            fio("fio", theirs, *their_words, _pinned(), runtime_s=asked.runtime_s, op="write"),
        ),
    )


def _pinned() -> str:
    """Where our thread is bound to: by which processor a loop device's kernel thread wakes up on, a read takes twice as long."""
    return f"--cpus_allowed={max(os.sched_getaffinity(0))}"


if __name__ == "__main__":
    sys.exit(main())

"""Verdicts on demands of known headroom, on real devices: a loop device that the kernel throttles, and disks that are dialled.

The truth is computed as for simulated storage (tests/verdict_truth.py). A throttle lets go in lumps and adds no latency of its own:
it carries what stays below its rate.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool
from kit.throttle import throttled_loop

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from kit.verdicts import figures, summary_aims, with_summary

import verdict_truth as truth
from dialled_disk import dialled
from plimsoll.flows.demand import write_demand

READS_PER_S = 1500
THROTTLE = truth.Storage("throttled loop", "constant", 1e6 / READS_PER_S, cap_iops=READS_PER_S)
PACED = truth.Storage("dialled, IOPS cap", "constant", 1_000.0)
CARRIES_MB = truth.Storage("dialled, bandwidth cap", "constant", 100.0, us_per_mib=20_000.0)
QUEUE = truth.Storage("dialled, latency law", "exponential", 1_000.0, servers=4)
CASES = (
    *(truth.Case(THROTTLE, truth.READS_ALONE, headroom) for headroom in (0.6, 0.8, 1.4, 2.0)),
    truth.Case(PACED, "steady", 0.6), truth.Case(PACED, "bursts", 1.5),
    truth.Case(CARRIES_MB, "scans in the second half", 0.6), truth.Case(CARRIES_MB, "scans in the second half", 1.5),
    truth.Case(QUEUE, "checkpoints", 0.7), truth.Case(QUEUE, "steady", 1.3),
    truth.Case(QUEUE, "late counters", 2.0), truth.Case(QUEUE, "saturated source", 0.6),
)  # fmt: skip


def main() -> int:
    """Runs it."""
    return bench.run("verdict_devices", __doc__ or "", _measure, rounds=1, runtime_s=117.0, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    answers = []
    wanted = [case for case in CASES if here.asked.case in case.name]
    for storage in dict.fromkeys(case.storage for case in wanted):
        own = {case.name: case for case in wanted if case.storage == storage}
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, _device(storage, Path(folder)) as device:
            commands = [_command(here.asked, case, device, Path(folder)) for case in own.values()]
            samples = here.measure(commands, storage.name.replace(", ", "-").replace(" ", "-"))
        answers += [(own[one.case], one.figures) for one in samples]
    with_summary(here, answers)
    return summary_aims()


@contextmanager
def _device(storage: truth.Storage, folder: Path) -> Iterator[str]:
    if storage != THROTTLE:
        folder.chmod(0o755)
        with dialled(folder / "dial", storage.words.removeprefix("sim:"), "256m") as disk:
            yield str(disk.path)
        return
    with throttled_loop(READS_PER_S) as name:
        yield name


def _command(asked: bench.Asked, case: truth.Case, device: str, folder: Path) -> Case:
    place = folder / f"{case.name.replace(' ', '-')}.json"
    write_demand(case.demand(), place)
    words = ("--slo", truth.SLO, "--budget", f"{asked.runtime_s:g}s", "--json")
    command = (asked.plimsoll, "assess", "--demand", str(place), "--target", device, *words)

    def read(said: Any) -> dict[str, float]:
        return figures(case, said)

    return Case(case.name, (Tool("assess", command, read, statuses=(0, 1, 5)),))


if __name__ == "__main__":
    sys.exit(main())

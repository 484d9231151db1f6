"""What `plimsoll watch` takes of a storage's throughput: fio's random reads of 8 KiB with and without it, in turn.

At 50,000 I/Os per second as a load, with one thread that waits for each read, and at full speed. The kernel also tells the
nanoseconds that it spends in the probe for each I/O. `plimsoll watch` reads its rows each second meanwhile, on the same processors.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool
from kit.targets import write_file

THROUGHPUT_MIN = 0.97
"""Of that without the probe."""
PROBE_NS_PER_IO_MAX = 600.0
IOPS = 50_000
_RING = ("--ioengine=io_uring", "--iodepth=16")
_LOADS = {
    f"rate-{IOPS}": (*_RING, f"--rate_iops={IOPS}"),
    "blocking": ("--ioengine=psync",),
    "full-speed": _RING,
}
_WORK = Path(__file__).parent / "kit" / "watch_work.py"


def main() -> int:
    """Runs it."""
    return bench.run("watch_overhead", __doc__ or "", _measure, rounds=15, runtime_s=5)


def _measure(here: bench.Bench) -> list[Aim]:
    def measure(place: str, folder: Path) -> list[Aim]:
        file = folder / "data"
        write_file(file, here.asked.size_bytes)
        cases = here.wanted([_case(here.asked, place, file, load) for load in _LOADS])
        here.measure(cases, place)
        return [aim for case in cases for aim in _aims(case.name)]

    return here.on_each_place(here.asked.size_bytes, measure)


def _case(asked: bench.Asked, place: str, file: Path, load: str) -> Case:
    def tool(how: str) -> Tool:
        words = (how, asked.plimsoll, str(file), f"{asked.runtime_s:g}", *_LOADS[load])
        return Tool(how, (sys.executable, str(_WORK), *words), _figures)

    return Case(f"{place}-{load}", tuple(map(tool, ("alone", "watched", "timed"))))


def _aims(case: str) -> list[Aim]:
    return [
        Aim(case, "iops", "watched", ("alone",), median_min=THROUGHPUT_MIN),
        Aim(case, "latency_us_p50", "watched", ("alone",)),
        Aim(case, "probe_ns_per_io", "timed", median_max=PROBE_NS_PER_IO_MAX),
    ]


def _figures(said: Figures) -> Figures:
    return said


if __name__ == "__main__":
    sys.exit(main())

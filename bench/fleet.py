"""Many reports: 5,000 files read by processes apart, one worker and two, beside what the machine gives two processes that have
nothing to do with each other; that both give the same, byte for byte; and what is spent outside the reader. The same over a Dask
cluster of one scheduler and one or two workers on this host, set as docs/read.md advises, whose start is in no figure; `untuned`
is one as Dask starts it. `client_share` is that of command and scheduler, what it takes to load them among it; `outside_share` has
that of Dask's workers, too, and `steady_share` nothing of the start (`kit/fleet_work.py`). That `read` of them, killed at half and
called again, gives what a serial run gives (`kit/fleet_resume.py`). Then `read`, `advise` and `trend` over 50,000 files with the
memory of all their processes.

`reader-1` and `reader-2` are the reader alone in one process, and in two independent ones at the same time: the ratio of the two
is what two workers could reach on this machine at best. No aim is bent to it. The reports are made by the tests' generator.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool

FILES, FILES_QUICK = 5000, 1200
MANY, MANY_QUICK = 50_000, 1200
ROWS, MANY_ROWS = 5, 2
RATIO_MIN = 1.7
OUTSIDE_SHARE_MAX = 0.15
VERBS = ("read", "advise", "trend")
_WORK = (".venv/bin/python", "bench/kit/fleet_work.py")
_RESUME = (".venv/bin/python", "bench/kit/fleet_resume.py", "resume")


def main() -> int:
    """Runs it."""
    return bench.run("fleet", __doc__ or "", _measure, rounds=3, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    quick = here.asked.runtime_s < 2
    aims: list[Aim] = []
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir="/var/tmp") as made:
        few, many = Path(made) / "few", Path(made) / "many"
        out = str(Path(made) / "out")
        cases = here.wanted([_workers(str(few)), _equal(str(few), out), _resume(str(few))])
        if cases:
            _make(few, FILES_QUICK if quick else FILES, ROWS)
            here.measure(cases, "workers")
            aims += [aim for aim in _aims() if aim.case in {case.name for case in cases}]
        commands = here.wanted([_peak(verb, str(many)) for verb in VERBS])
        if commands:
            _make(many, MANY_QUICK if quick else MANY, MANY_ROWS)
            here.measure(commands, "many")
            aims += [Aim(case.name, "all_peak_bytes", "plimsoll") for case in commands]
    return aims


def _workers(folder: str) -> Case:
    counts = {"one": 1, "two": 2}
    ours = [Tool(name, (*_WORK, "read", folder, str(count)), dict) for name, count in counts.items()]
    alone = [Tool(f"reader-{count}", (*_WORK, "here", folder, str(count)), dict) for count in counts.values()]
    dask = [
        Tool(f"dask-{name}", (*_WORK, "cluster", folder, str(count)), dict) for name, count in counts.items()
    ]
    untuned = Tool("untuned", (*_WORK, "untuned", folder, "1"), dict)
    return Case("workers", (*ours, *dask, untuned, *alone))


def _equal(folder: str, out: str) -> Case:
    counts = {"one": 1, "two": 2}
    ours = {name: ("read", folder, str(count), f"{out}-{count}") for name, count in counts.items()}
    dask = {"dask-two": ("cluster", folder, "2", f"{out}-dask")}
    return Case(
        "equal", tuple(Tool(name, (*_WORK, *words), dict) for name, words in {**ours, **dask}.items())
    )


def _resume(folder: str) -> Case:
    return Case("resume", (Tool("killed", (*_RESUME, folder), dict),))


def _peak(verb: str, folder: str) -> Case:
    return Case(f"many-{verb}", (Tool("plimsoll", (*_WORK, "peak", verb, folder), dict),))


def _aims() -> list[Aim]:
    return [
        Aim("workers", "reports_per_s", "two", ("one",), median_min=RATIO_MIN),
        Aim("workers", "reports_per_s", "dask-two", ("dask-one",), median_min=RATIO_MIN),
        Aim("workers", "reports_per_s", "reader-2", ("reader-1",)),
        Aim("workers", "client_share", "one", median_max=OUTSIDE_SHARE_MAX),
        Aim("workers", "client_share", "dask-one", median_max=OUTSIDE_SHARE_MAX),
        Aim("workers", "client_share", "untuned"),
        *(Aim("workers", "steady_share", tool, median_max=OUTSIDE_SHARE_MAX) for tool in ("one", "dask-one")),
        Aim("workers", "outside_share", "dask-one"),
        Aim("workers", "outside_share", "untuned"),
        *(Aim("workers", "start_cpu_s", tool) for tool in ("one", "dask-one")),
        Aim("workers", "all_cpu_s", "one", ("reader-1",), median_max=1 / (1 - OUTSIDE_SHARE_MAX)),
        Aim("workers", "all_cpu_s", "dask-one", ("reader-1",), median_max=1 / (1 - OUTSIDE_SHARE_MAX)),
        Aim("equal", "outcome", "two", ("one",), median_min=1.0, median_max=1.0),
        Aim("equal", "outcome", "dask-two", ("one",), median_min=1.0, median_max=1.0),
        Aim("resume", "is_equal", "killed", median_min=1.0),
        Aim("resume", "read_again_without_need_groups", "killed", median_max=0.0),
        Aim("resume", "left_groups", "killed", median_max=0.0),
    ]


def _make(folder: Path, count: int, rows: int) -> None:
    command = [sys.executable, "-m", "reportgen", folder, "--count", str(count), "--rows", str(rows)]
    environment = {**os.environ, "PYTHONPATH": str(bench.ROOT / "tests")}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

"""Measures `plimsoll io` against fio: the same file, engine, depth and block, in interleaved pairs.

What is compared, each pair giving one ratio of ours to fio's:

- I/Os per second;
- processor time per I/O of the whole process, taken by wait4 and so with Python's start and the kernel's workers;
- the median latency, ours from submission to completion, fio's `lat` (which is the same span).

The medians of the ratios are given with a 95 % interval by bootstrap (10,000 resamples of the pairs, percentile
method). Raw outputs, commands, versions and host are kept in bench/runs/<date>-io-vs-fio/.

Exit status: 0 all aims are met; 1 one is missed; 4 a program failed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SIZE_BYTES = 1 << 30
RESAMPLES = 10_000
IOPS_RATIO_MIN = 0.95
CPU_RATIO_MAX = 1.0
P50_RATIO_RANGE = (0.9, 1.1)


@dataclass(frozen=True)
class Sample:
    """One run of one tool."""

    tool: str
    pair: int
    iops: float
    ios: int
    cpu_us_per_io: float
    latency_us_p50: float


@dataclass(frozen=True)
class Estimate:
    """A median of ratios with its 95 % interval."""

    median: float
    low: float
    high: float


def main() -> int:
    """Runs the pairs, keeps everything, and says whether the aims are met."""
    asked = arguments()
    folder = new_folder(asked.out)
    commands = {"plimsoll": plimsoll_command(asked), "fio": fio_command(asked)}
    write(folder / "setup.json", {"commands": commands, "pairs": asked.pairs, **host(asked)})
    prefill(asked.file)
    try:
        samples = measure_pairs(asked.pairs, commands, folder)
    finally:
        if asked.own_file:
            asked.file.unlink(missing_ok=True)
    verdict = judge(samples)
    write(folder / "samples.json", [asdict(sample) for sample in samples])
    write(folder / "result.json", verdict)
    print(json.dumps(verdict, indent=2))
    return 0 if verdict["met"] else 1


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="plimsoll io against fio, in interleaved pairs")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--runtime", type=float, default=5)
    parser.add_argument("--depth", type=int, default=32)
    parser.add_argument("--block", default="8k")
    parser.add_argument("--file", type=Path, help="an existing file; default: one of 1 GiB, made and removed")
    parser.add_argument("--plimsoll", default=".venv/bin/plimsoll", help="path from the project's root")
    parser.add_argument("--out", type=Path, default=ROOT / "bench/runs")
    asked = parser.parse_args()
    os.chdir(ROOT)  # so that commands are recorded as anybody can repeat them
    asked.own_file = asked.file is None
    asked.file = asked.file or Path("/var/tmp") / f"plimsoll-bench-{os.getpid()}"
    for program in (asked.plimsoll, "fio"):
        if shutil.which(program) is None:
            fail(f"there is no program {program}", "Run make build; fio is Debian's package fio.")
    return asked


def fail(reason: str, hint: str) -> None:
    """Ends the program as the command line's contract asks: one line, a hint, exit status 4."""
    print(f"error: {reason}\nhint: {hint}", file=sys.stderr)
    raise SystemExit(4)


def new_folder(parent: Path) -> Path:
    """Makes a folder named for the day and what is measured; a second run of a day gets a number."""
    name = f"{datetime.datetime.now(datetime.UTC).date().isoformat()}-io-vs-fio"
    for number in range(1, 1000):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise SystemExit("error: a thousand runs on one day\nhint: Remove some of bench/runs.")


def plimsoll_command(asked: argparse.Namespace) -> list[str]:
    """Our side. No warm-up, as fio has none: each tool's I/Os and processor time then span the same seconds."""
    shape = ["--rw", "randread", "--block", asked.block, "--depth", str(asked.depth), "--engine", "io_uring"]
    times = ["--runtime", f"{asked.runtime:g}", "--warm-up", "0"]
    return [asked.plimsoll, "io", str(asked.file), *shape, *times, "--json"]


def fio_command(asked: argparse.Namespace) -> list[str]:
    """Fio's side, with everything that makes it fast and that we use as well."""
    return [
        "fio",
        "--name=pair",
        f"--filename={asked.file}",
        "--ioengine=io_uring",
        "--direct=1",
        f"--iodepth={asked.depth}",
        f"--bs={asked.block}",
        "--rw=randread",
        "--norandommap",
        "--registerfiles",
        "--fixedbufs",
        "--time_based",
        f"--runtime={asked.runtime:g}",
        "--lat_percentiles=1",
        "--output-format=json",
    ]


def prefill(file: Path) -> None:
    """Writes the file in full with random data, unless it is there already."""
    if file.exists():
        return
    with file.open("wb") as out:
        for _ in range(SIZE_BYTES >> 20):
            out.write(os.urandom(1 << 20))
        os.fsync(out.fileno())


def measure_pairs(pairs: int, commands: dict[str, list[str]], folder: Path) -> list[Sample]:
    """Runs both tools in turn; the order alternates, so that a drift of the device favours neither."""
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as scratch:
        # A store of the benchmark's own, so that nobody's results are added to.
        environment = {**os.environ, "PLIMSOLL_STORE": str(Path(scratch) / "store.sqlite")}
        for pair in range(pairs):
            for tool in ("plimsoll", "fio") if pair % 2 == 0 else ("fio", "plimsoll"):
                sample = measure(tool, pair, commands[tool], folder, environment)
                samples.append(sample)
                print(describe(sample), file=sys.stderr, flush=True)
    return samples


def measure(tool: str, pair: int, command: list[str], folder: Path, environment: dict[str, str]) -> Sample:
    """Runs one command and reads its JSON; processor time is the child's own, from wait4."""
    output = folder / f"pair-{pair:02d}-{tool}.json"
    with output.open("wb") as out, (folder / "stderr.log").open("ab") as log:
        child = subprocess.Popen(command, stdout=out, stderr=log, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        fail(f"{command[0]} ended with status {child.returncode}", f"Look at {folder}/stderr.log.")
    result = json.loads(output.read_text())
    ios, iops, p50 = (read_plimsoll if tool == "plimsoll" else read_fio)(result)
    cpu_us = (usage.ru_utime + usage.ru_stime) * 1e6 / ios
    return Sample(tool, pair, iops, ios, cpu_us, p50)


def read_plimsoll(result: dict[str, Any]) -> tuple[int, float, float]:
    """I/Os, rate and median latency of our envelope."""
    data = result["data"]
    return data["ios"], data["iops"], data["latency_us"]["p50"]


def read_fio(result: dict[str, Any]) -> tuple[int, float, float]:
    """I/Os, rate and median latency of fio's JSON."""
    read = result["jobs"][0]["read"]
    return read["total_ios"], read["iops"], read["lat_ns"]["percentile"]["50.000000"] / 1e3


def describe(sample: Sample) -> str:
    """One line for whoever waits."""
    return (
        f"pair {sample.pair + 1:2d} {sample.tool:8s} {sample.iops:9.0f} IOPS  "
        f"{sample.cpu_us_per_io:6.2f} µs CPU/IO  p50 {sample.latency_us_p50:7.1f} µs"
    )


def judge(samples: list[Sample]) -> dict[str, Any]:
    """The three ratios and whether each meets its aim."""
    iops = ratios(samples, "iops")
    cpu = ratios(samples, "cpu_us_per_io")
    p50 = ratios(samples, "latency_us_p50")
    low, high = P50_RATIO_RANGE
    met = {
        "iops": iops.low >= IOPS_RATIO_MIN,
        "cpu_us_per_io": cpu.median <= CPU_RATIO_MAX,
        "latency_us_p50": low <= p50.median <= high,
    }
    return {
        "ratio_of": "plimsoll / fio",
        "iops": asdict(iops),
        "cpu_us_per_io": asdict(cpu),
        "latency_us_p50": asdict(p50),
        "medians": {tool: medians(samples, tool) for tool in ("plimsoll", "fio")},
        "aims_met": met,
        "met": all(met.values()),
    }


def medians(samples: list[Sample], tool: str) -> dict[str, float]:
    """Each figure's median over one tool's runs."""
    own = [sample for sample in samples if sample.tool == tool]
    names = ("iops", "cpu_us_per_io", "latency_us_p50")
    return {name: statistics.median(getattr(sample, name) for sample in own) for name in names}


def ratios(samples: list[Sample], name: str) -> Estimate:
    """Ours over fio's for each pair: the median and its bootstrap interval."""
    values = [
        getattr(ours, name) / getattr(other, name)
        for ours in samples
        for other in samples
        if ours.pair == other.pair and (ours.tool, other.tool) == ("plimsoll", "fio")
    ]
    rng = random.Random(1)
    resampled = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(RESAMPLES))
    low, high = resampled[int(RESAMPLES * 0.025)], resampled[int(RESAMPLES * 0.975) - 1]
    return Estimate(statistics.median(values), low, high)


def host(asked: argparse.Namespace) -> dict[str, Any]:
    """What a reader needs to know of the machine and the programs."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "processor": processor(),
        "load_before": os.getloadavg(),
        "file_system": words(["findmnt", "-no", "FSTYPE,OPTIONS", "-T", str(asked.file.parent)]),
        "plimsoll": words([asked.plimsoll, "--version"]),
        "fio": words(["fio", "--version"]),
        "commit": words(["git", "-C", str(ROOT), "rev-parse", "HEAD"]),
    }


def processor() -> str | None:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), None)


def words(command: list[str]) -> str | None:
    """What a program says, or None where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def write(path: Path, value: object) -> None:
    """Writes JSON that people can read as well."""
    path.write_text(json.dumps(value, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())

"""What a collector costs a busy server while it runs for an hour, and what it takes of pgbench's throughput.

The hour: pgbench drives a PostgreSQL 18 as fast as it can, and `plimsoll demand --database URL --every 10m` runs beside it, with
its look at the sessions each second. Its own processor time and that of its backend are the kernel's count, from its start on; so
is its memory at the peak. The pairs: windows of pgbench with a collector at work and with the same collector stopped by SIGSTOP, in
turn; it keeps a snapshot in each window, not each ten minutes, so that they show more than it costs. Commits do not wait for the
disk, so that processors are the limit. A quick run takes a minute.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from kit import bench
from kit.judge import Aim
from kit.rounds import Figures, Sample

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from databases_fixture import context
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.ports.clock import SystemClock
from plimsoll.proof import pgbench

HOUR_S, QUICK_S = 3_600.0, 40.0
CLIENTS, SCALE = 8, 10
CORE_PERCENT_MAX = 0.5
PEAK_MB_MAX = 100.0
WINDOW_S = 30.0
_SETTINGS = {"synchronous_commit": "off", "shared_buffers": "256MB"}
_LOOK_S = 10.0
_END_S = 30.0
_BACKENDS = "select pid from pg_stat_activity where application_name = 'plimsoll'"
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Runs it: `--rounds` are pairs, `--runtime` is the window of each."""
    return bench.run("collector_hour", __doc__ or "", _measure, rounds=20, runtime_s=WINDOW_S, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    is_quick = here.asked.rounds <= 2
    hour_s, window_s = (QUICK_S, 10.0) if is_quick else (HOUR_S, here.asked.runtime_s)
    here.describe(commands={"collector": ["plimsoll", "demand", "--database", "URL", "--every", "10m"]})
    with (
        tempfile.TemporaryDirectory() as made,
        context(Path(made) / "journal", SystemClock()) as (ctx, _),
        embedded.running(ctx, server_settings=_SETTINGS) as server,
    ):
        pgbench.initialise(ctx, server.url, SCALE, programs=server.programs)
        here.samples.append(_hour(here, ctx, server, Path(made) / "hour.sqlite", hour_s))
        here.write("samples.json", [vars(sample) for sample in here.samples])
        here.samples += _pairs(here, ctx, server, Path(made) / "pairs.sqlite", window_s)
        here.write("samples.json", [vars(sample) for sample in here.samples])
    return [
        Aim("hour", "both_percent_of_a_core", "collector", median_max=CORE_PERCENT_MAX),
        Aim("hour", "peak_mb", "collector", median_max=PEAK_MB_MAX),
        Aim("pairs", "transactions_per_s", "with", ("without",)),
    ]


@dataclass
class _Collector:
    """A running collector, and what it and its sessions took of the processors. Sessions that ended keep what was seen last."""

    process: subprocess.Popen[bytes]
    url: str
    backends_s: dict[int, float] = field(default_factory=dict)

    def look(self) -> None:
        """Counts its sessions of now. Raises RuntimeError where it has ended."""
        if self.process.poll() is not None:
            raise RuntimeError(f"the collector ended with status {self.process.returncode}")
        with psycopg.connect(self.url, autocommit=True) as session:
            for (backend,) in session.execute(_BACKENDS).fetchall():
                self.backends_s[backend] = _cpu_s(backend)

    @property
    def own_s(self) -> float:
        """Processor time of the collector itself."""
        return _cpu_s(self.process.pid)

    @property
    def peak_mb(self) -> float:
        """The kernel's high-water mark of its memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1_024 / 1e6


@contextmanager
def _collector(here: bench.Bench, server: embedded.Server, store: Path, every: str) -> Iterator[_Collector]:
    words = (here.asked.plimsoll, "demand", "--database", server.url, "--every", every, "--store", str(store))
    with (here.folder / "collector.log").open("ab") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        yield _Collector(process, server.url)
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(_END_S)


def _hour(here: bench.Bench, ctx: Context, server: embedded.Server, store: Path, seconds: float) -> Sample:
    load = pgbench.start(ctx, server.url, seconds=seconds, clients=CLIENTS, programs=server.programs, seed=1)
    begun_s = time.monotonic()
    try:
        with _collector(here, server, store, "10m") as collector:
            while time.monotonic() - begun_s < seconds - _LOOK_S:
                time.sleep(_LOOK_S)
                collector.look()
            lasted_s = time.monotonic() - begun_s
            own_s, backends_s, peak_mb = (
                collector.own_s,
                sum(collector.backends_s.values()),
                collector.peak_mb,
            )
        result = load.wait()
    finally:
        load.stop()
    figures: Figures = {
        "lasted_s": lasted_s,
        "own_percent_of_a_core": own_s / lasted_s * 100,
        "backend_percent_of_a_core": backends_s / lasted_s * 100,
        "both_percent_of_a_core": (own_s + backends_s) / lasted_s * 100,
        "peak_mb": peak_mb,
        "transactions_per_s": result.tps or 0.0,
    }
    print(figures, file=sys.stderr, flush=True)
    return Sample("hour", "collector", 0, figures)


def _pairs(
    here: bench.Bench, ctx: Context, server: embedded.Server, store: Path, window_s: float
) -> list[Sample]:
    samples: list[Sample] = []
    with _collector(here, server, store, f"{window_s:g}s") as collector:
        time.sleep(_LOOK_S)
        for number in range(here.asked.rounds):
            for name in ("with", "without") if number % 2 else ("without", "with"):
                collector.process.send_signal(signal.SIGCONT if name == "with" else signal.SIGSTOP)
                load = pgbench.start(
                    ctx, server.url, seconds=window_s, clients=CLIENTS, programs=server.programs, seed=number
                )
                try:
                    tps = load.wait().tps
                finally:
                    load.stop()
                samples.append(Sample("pairs", name, number, {"transactions_per_s": tps or 0.0}))
                print(samples[-1], file=sys.stderr, flush=True)
    return samples


def _cpu_s(process: int) -> float:
    """Of user and system, see proc_pid_stat(5); the fields behind the command's name."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


if __name__ == "__main__":
    sys.exit(main())

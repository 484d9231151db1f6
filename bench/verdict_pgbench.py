"""Verdicts held against a real database: pgbench drives PostgreSQL at the factor that a verdict found, on the same device.

A demand is taken from PostgreSQL with room to spare, the device is throttled by the kernel, and `plimsoll assess` says how many
times that demand it carries. Then pgbench asks for so many times the transactions: a tenth below the factor they must be in
time. At a rate a twentieth above the upper end of the line's interval they must not: a peak may be counted for more than it was,
so that the factor itself says nothing of what is above it. Lines and replay share an engine; pgbench and the server share nothing
with it. Each transaction reads about two blocks one after the other, so that its limit is twice that of a read.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Figures, Sample

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from databases_fixture import context
from mounted_loop import mounted_loop
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.flows.demand import write_demand
from plimsoll.ports.clock import SystemClock
from plimsoll.proof import pgbench
from throttled import throttled

SCALE = 20
"""Of pgbench's tables: 260 MB, of which the server's buffers hold 16."""
CLIENTS = 48
FREE_READS_PER_S = 100_000
SLO = "p99=10ms"
LIMIT_MS = 20.0
LATE_SHARE_MAX = 0.01
BELOW, ABOVE = 0.9, 1.05
"""Of the factor that the verdict found, and of the upper end of the line's interval."""


@dataclass(frozen=True)
class Throttle:
    """A device of so many reads a second, and a demand of so many transactions a second."""

    reads_per_s: int
    transactions_per_s: float

    @property
    def name(self) -> str:
        """As a case."""
        return f"{self.transactions_per_s:g} transactions/s, {self.reads_per_s:,} reads/s"


CASES = (Throttle(700, 150), Throttle(1200, 400), Throttle(2000, 400))


def main() -> int:
    """Runs it."""
    return bench.run(
        "verdict_pgbench", __doc__ or "", _measure, rounds=1, runtime_s=30.0, programs=("mkfs.ext4",)
    )


def _measure(here: bench.Bench) -> list[Aim]:
    cases = [case for case in CASES if here.asked.case in case.name]
    here.describe(
        cases=[case.name for case in cases],
        commands={"assess": _assess_words(here, Path("DEMAND"), Path("FOLDER"))},
    )
    with tempfile.TemporaryDirectory() as made, context(Path(made) / "journal", SystemClock()) as (ctx, _):
        for case in cases:
            here.samples += _case(here, ctx, case, Path(made))
            here.write("samples.json", [vars(sample) for sample in here.samples])
    confirmed = [sample.figures["as_said"] for sample in here.samples]
    here.samples.append(Sample("all", "pgbench", 0, {"confirmed_share": sum(confirmed) / len(confirmed)}))
    return [Aim("all", "confirmed_share", "pgbench", median_min=1.0)]


def _case(here: bench.Bench, ctx: Context, case: Throttle, made: Path) -> list[Sample]:
    place = made / f"{case.reads_per_s}.json"
    with _device() as (folder, device, throttle), embedded.running(ctx, folder) as server:
        pgbench.initialise(ctx, server.url, SCALE, programs=server.programs)
        mean_iops = _take_demand(ctx, server, case, here.asked.runtime_s, place)
        throttle(case.reads_per_s)
        said = _assess(here, place, folder)
        factor = min(said[name] for name in ("headroom", "replay_headroom") if said.get(name) is not None)
        above = max(mix["ci95"][1] for mix in said["mixes"] if mix["ci95"]) / mean_iops
        samples = []
        for name, times in (("below", BELOW * factor), ("above", ABOVE * above)):
            rate = case.transactions_per_s * times
            figures = _drive(ctx, server, device, rate, here.asked.runtime_s)
            held = figures["late_share"] <= LATE_SHARE_MAX
            figures |= {
                "demand_iops": mean_iops,
                "factor": factor,
                "as_said": float(held == (name == "below")),
            }
            samples.append(Sample(f"{case.name}, {name}", "pgbench", 0, figures))
            print(samples[-1], file=sys.stderr, flush=True)
    return samples


@contextmanager
def _device() -> Iterator[tuple[Path, str, Callable[[int], None]]]:
    """A file system on a loop device, its name, and what throttles its reads for this process and all that it starts."""
    with mounted_loop() as (folder, loop), throttled(loop.path.name, FREE_READS_PER_S) as throttle:
        yield folder, loop.path.name, throttle


def _take_demand(ctx: Context, server: embedded.Server, case: Throttle, seconds: float, place: Path) -> float:
    load = pgbench.start(
        ctx, server.url, seconds=seconds + 30, clients=CLIENTS, script="select-only", rate_per_s=case.transactions_per_s,
        programs=server.programs,
    )  # fmt: skip
    try:
        ctx.clock.sleep(2.0)
        with embedded.connected(ctx, server) as connection:
            demand = collect(ctx, connection, seconds)
    finally:
        load.stop()
    write_demand(demand, place)
    mean_iops = None if demand.mean is None else demand.mean.iops
    return mean_iops or bench.fail("the database asked for nothing", "Look at the server's log.")


def _assess_words(here: bench.Bench, demand: Path, folder: Path) -> list[str]:
    return [
        here.asked.plimsoll,
        "assess",
        "--demand",
        str(demand),
        "--target",
        str(folder),
        "--size",
        "256m",
        "--slo",
        SLO,
        "--json",
    ]


def _assess(here: bench.Bench, demand: Path, folder: Path) -> dict[str, Any]:
    environment = {**os.environ, "PLIMSOLL_STORE": str(demand.with_suffix(".sqlite"))}
    words = _assess_words(here, demand, folder)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 5):
        bench.fail(f"assess ended with status {done.returncode}", done.stderr.strip()[-500:])
    (here.folder / f"assess-{demand.stem}.json").write_text(done.stdout)
    return json.loads(done.stdout)["data"]


def _drive(ctx: Context, server: embedded.Server, device: str, rate: float, seconds: float) -> Figures:
    """pgbench at a rate; transactions that are late or were skipped as too late already, and what the device counted."""
    login, user = pgbench.login_of(server.url, Path("/nonexistent")), server.programs.user
    words = [
        str(server.programs.path("pgbench")), f"--client={CLIENTS}", "--jobs=2", "--protocol=prepared", "--no-vacuum",
        "--builtin=select-only", f"--time={seconds:g}", f"--rate={rate:g}", f"--latency-limit={LIMIT_MS:g}", login.words,
    ]  # fmt: skip
    before = _device_reads(device)
    done = subprocess.run(
        words, env=dict(login.environment), capture_output=True, text=True, check=False, cwd="/",
        user=user.user_id if user else None, group=user.group_id if user else None, extra_groups=[] if user else None,
    )  # fmt: skip
    if done.returncode:
        bench.fail("pgbench failed", done.stderr.strip()[-500:])
    processed, skipped, late = (
        _counted(done.stdout, words) for words in ("actually processed: ", "skipped: ", "latency limit: ")
    )
    return {
        "rate_per_s": rate,
        "late_share": (late + skipped) / max(1.0, processed + skipped),
        "device_reads_per_s": (_device_reads(device) - before) / seconds,
        "transactions_per_s": processed / seconds,
    }


def _counted(report: str, words: str) -> int:
    found = re.search(rf"{words}(\d+)", report)
    return int(found[1]) if found else bench.fail(f"pgbench does not say '{words}'", report.strip()[-500:])


def _device_reads(device: str) -> int:
    return int(Path(f"/sys/block/{device}/stat").read_text().split()[0])


if __name__ == "__main__":
    sys.exit(main())

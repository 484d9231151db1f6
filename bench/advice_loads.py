"""Three loads on PostgreSQL whose bound is known, five times each: `plimsoll advise` must name it every time.

Reads of a device that the kernel throttles, commits to one that writes slowly, and work on the CPUs with all data in cache; on
PostgreSQL 18 of the wheel, and once each on Debian's 15.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from advice_changes import LARGE, ONE_ROW, ONE_UPDATE, Step, both, rows, throttled
from kit import bench
from kit.advised import Adviser
from kit.changed_servers import disk, postgres, uncached
from kit.judge import Aim
from kit.rounds import Sample, pack

from databases_fixture import DEBIAN_15, context
from plimsoll.context import Context
from plimsoll.ports.clock import SystemClock

_RUNS = 5


@dataclass(frozen=True)
class Load:
    """A load and what bounds it."""

    verdict: str
    prepare: Step
    script: str
    shared_buffers: str = "256MB"
    clients: int = 8


LOADS = (
    Load("storage-bound", both(rows(LARGE), throttled(riops=1000)), ONE_ROW, "16MB"),
    Load("commit-bound", both(rows(), throttled(wiops=300)), ONE_UPDATE),
    Load("cpu-bound", rows(), "select sum(n), count(distinct filler) from work where id < 3000;", clients=4),
)


def main() -> int:
    """Runs it."""
    return bench.run(
        "advice_loads", __doc__ or "", _measure, rounds=_RUNS, runtime_s=10.0, programs=("mkfs.ext4",)
    )


def _measure(here: bench.Bench) -> list[Aim]:
    raw = here.folder / "raw"
    raw.mkdir()
    here.describe(loads={load.verdict: load.script for load in LOADS})
    with tempfile.TemporaryDirectory() as made, context(Path(made) / "journal", SystemClock()) as (ctx, _):
        adviser = Adviser(here.asked.plimsoll, Path(made) / "store.sqlite", raw, here.asked.runtime_s)
        for load in LOADS:
            for name, binaries, runs in (
                ("postgresql 18", None, here.asked.rounds),
                ("postgresql 15", DEBIAN_15, 1),
            ):
                if here.asked.case in f"{name}, {load.verdict}":
                    here.samples += _of(ctx, adviser, load, name, binaries, runs)
    pack(raw)
    here.write("samples.json", [vars(sample) for sample in here.samples])
    right = [sample.figures["right"] for sample in here.samples]
    here.samples.append(Sample("all", "advise", 0, {"right_share": sum(right) / len(right)}))
    return [Aim("all", "right_share", "advise", median_min=1.0)]


def _of(
    ctx: Context, adviser: Adviser, load: Load, name: str, binaries: Path | None, runs: int
) -> list[Sample]:
    samples = []
    with (
        disk() as beneath,
        postgres(ctx, beneath, {"shared_buffers": load.shared_buffers}, binaries) as server,
    ):
        load.prepare(server)
        if load.verdict == "storage-bound" and binaries is not None:
            server.left.enter_context(uncached(server.server.cluster.data_folder / "base"))
        for number in range(runs):
            watched = adviser.watch(
                f"{name}, {load.verdict}, {number + 1}", server, load.script, load.clients
            )
            said = watched.verdict["verdict"]
            samples.append(
                Sample(f"{name}, {load.verdict}", "advise", number, {"right": float(said == load.verdict)})
            )
            print(samples[-1], said, file=sys.stderr, flush=True)
        server.left.close()
        beneath.throttle()
    return samples


if __name__ == "__main__":
    sys.exit(main())

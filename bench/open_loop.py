"""Latency at a rate: `plimsoll io --rate` beside fio's `--rate_iops`, at 70 % and at 130 % of what the storage can do.

The capacity comes first, from our own closed loop at the same depth. Ours counts from when each I/O was due, and keeps the time
from the submission beside it (`service`), which is what fio reports. Nothing is judged. The table for docs/methods.md is kept as
table.md beside the results.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool, medians
from kit.targets import write_file
from kit.tools import FIO_RING, fio, ours

DEPTH = 32
SHARES = (0.7, 1.3)


def main() -> int:
    """Runs it."""
    return bench.run("open_loop", __doc__ or "", _measure, rounds=5, runtime_s=10)


def _measure(here: bench.Bench) -> list[Aim]:
    rows: list[str] = []

    def measure(place: str, folder: Path) -> list[Aim]:
        cases = _measure_place(here, place, folder / "data")
        rows.extend(_row(here, place, case) for case in cases)
        return [Aim(case.name, "latency_us_p99", "plimsoll", ("fio",)) for case in cases]

    aims = here.on_each_place(here.asked.size_bytes, measure)
    (here.folder / "table.md").write_text(_table(rows))
    return aims


def _measure_place(here: bench.Bench, place: str, file: Path) -> list[Case]:
    write_file(file, here.asked.size_bytes)
    capacity = Case(f"{place}-capacity", (_ours(here.asked, file),))
    rates = [sample.figures["iops"] for sample in here.measure([capacity], f"{place}-capacity")]
    cases = [_case(here.asked, place, file, share, share * statistics.median(rates)) for share in SHARES]
    here.measure(cases, place)
    return cases


def _case(asked: bench.Asked, place: str, file: Path, share: float, rate: float) -> Case:
    per_s = str(round(rate, -2))[:-2]
    their_words = ("--bs=8k", "--rw=randread", f"--iodepth={DEPTH}", *FIO_RING, f"--rate_iops={per_s}")
    return Case(
        f"{place}-{share:.0%}".replace("%", "-percent"),
        (
            _ours(asked, file, "--rate", per_s, "--arrivals", "uniform"),
            fio("fio", file, *their_words, runtime_s=asked.runtime_s),
        ),
    )


def _ours(asked: bench.Asked, file: Path, *more: str) -> Tool:
    shape = ("--rw", "randread", "--block", "8k", "--depth", str(DEPTH), "--engine", "io_uring")
    return ours("plimsoll", asked.plimsoll, file, *shape, *more, runtime_s=asked.runtime_s)


def _row(here: bench.Bench, place: str, case: Case) -> str:
    own, theirs = (medians(here.samples, case.name, tool) for tool in ("plimsoll", "fio"))
    command = case.tools[0].command
    asked = float(command[command.index("--rate") + 1])
    share = case.name.split("-")[1]
    cells = [
        place,
        f"{share} %: {asked:,.0f}",
        f"{theirs['iops']:,.0f}",
        f"{own['iops']:,.0f}",
        _us(theirs["latency_us_p99"]),
        _us(own["service_us_p99"]),
        f"**{_us(own['latency_us_p99'])}**",
    ]
    return f"| {' | '.join(cells)} |"


def _us(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:.3g} s"
    return f"{value / 1e3:.3g} ms" if value >= 1e3 else f"{value:.0f} µs"


def _table(rows: Sequence[str]) -> str:
    heads = (
        "target",
        "asked per s",
        "fio did",
        "Plimsoll did",
        "fio p99",
        "Plimsoll p99 from submission",
        "Plimsoll p99 from when due",
    )
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())

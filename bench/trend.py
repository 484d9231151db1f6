"""Whether trends find what series of known slope, season and step are made of, in 240 series, and how long a year of several takes.

Of each series the last fifth is held out: bands of 90 % have to cover 85 to 95 % of it in the mean, slopes to lie within 5 %, steps
to be found within one point. Each sample holds the shares of 40 series. A year of six series of hours, and one of three databases
by snapshots of ten minutes, from their CSV file to the answer of the command, within 3 s of processor time each.
"""

from __future__ import annotations

import sys

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool

_PYTHON = ".venv/bin/python"
BATCHES, SERIES = 6, 40
COVERED_MIN, COVERED_MAX = 0.85, 0.95
YEAR_CPU_S = 3.0


def main() -> int:
    """Runs it."""
    return bench.run("trend", __doc__ or "", _measure, rounds=1, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    found = [_found(batch) for batch in range(BATCHES)]
    years = [_year("year-of-six", "year"), _year("year-of-snapshots", "snapshots")]
    here.measure(here.wanted([*found, *years]))
    aims = [
        Aim(case.name, name, "plimsoll", median_min=low, median_max=high)
        for case in found
        for name, low, high in (
            ("covered_share", COVERED_MIN, COVERED_MAX),
            ("slope_error_max", None, 0.05),
            ("step_off_max", None, 1.0),
            ("steps_invented_share", None, 0.05),
            ("refused", None, 0.0),
        )
    ]
    return [*aims, *(Aim(year.name, "cpu_s", "plimsoll", median_max=YEAR_CPU_S) for year in years)]


def _year(name: str, what: str) -> Case:
    return Case(name, (Tool("plimsoll", (_PYTHON, "bench/kit/trend_work.py", what), dict),))


def _found(batch: int) -> Case:
    first = batch * SERIES
    command = (_PYTHON, "bench/kit/trend_work.py", "found", str(first), str(first + SERIES))
    return Case(f"series-{first:03d}", (Tool("plimsoll", command, dict),))


if __name__ == "__main__":
    sys.exit(main())

"""What trends find in series of known season, slope and step, or how long a year of several takes: a case of `bench/trend.py`.

`trend_work.py found FIRST LAST` for series of those seeds, `trend_work.py year` for six of hours, `trend_work.py snapshots` for
three of ten minutes; it prints its figures as JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from kit.trend_series import HOUR_S, Made, made, told

_DATABASES, _METRICS, _YEAR_DAYS = 3, 2, 365
_SNAPSHOTS_PER_HOUR = 6
_SNAPSHOT_NOISE = 5.0


def main() -> int:
    """Prints the figures of one case."""
    what, *numbers = sys.argv[1:]
    lines = {"year": _hours, "snapshots": _snapshots}.get(what)
    print(json.dumps(_found(range(*map(int, numbers))) if lines is None else _year(lines())))
    return 0


def _found(seeds: range) -> dict[str, float]:
    found = [told(made(seed)) for seed in seeds]
    return {
        "series": len(found),
        "covered_share": float(np.mean([one.covered_share for one in found])),
        "covered_share_min": min(one.covered_share for one in found),
        "slope_error_max": max(one.slope_error for one in found),
        "step_off_max": max(one.step_off for one in found),
        "steps_invented_share": sum(one.steps_invented for one in found) / len(found),
        "refused": sum(one.refused is not None for one in found),
    }


def _year(lines: Iterator[str]) -> dict[str, float]:
    """From the file to the answer, as a user has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "year.csv"
        path.write_text("\n".join(["time,database,metric,value", *lines, ""]))
        words = ["trend", str(path), "--json", "--store", str(Path(folder) / "runs.sqlite")]
        before, started_s = _cpu_s(), time.monotonic()
        done = subprocess.run([sys.executable, "-m", "plimsoll", *words], capture_output=True, check=True)
        elapsed_s, cpu_s = time.monotonic() - started_s, _cpu_s() - before
    series = json.loads(done.stdout)["data"]["series"]
    return {
        "series": len(series),
        "points": sum(one["points"] for one in series),
        "elapsed_s": elapsed_s,
        "cpu_s": cpu_s,
    }


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _hours() -> Iterator[str]:
    for number in range(_DATABASES * _METRICS):
        database, metric = number % _DATABASES, number // _DATABASES
        one: Made = made(number, days=_YEAR_DAYS)
        for at in np.flatnonzero(one.grid.known).tolist():
            moment = datetime.fromtimestamp(one.grid.time_s(at), UTC).replace(tzinfo=None)
            yield f"{moment.isoformat()},db{database},metric{metric},{one.grid.values[at]:.1f}"


def _snapshots() -> Iterator[str]:
    """Each hour of one metric as snapshots of ten minutes, which differ among themselves."""
    apart_s = HOUR_S // _SNAPSHOTS_PER_HOUR
    for database in range(_DATABASES):
        one, draw = made(database, days=_YEAR_DAYS), np.random.default_rng(database)
        for at in np.flatnonzero(one.grid.known).tolist():
            values = one.grid.values[at] + _SNAPSHOT_NOISE * draw.normal(size=_SNAPSHOTS_PER_HOUR)
            for number, value in enumerate(values):
                moment = datetime.fromtimestamp(one.grid.time_s(at) + number * apart_s, UTC).replace(
                    tzinfo=None
                )
                yield f"{moment.isoformat()},db{database},iops,{value:.1f}"


if __name__ == "__main__":
    sys.exit(main())

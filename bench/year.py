"""A year of snapshots each ten minutes of three databases with 2,000 relations: how long `trend` takes, how large the store is.

All of it goes through the real thinning: each day of each database is written whole, 144 snapshots with a third of the 2,000 rows
each, all of them changed, and thinned as days go by, as a collector does it. That is 158,000 snapshots with 105 million rows, and
the store is never larger than what is left of a year. To fill it takes an hour; `YEAR` names a store that `bench/kit/year_work.py
PLACE 365 667` filled before. A quick run makes twenty days of 200 relations.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool
from kit.year_work import DATABASES, fill

DAYS, RELATIONS = 365, 667
"""Of each database: 2,000 together."""
QUICK_DAYS, QUICK_RELATIONS = 20, 200
TREND_S_MAX = 3.0
MB_PER_DATABASE_MAX = 300.0
"""As docs/demand.md states it."""


def main() -> int:
    """Runs it."""
    return bench.run("year", __doc__ or "", _measure, rounds=5, runtime_s=1, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    is_quick = here.asked.rounds <= 2
    days, relations = (QUICK_DAYS, QUICK_RELATIONS) if is_quick else (DAYS, RELATIONS)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(os.environ.get("YEAR") or Path(folder) / "year.sqlite")
        if not place.exists():
            here.write("filled.json", fill(place, days, relations))
        size = Tool("size", ("stat", "-c", "%s", str(place)), _megabytes)
        series = [word for number in range(DATABASES) for word in ("--snapshots", f"db{number}.example")]
        words = ("trend", *series, "--store", str(place), "--json")
        # With 5 a forecast was refused: the load grows by a share of itself, which is no line.
        trend = Tool("trend", (here.asked.plimsoll, *words), _figures, statuses=(0, 5))
        case = Case(f"{days} days", (trend, size))
        here.measure(here.wanted([case]))
    return [
        Aim(case.name, "wall_s", "trend", median_max=TREND_S_MAX),
        Aim(case.name, "mb_per_database", "size", median_max=MB_PER_DATABASE_MAX),
    ]


def _megabytes(size_bytes: Any) -> Figures:
    return {"mb_per_database": float(size_bytes) / 1e6 / DATABASES}


def _figures(said: Any) -> Figures:
    series = said["data"]["series"]
    return {"series": float(len(series)), "points": float(sum(one["points"] for one in series))}


if __name__ == "__main__":
    sys.exit(main())

"""Advice on a hundred reports of a megabyte: what it takes of CPU time beyond reading them, on one core.

The reports are made by the tests' generator. Real ones in the folder that PLIMSOLL_CORPUS names are a case of their own, with the
seconds of a hundred of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool

COUNT, COUNT_QUICK = 100, 4
ROWS = 112
"""Of each section: a megabyte of HTML."""
BEYOND_S_MAX = 2.0
_PYTHON = ".venv/bin/python"


def main() -> int:
    """Runs it."""
    return bench.run("advise", __doc__ or "", _measure, rounds=5, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir="/var/tmp") as made:
        folder = Path(made) / "reports"
        _make(folder, COUNT_QUICK if here.asked.runtime_s < 2 else COUNT)
        cases = [_case("made", folder)]
        corpus = os.environ.get("PLIMSOLL_CORPUS")
        if corpus is None:
            here.left_out["corpus"] = "PLIMSOLL_CORPUS names no folder of real reports"
        else:
            cases.append(_case("corpus", Path(os.path.relpath(corpus))))
        cases = here.wanted(cases)
        here.measure(cases, "advise")
        return [aim for case in cases for aim in _aims(case.name)]


def _make(folder: Path, count: int) -> None:
    command = [sys.executable, "-m", "reportgen", folder, "--count", str(count), "--rows", str(ROWS)]
    environment = {**os.environ, "PYTHONPATH": str(bench.ROOT / "tests")}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)


def _case(name: str, folder: Path) -> Case:
    return Case(name, (Tool("plimsoll", (_PYTHON, "bench/kit/advise_files.py", str(folder)), _figures),))


def _figures(said: dict[str, float]) -> Figures:
    return {name: said[name] for name in ("beyond_s", "read_s", "mb_each", "findings_each")}


def _aims(case: str) -> list[Aim]:
    return [
        Aim(case, "beyond_s", "plimsoll", median_max=BEYOND_S_MAX),
        Aim(case, "read_s", "plimsoll"),
        Aim(case, "mb_each", "plimsoll"),
    ]


if __name__ == "__main__":
    sys.exit(main())

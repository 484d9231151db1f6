"""Reading reports: AWR HTML and text to typed tables on one core and on two, beside lxml and selectolax, which read the cells' text
of the same HTML and nothing more; and a folder of thousands of reports in one run with its peak memory.

The reports are made by the tests' generator. Real ones in the folder that PLIMSOLL_CORPUS names are cases of their own.
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

HTML_MB_PER_S_MIN = 300.0
TEXT_MB_PER_S_MIN = 200.0
TWO_CORES_RATIO_MIN = 1.8
PEAK_BYTES_MAX = 500e6
FOLDER_COUNT, FOLDER_COUNT_QUICK = 5000, 200
MADE_COUNT, MADE_ROWS = 288, 50
FORMS = {"html": (".html",), "text": (".txt", ".lst")}
OTHERS = ("lxml", "selectolax")
MADE_READ = 6
READ_IN_PART = 5
_PYTHON = ".venv/bin/python"


def main() -> int:
    """Runs it."""
    return bench.run("reports", __doc__ or "", _measure, rounds=7, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir="/var/tmp") as made:
        few, many = Path(made) / "few", Path(made) / "many"
        _make(few, MADE_COUNT, MADE_ROWS)
        cases = [_case(here.asked, f"{form}-made", form, few) for form in FORMS]
        corpus = os.environ.get("PLIMSOLL_CORPUS")
        # Commands are kept as anybody can repeat them, from the root of the project.
        corpus = corpus and os.path.relpath(corpus)
        if corpus is None:
            here.left_out["corpus"] = "PLIMSOLL_CORPUS names no folder of real reports"
        else:
            cases += [_case(here.asked, f"{form}-corpus", form, Path(corpus)) for form in FORMS]
        cases = here.wanted(cases)
        here.measure(cases, "files")
        aims = [aim for case in cases for aim in _aims(case.name)]
        folders = here.wanted([_folder_case(here.asked, many)])
        if folders:
            quick = here.asked.runtime_s < 2
            _make(many, FOLDER_COUNT_QUICK if quick else FOLDER_COUNT, rows=20)
            here.measure(folders, "folder")
            aims += [Aim("folder", "peak_bytes", "plimsoll", median_max=PEAK_BYTES_MAX)]
        return aims


def _make(folder: Path, count: int, rows: int) -> None:
    command = [sys.executable, "-m", "reportgen", folder, "--count", str(count), "--rows", str(rows)]
    environment = {**os.environ, "PYTHONPATH": str(bench.ROOT / "tests")}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)


def _case(asked: bench.Asked, name: str, form: str, folder: Path) -> Case:
    found = sorted(path for path in folder.rglob("*") if path.suffix in FORMS[form] and _is_read(path))
    # Of made reports those of one database differ in names and times alone.
    files = [str(path) for path in (found[:: max(1, len(found) // MADE_READ)] if "made" in name else found)]

    def tool(reader: str, threads: int, shown: str) -> Tool:
        words = ("bench/kit/read_files.py", reader, str(threads), f"{asked.runtime_s:g}", *files)
        return Tool(shown, (_PYTHON, *words), _figures)

    ours = (tool("plimsoll", 1, "plimsoll"), tool("plimsoll", 2, "plimsoll-2"))
    others = tuple(tool(name, 1, name) for name in OTHERS) if form == "html" else ()
    return Case(name, (*ours, *others))


def _is_read(path: Path) -> bool:
    """AWR and Statspack; the corpus holds others beside them."""
    return path.parent.name != "other"


def _figures(said: dict[str, float]) -> Figures:
    return {"mb_per_s": said["mb_per_s"], "passes": said["passes"]}


def _folder_case(asked: bench.Asked, folder: Path) -> Case:
    out = str(folder.parent / "out")
    command = (asked.plimsoll, "read", str(folder), "--out", out)

    def figures(_: str) -> Figures:
        return {"bytes": float(sum(path.stat().st_size for path in folder.iterdir()))}

    return Case("folder", (Tool("plimsoll", command, figures, statuses=(0, READ_IN_PART), said=str),))


def _aims(case: str) -> list[Aim]:
    rate_min = HTML_MB_PER_S_MIN if case.startswith("html") else TEXT_MB_PER_S_MIN
    aims = [
        Aim(case, "mb_per_s", "plimsoll", median_min=rate_min),
        Aim(case, "mb_per_s", "plimsoll-2", ("plimsoll",), median_min=TWO_CORES_RATIO_MIN),
    ]
    beside = [Aim(case, "mb_per_s", "plimsoll", (other,)) for other in OTHERS]
    return aims + (beside if case.startswith("html") else [])


if __name__ == "__main__":
    sys.exit(main())

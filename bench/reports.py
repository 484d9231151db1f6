"""Reading reports: AWR HTML and text to typed tables on one core and on two, beside lxml and selectolax, which read the cells' text
of the same HTML and nothing more; a folder of thousands of reports in one run with its peak memory; and 320 MB of reports by the
whole command, with and without its tables as Parquet, beside the parser alone on the same files.

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
COMMAND_BYTES, COMMAND_BYTES_QUICK = 320e6, 20e6
OUT_MB_PER_S_MIN = 150.0
OUT_PEAK_BYTES_MAX = 300e6
COMMAND_RATIO_MIN = 0.8
"""Of the command without output to the parser alone."""
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
        commands = here.wanted(
            [_command_case(here.asked, few if corpus is None else Path(corpus), Path(made))]
        )
        if commands:
            here.measure(commands, "command")
            aims += _command_aims()
        return aims


def _copied(source: Path, folder: Path, size_bytes: float) -> float:
    """The reports of `source` over and over until they are so many bytes, no two alike; returns how many."""
    folder.mkdir()
    suffixes = tuple(suffix for form in FORMS.values() for suffix in form)
    found = sorted(path for path in source.rglob("*") if path.suffix in suffixes and _is_read(path))
    size, number = 0, 0
    while size < size_bytes:
        path = found[number % len(found)]
        content = path.read_bytes() + b"\n" * (1 + number // len(found))
        (folder / f"{number:05}{path.suffix}").write_bytes(content)
        size, number = size + len(content), number + 1
    return size


def _command_case(asked: bench.Asked, source: Path, made: Path) -> Case:
    folder, out = made / "copies", made / "tables"
    size = _copied(source, folder, COMMAND_BYTES_QUICK if asked.runtime_s < 2 else COMMAND_BYTES)
    read = (asked.plimsoll, "read", str(folder))

    def command(name: str, *words: str) -> Tool:
        return Tool(
            name, (*read, *words), lambda _: {}, statuses=(0, READ_IN_PART), said=str, input_bytes=size
        )

    files = sorted(str(path) for path in folder.iterdir())
    words = ("bench/kit/read_files.py", "plimsoll", "2", f"{asked.runtime_s:g}", *files)
    parser = Tool("parser-2", (_PYTHON, *words), _figures)
    return Case("command", (command("out", "--out", str(out)), command("none"), parser))


def _command_aims() -> list[Aim]:
    return [
        Aim("command", "mb_per_s", "out", median_min=OUT_MB_PER_S_MIN),
        Aim("command", "peak_bytes", "out", median_max=OUT_PEAK_BYTES_MAX),
        Aim("command", "mb_per_s", "none", ("parser-2",), median_min=COMMAND_RATIO_MIN),
    ]


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

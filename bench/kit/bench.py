"""The frame of a benchmark: its options, its folder under bench/runs, and how it ends.

Exit status: 0 all aims are met; 1 one is missed; 4 a program failed, or nothing could be measured.
"""

from __future__ import annotations

import argparse
import compileall
import datetime
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from kit.judge import Aim, judge
from kit.rounds import Case, Sample, ToolFailed, run_rounds
from kit.targets import CannotMake, folder_on

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Asked:
    """How long to measure. A quick run shows that the benchmark works; its figures mean nothing."""

    rounds: int
    runtime_s: float
    size_bytes: int
    plimsoll: str
    out: Path
    places: tuple[str, ...]
    case: str = ""
    """Only cases whose name has this in it."""
    scale: float = 1.0
    """Of TPC-H's data, in gigabytes, for a benchmark that loads them."""


@dataclass
class Bench:
    """One benchmark under way. `left_out` says what could not be measured here, and why."""

    name: str
    asked: Asked
    folder: Path
    left_out: dict[str, str] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    commands: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def measure(self, cases: Sequence[Case], part: str = "") -> list[Sample]:
        """Rounds over the cases; several parts of a benchmark get folders of their own."""
        self.commands |= {
            case.name: {tool.name: [_from_root(word) for word in tool.command] for tool in case.tools}
            for case in cases
        }
        self.describe(commands=self.commands)
        folder = self.folder / part
        folder.mkdir(exist_ok=True)
        try:
            made = run_rounds(cases, self.asked.rounds, folder)
        except ToolFailed as error:
            fail(str(error), f"Look at {folder}/stderr.log.")
        self.samples += made
        return made

    def describe(self, **what: object) -> None:
        """Keeps what was run, and on which machine."""
        self.write("setup.json", {**what, "left_out": self.left_out, **_host(self.asked)})

    def wanted(self, cases: Sequence[Case]) -> list[Case]:
        """The cases that were asked for: all of them, or those with the word of `--case` in their name."""
        return [case for case in cases if self.asked.case in case.name]

    def on_each_place(self, size_bytes: int, measure: Callable[[str, Path], Sequence[Aim]]) -> list[Aim]:
        """`measure` on each place that was asked for, in a folder with so much room; places that cannot be made are left out."""
        aims: list[Aim] = []
        for place in self.asked.places:
            try:
                with folder_on(place, size_bytes) as folder:
                    aims += measure(place, folder)
            except CannotMake as reason:
                self.left_out[place] = str(reason)
        return aims

    def write(self, name: str, value: object) -> None:
        """Keeps JSON that people can read as well."""
        (self.folder / name).write_text(json.dumps(value, indent=2) + "\n")


def _from_root(word: str) -> str:
    """A path as anybody can repeat it from the project's root; a folder that a variable named is called by the variable."""
    for variable in ("REPORTS", "OTHER", "FIO"):
        named = os.environ.get(variable)
        word = f"${variable}" if named and word == named else word
    return word.replace(f"{ROOT}/", "")


def run(
    name: str,
    doc: str,
    body: Callable[[Bench], Sequence[Aim]],
    rounds: int,
    runtime_s: float,
    programs: Sequence[str] = ("fio",),
) -> int:
    """Runs a benchmark: `body` measures and returns the aims; this keeps and prints the result. Needs `programs`."""
    asked = _arguments(doc, rounds, runtime_s, programs)
    # A wish to end takes back mounts and loop devices as an error does.
    signal.signal(signal.SIGTERM, _end)
    # As an installed package is: Python shall not read our sources anew at each start.
    compileall.compile_dir(ROOT / "python", quiet=1)
    bench = Bench(name, asked, _new_folder(asked.out, name))
    aims = body(bench)
    if not bench.samples:
        fail("nothing could be measured", "; ".join(bench.left_out.values()))
    verdict = {**judge(bench.samples, aims), "left_out": bench.left_out}
    bench.write("result.json", verdict)
    print(json.dumps(verdict, indent=2))
    return 0 if verdict["met"] else 1


def fail(reason: str, hint: str) -> NoReturn:
    """Ends the program as the command line's contract asks: one line, a hint, exit status 4."""
    print(f"error: {reason}\nhint: {hint}", file=sys.stderr)
    raise SystemExit(4)


def _arguments(doc: str, rounds: int, runtime_s: float, programs: Sequence[str]) -> Asked:
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="see that it works; the figures mean nothing")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--runtime", type=float, default=runtime_s, help="seconds of each run")
    parser.add_argument("--size", type=int, default=1024, help="MiB of each file")
    parser.add_argument("--place", choices=("disk", "loop"), action="append", help="default: both")
    parser.add_argument("--case", default="", help="only cases whose name has this in it, such as uring-32")
    parser.add_argument("--scale", type=float, default=0.3, help="of TPC-H's data, where they are loaded")
    parser.add_argument("--plimsoll", default=".venv/bin/plimsoll", help="path from the project's root")
    parser.add_argument("--out", type=Path, default=ROOT / "bench/runs")
    asked = parser.parse_args()
    os.chdir(ROOT)  # so that commands are recorded as anybody can repeat them
    for program in (asked.plimsoll, *programs):
        if shutil.which(program) is None:
            fail(f"there is no program {program}", "Run make build; fio is Debian's package fio.")
    quick = asked.quick
    return Asked(
        rounds=2 if quick else asked.rounds,
        runtime_s=1.0 if quick else asked.runtime,
        size_bytes=(128 if quick else asked.size) << 20,
        plimsoll=asked.plimsoll,
        out=asked.out,
        places=tuple(asked.place or ("disk", "loop")),
        case=asked.case,
        scale=0.01 if quick else asked.scale,
    )


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _new_folder(parent: Path, name: str) -> Path:
    """A folder named for the day and what is measured; a second run of a day gets a number."""
    begin = f"{datetime.datetime.now(datetime.UTC).date().isoformat()}-{name.replace('_', '-')}"
    number = 1
    while True:
        folder = parent / (begin if number == 1 else f"{begin}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder


def _host(asked: Asked) -> dict[str, Any]:
    """What a reader needs to know of the machine and the programs."""
    return {
        "rounds": asked.rounds,
        "runtime_s": asked.runtime_s,
        "size_bytes": asked.size_bytes,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "processor": _processor(),
        "load_before": os.getloadavg(),
        "local_file_system": _words(["findmnt", "-no", "SOURCE,FSTYPE,OPTIONS", "-T", "/var/tmp"]),
        "plimsoll": _words([asked.plimsoll, "--version"]),
        "fio": _words([os.environ.get("FIO", "fio"), "--version"]),
        "commit": _words(["git", "-C", str(ROOT), "rev-parse", "HEAD"]),
    }


def _processor() -> str | None:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), None)


def _words(command: list[str]) -> str | None:
    """What a program says, or None where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None

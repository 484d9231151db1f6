"""This build beside another one of ours, command by command in turn: what a change of structure cost or gave.

`OTHER` names the other build's command; without it this build runs beside itself, which shows how far apart two equal things lie
on this machine. `REPORTS` names a folder of reports to read. Figures: the whole command's time and processor time, and for `io` the
processor time per I/O. Each build has a store of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool
from kit.tools import ours

HIGHER_MAX = 1.1
"""Two equal builds lie within it."""
_REPORTS = Path(os.environ.get("REPORTS", ""))


def main() -> int:
    """Runs it."""
    return bench.run("two_builds", __doc__ or "", _measure, rounds=9, runtime_s=2, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    builds = {"this": here.asked.plimsoll, "other": os.environ.get("OTHER", here.asked.plimsoll)}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "read.dat"
        target.write_bytes(os.urandom(min(here.asked.size_bytes, 256 << 20)))
        words = {
            "help": ("--help",),
            "line-help": ("line", "--help"),
            "line-simulated": ("line", "sim:mean=100us", "--seed", "1", "--json"),
        }
        if _REPORTS.name:
            words["read"] = ("read", str(_REPORTS), "--json")
        else:
            here.left_out["read"] = "REPORTS= names no folder of reports"
        whole = [_whole(name, builds, own) for name, own in words.items()]
        engines = [
            _engine(name, builds, str(place), engine, here.asked.runtime_s)
            for name, place, engine in (
                ("null", "sim:", "null"),
                ("psync", target, "psync"),
                ("io_uring", target, "io_uring"),
            )
        ]
        cases = [_apart(case, Path(folder)) for case in here.wanted([*whole, *engines])]
        here.measure(cases)
    return [
        Aim(case.name, figure, "this", ("other",), median_max=HIGHER_MAX)
        for case in cases
        for figure in (("cpu_us_per_io",) if case.tools[0].brief else ("wall_s", "cpu_s"))
    ]


def _apart(case: Case, folder: Path) -> Case:
    """Each build with a store of its own: they need not know each other's."""

    def own(tool: Tool) -> Tool:
        before = ("env", f"PLIMSOLL_STORE={folder / tool.name}.sqlite")
        brief = (*before, *tool.brief) if tool.brief else ()
        return replace(tool, command=(*before, *tool.command), brief=brief)

    return replace(case, tools=tuple(map(own, case.tools)))


def _whole(name: str, builds: dict[str, str], words: tuple[str, ...]) -> Case:
    tools = [
        Tool(build, (command, *words), _nothing, statuses=(0, 1, 5), said=str)
        for build, command in builds.items()
    ]
    return Case(name, tuple(tools))


def _nothing(said: str) -> Figures:
    return {"printed_bytes": float(len(said))}


def _engine(name: str, builds: dict[str, str], place: str, engine: str, runtime_s: float) -> Case:
    words = (
        "--rw",
        "randread",
        "--block",
        "8k",
        "--depth",
        "32",
        "--engine",
        engine,
        *(() if place == "sim:" else ("--no-direct",)),
    )
    return Case(
        name,
        tuple(ours(build, command, place, *words, runtime_s=runtime_s) for build, command in builds.items()),
    )


if __name__ == "__main__":
    sys.exit(main())

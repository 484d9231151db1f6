"""How soon the command line answers: the whole time of a process, from its start to its end, with Python's own start in it.

`--help` and `host show` within 0.15 s, a verb's help and what a shell completes within 0.3 s, `import plimsoll` within 0.1 s. Of
`host show`, which does its work and stores it, processor time is told too, as a multiple of what Python takes to do nothing: that
says the same on a busy machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Tool

_PYTHON = ".venv/bin/python"
HELP_S, VERB_S, IMPORT_S, HOST_S = 0.15, 0.3, 0.1, 0.15
_HOST = "host-show"
_NOTHING = (_PYTHON, "-c", "pass")
VERBS = ("io", "calibrate", "prove slob", "store list")
COMPLETED = {
    "verbs": ("",),
    "options": ("io", "sim:", "--"),
    "database": ("assess", "--database", ""),
    "engine": ("io", "sim:", "--engine", ""),
    "runs": ("report", ""),
}


def main() -> int:
    """Runs it."""
    return bench.run("startup", __doc__ or "", _measure, rounds=25, runtime_s=5, programs=())


def _measure(here: bench.Bench) -> list[Aim]:
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir="/var/tmp") as made:
        store = Path(made) / "store.sqlite"
        subprocess.run(
            [_PYTHON, "bench/kit/store_work.py", "insert", str(store)], check=True, stdout=sys.stderr
        )
        limits = _limits(here.asked, store)
        cases = here.wanted([Case(name, _tools(name, command)) for name, (command, _) in limits.items()])
        here.measure(cases)
    aims = [Aim(case.name, "wall_s", "plimsoll", median_max=limits[case.name][1]) for case in cases]
    beside = [case.name for case in cases if case.name == _HOST]
    return [
        *aims,
        *(Aim(name, figure, "plimsoll", ("python",)) for name in beside for figure in ("cpu_s", "wall_s")),
    ]


def _tools(name: str, command: tuple[str, ...]) -> tuple[Tool, ...]:
    if name != _HOST:
        return (_shown(command),)
    return (_shown(command, (0, 5)), Tool("python", _NOTHING, lambda _: {}, said=str))


def _limits(asked: bench.Asked, store: Path) -> dict[str, tuple[tuple[str, ...], float]]:
    """Each command by its case, and how long it may take."""
    found = {
        "python": (_NOTHING, IMPORT_S),
        "import": ((_PYTHON, "-c", "import plimsoll"), IMPORT_S),
        "help": ((asked.plimsoll, "--help"), HELP_S),
        "version": ((asked.plimsoll, "--version"), HELP_S),
        _HOST: ((asked.plimsoll, "host", "show", "--json", "--store", str(store)), HOST_S),
    }
    for verb in VERBS:
        found[f"help-{verb.replace(' ', '-')}"] = ((asked.plimsoll, *verb.split(), "--help"), VERB_S)
    for name, words in COMPLETED.items():
        found[f"complete-{name}"] = ((asked.plimsoll, "--complete", *_in_store(words, store)), VERB_S)
    return found


def _in_store(words: Sequence[str], store: Path) -> tuple[str, ...]:
    return (*words[:-1], "--store", str(store), words[-1]) if words[0] == "report" else tuple(words)


def _shown(command: tuple[str, ...], statuses: tuple[int, ...] = (0,)) -> Tool:
    """5 is that of a host whose kernel leaves something out."""
    return Tool("plimsoll", command, lambda _: {}, statuses=statuses, said=str)


if __name__ == "__main__":
    sys.exit(main())

"""Compiles the tests of the crates, and runs their programs beside each other: cargo runs one after the other, and most wait.
Those that count what the whole machine does run by themselves, when the others have ended.

What a program says is printed when it has ended, whole. One that fails, or that a signal ends, fails the run and is named last.
The words of this script go to cargo, as in `cargo test`; run by scripts/test.sh.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

FIRST = ("nfs", "engine")
"""Crates whose tests take longest: theirs begin first."""
ALONE = ("observe",)
"""Crates whose tests count I/Os of the machine: those of other tests take the room of theirs."""

_CPUS = os.cpu_count() or 1
THREADS = 3 * _CPUS
"""Tests of a program at once. Those that take long wait: 75 of the client of NFS take 2 s of CPU time and 27 s in two threads."""


class Program(NamedTuple):
    """The tests of a crate's library, or of one file of its folder `tests`."""

    crate: Path
    """Its folder, which is where cargo would run it."""
    name: str
    path: Path


class Ended(NamedTuple):
    """How a program ended, and what it said."""

    program: Program
    status: int
    said: str


def main(words: Sequence[str]) -> int:
    """The exit status: that of cargo where it cannot compile, else 0 when all programs ended well."""
    asked = ["cargo", "test", *words, "--no-run", "--message-format=json-render-diagnostics"]
    compiled = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=False)
    if compiled.returncode:
        return compiled.returncode
    found = programs(compiled.stdout)
    if not found:
        print("error: cargo named no program of tests", file=sys.stderr)
        return 1
    return run_all(found)


def programs(messages: str) -> list[Program]:
    """Those that cargo's messages name, in the order in which to begin them."""
    told = [json.loads(line) for line in messages.splitlines() if line.startswith("{")]
    found = [
        Program(Path(one["manifest_path"]).parent, one["target"]["name"], Path(one["executable"]))
        for one in told
        if one["reason"] == "compiler-artifact" and one["profile"]["test"] and one["executable"]
    ]
    return sorted(
        found, key=lambda one: FIRST.index(one.crate.name) if one.crate.name in FIRST else len(FIRST)
    )


def run_all(found: Sequence[Program]) -> int:
    """Runs them, some more at once than there are processors; 1 if one of them failed."""
    together = [one for one in found if one.crate.name not in ALONE]
    failed = []
    with ThreadPoolExecutor(_CPUS + 1) as pool:
        failed += _failed(pool.map(_run, together))
    os.sync()  # or what the others wrote would come to the disk meanwhile
    failed += _failed(map(_run, (one for one in found if one.crate.name in ALONE)))
    if failed:
        print(f"error: rust tests failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _failed(ends: Iterable[Ended]) -> Iterator[str]:
    """Prints what each said, and names those that failed."""
    for ended in ends:
        name = f"{ended.program.crate.name}: {ended.program.name}"
        print(f"== {name}", ended.said.strip("\n"), sep="\n", flush=True)
        if ended.status:
            yield f"{name} ({_told(ended.status)})"


def _run(program: Program) -> Ended:
    threads = _CPUS if program.crate.name in ALONE else THREADS
    done = subprocess.run(
        [program.path, "--quiet", f"--test-threads={threads}"],
        cwd=program.crate,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return Ended(program, done.returncode, done.stdout)


def _told(status: int) -> str:
    return f"ended by signal {-status}" if status < 0 else f"exit status {status}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Not a test: in the guest, behind `tests/killed_slices.py`, kills commands on slices at many points, and prints what it saw."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from killed_slices import work

TOP = Path("/sys/fs/cgroup")
SEED = 23
WORDS = ("--journal", "/srv/journal")
REVERT = ("revert",)
UNITS = Path("/etc/systemd/system")
FILES = ("cpuset.cpus", "cpuset.mems", "memory.max", "io.max", "io.weight", "cpuset.cpus.partition")


def state(way: str) -> list[str]:
    """All that slices change, but for disks that are shared by what I/O costs, of which the kernel keeps a line."""
    groups = sorted(TOP.glob("plimsoll*"))
    told = [f"{group.name}/{name}: {_said(group / name)}" for group in groups for name in FILES]
    pages = sorted(Path("/sys/devices/system/node").glob("node*/hugepages/hugepages-2048kB/nr_hugepages"))
    shared = [TOP / "cpuset.cpus.effective", *pages]
    # Which controllers the top passes on is systemd's affair where it makes slices, and it takes its time.
    shared += [] if way == "systemd" else [TOP / "cgroup.subtree_control"]
    units = [str(path) for path in sorted(UNITS.rglob("*plimsoll*"))]
    return [*told, *(f"{path}: {_said(path)}" for path in shared), *units]


def _said(path: Path) -> str:
    """Controllers come and go with what systemd has been told of them."""
    return path.read_text() if path.exists() else ""


def run(at: int, *words: str) -> str:
    """What the command said, up to its kill."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        work(str(at), "host", "slice", *words, *WORDS)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        text = said.read()
    os.waitpid(child, 0)
    return text


def main(way: str, kills: int) -> None:
    """Prints each point at which something was not as it should be, and how many were in the middle."""
    apply = ("apply", "/srv/plan.json", "--way", way)
    before = state(way)
    steps = int(run(0, *apply).split()[-1])
    whole = state(way)
    run(0, *REVERT)
    wrong = [] if state(way) == before else ["the first revert"]
    half = 0
    for number, at in enumerate(random.Random(SEED).sample(range(1, steps + 1), kills)):
        run(at, *apply)
        half += state(way) not in (before, whole)
        if number % 2:
            said = run(0, *apply)
            wrong += [] if state(way) == whole else [f"apply after a kill at {at}: {said}"]
        said = run(0, *REVERT)
        wrong += [] if state(way) == before else [f"revert after a kill at {at}: {said}"]
    print(json.dumps({"steps": steps, "groups": len(whole) - len(before), "half": half, "wrong": wrong}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

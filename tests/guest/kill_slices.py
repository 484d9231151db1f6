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
WORDS = ("--journal", "/root/journal")
APPLY, REVERT = ("apply", "/root/plan.json", "--way", "cgroup-v2"), ("revert",)
FILES = ("cpuset.cpus", "cpuset.mems", "memory.max", "io.max", "io.weight", "cpuset.cpus.partition")


def state() -> list[str]:
    """All that slices change, but for disks that are shared by what I/O costs, of which the kernel keeps a line."""
    groups = sorted(TOP.glob("plimsoll-*"))
    told = [f"{group.name}/{name}: {(group / name).read_text()}" for group in groups for name in FILES]
    pages = sorted(Path("/sys/devices/system/node").glob("node*/hugepages/hugepages-2048kB/nr_hugepages"))
    shared = (TOP / "cgroup.subtree_control", TOP / "cpuset.cpus.effective", *pages)
    return [*told, *(f"{path}: {path.read_text()}" for path in shared)]


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


def main(kills: int) -> None:
    """Prints each point at which something was not as it should be, and how many were in the middle."""
    before = state()
    steps = int(run(0, *APPLY).split()[-1])
    whole = state()
    run(0, *REVERT)
    wrong = [] if state() == before else ["the first revert"]
    half = 0
    for number, at in enumerate(random.Random(SEED).sample(range(1, steps + 1), kills)):
        run(at, *APPLY)
        half += state() not in (before, whole)
        if number % 2:
            run(0, *APPLY)
            wrong += [] if state() == whole else [f"apply after a kill at {at}"]
        run(0, *REVERT)
        wrong += [] if state() == before else [f"revert after a kill at {at}"]
    print(json.dumps({"steps": steps, "groups": len(whole) - len(before), "half": half, "wrong": wrong}))


if __name__ == "__main__":
    main(int(sys.argv[1]))

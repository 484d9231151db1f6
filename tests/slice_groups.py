"""Plans of slices for the host of the tests, whose control groups of version 1 are real, and what is left of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from plimsoll.facts import HostSlice, SliceDevice, SliceMemory, SlicePlan
from plimsoll.host.database_servers import server_processes
from sliced_hosts import GIB, database, plan

TOP = Path("/sys/fs/cgroup")
CONTROLLERS = ("cpuset", "memory", "blkio")


def require_groups() -> None:
    """Skips the test where groups of version 1 cannot be made."""
    missing = [name for name in CONTROLLERS if not (TOP / name / "tasks").exists()]
    if missing:
        pytest.skip(f"no control groups of version 1 with {', '.join(missing)}")
    if not os.access(TOP / "cpuset", os.W_OK):
        pytest.skip("control groups cannot be made by this account")


def names_of_test() -> Iterator[str]:
    """How names of slices of a test begin; none of its groups is left behind."""
    require_groups()
    start = f"t{os.getpid()}"
    yield start
    for controller in CONTROLLERS:
        for group in (TOP / controller).glob(f"plimsoll-{start}-*"):
            for one in (*group.glob("*/"), group):
                for process in (one / "cgroup.procs").read_text().split():
                    (TOP / controller / "cgroup.procs").write_text(process)
                one.rmdir()


def put_server(folders: list[Path], leader: int) -> None:
    """A server with all of its processes into groups; those that it starts meanwhile are found the second time."""
    for _ in range(2):
        for folder in folders:
            for process in server_processes(leader):
                with suppress(ProcessLookupError):
                    (folder / "cgroup.procs").write_text(str(process))


def a_disk() -> str | None:
    """Whichever this host has; loop devices without a file have no size."""
    disks = (path.parent for path in sorted(Path("/sys/block").glob("*/size")) if path.read_text() != "0\n")
    return next((disk.name for disk in disks if Path("/dev", disk.name).is_block_device()), None)


def two_slices(start: str, **more: object) -> SlicePlan:
    """Two databases on a CPU of this host each, or both on its only one, with memory of its first node."""
    cpus = sorted(os.sched_getaffinity(0))
    node = int((TOP / "cpuset" / "cpuset.effective_mems").read_text().split("-")[0].split(",")[0])
    memory = (SliceMemory(node=node, memory_bytes=GIB),)
    disk = a_disk()
    devices = () if disk is None else (SliceDevice(name=disk, node=None, distance=None),)
    told = {"memory": memory, "account": "root", "iops": 500.0, "devices": devices, **more}
    first: HostSlice = database(f"{start}-a", (cpus[0],), **told)
    second = database(f"{start}-b.c", (cpus[-1],), memory=memory)
    return plan(first, second, free=())


def plan_file(folder: Path, found: SlicePlan) -> str:
    """As `--json` prints it."""
    path = folder / "plan.json"
    path.write_text(json.dumps({"kind": "host-slice-plan", "data": found.model_dump(mode="json")}))
    return str(path)


def listed(start: str) -> dict[str, str]:
    """Each group of the test with what it is told."""
    files = ("cpuset.cpus", "cpuset.mems", "memory.limit_in_bytes", "blkio.throttle.read_iops_device")
    found: dict[str, str] = {}
    for controller in CONTROLLERS:
        for group in sorted((TOP / controller).glob(f"plimsoll-{start}-*")):
            told = [(group / name).read_text().strip() for name in files if (group / name).exists()]
            found[str(group.relative_to(TOP))] = "; ".join(told)
    return found


def all_groups() -> list[str]:
    """All groups of the host below the tops, whosever they are."""
    return sorted(str(group) for name in CONTROLLERS for group in (TOP / name).glob("*/"))

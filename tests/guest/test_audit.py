"""`plimsoll host audit` on a kernel with nodes: a process with CPUs of one node and memory of another, by its control group or by
its memory policy alone, and one at home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guest_machine import INSIDE, Guest, Machine, Node

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

COMMAND_S = 240.0
TOP = "/sys/fs/cgroup"
_WORK = "import time; m = bytearray(b'x' * (32 << 20)); print('ready', flush=True); time.sleep(3600)"


@pytest.fixture(scope="module")
def machine(packages: Path) -> Iterator[Guest]:
    """Two nodes, each a package of two CPUs."""
    nodes = (Node("0-1", 768), Node("2-3", 512))
    made = Machine(cpus=4, sockets=2, nodes=nodes, distances={(0, 1): 16, (1, 0): 16}, disks=(packages,))
    with Guest(made) as guest:
        guest.said(f"mkdir -p {INSIDE} && mount -o ro {guest.disk(0)} {INSIDE}")
        guest.said(f"echo +cpuset > {TOP}/cgroup.subtree_control")
        guest.said("echo 1 > /proc/sys/kernel/numa_balancing")
        guest.put("/srv/work.py", _WORK.encode())
        yield guest


def _start(guest: Guest, name: str, words: str, before: str = "true") -> int:
    """A process that is ready; its number."""
    guest.said(
        f"({before} && exec {words} python3 /srv/work.py) > /srv/{name} 2>&1 & echo $! > /srv/{name}.pid"
    )
    guest.said(f"until grep -q ready /srv/{name}; do sleep 0.2; done", timeout_s=120)
    return int(guest.said(f"cat /srv/{name}.pid"))


def _group(guest: Guest, name: str, cpus: str, mems: str) -> str:
    """What puts a shell into a new group."""
    folder = f"{TOP}/{name}"
    guest.said(f"mkdir {folder} && echo {cpus} > {folder}/cpuset.cpus && echo {mems} > {folder}/cpuset.mems")
    return f"echo 0 > {folder}/cgroup.procs"


def _audit(guest: Guest, *processes: int) -> tuple[int, list[dict[str, Any]]]:
    pids = " ".join(f"--pid {one}" for one in processes)
    command = f"cd /srv && PYTHONPATH={INSIDE} python3 -m plimsoll host audit {pids} --store /srv/runs.sqlite --json"
    done = guest.run(command, timeout_s=COMMAND_S)
    return done.status, json.loads(done.text)["data"]["findings"]


def _of(found: list[dict[str, Any]], process: int) -> list[tuple[str, str]]:
    return [
        (one["severity"], one["rule"]) for one in found if (one["of"] or "").endswith(f"process {process})")
    ]


def test_processes_are_found_where_they_should_not_be(machine: Guest) -> None:
    chapter = _start(machine, "chapter", "", _group(machine, "db2", "2-3", "0"))
    policy = _start(machine, "policy", "numactl --physcpubind=3 --membind=0")
    home = _start(machine, "home", "", _group(machine, "db1", "0-1", "0"))
    status, found = _audit(machine, chapter, policy, home)
    assert status == 1
    assert _of(found, chapter) == [("wrong", "memory-elsewhere")]
    assert _of(found, policy) == [("wrong", "memory-elsewhere")]
    assert _of(found, home) == []
    told = {one["of"]: one["message"] for one in found if one["rule"] == "memory-elsewhere"}
    assert told[f"process (python3, process {chapter})"] == (
        "it may run on CPUs 2-3 of node 1, and may take memory of node 0 alone, at distance 16 where its own is 10"
    )
    assert [one["severity"] for one in found if one["rule"] == "automatic-numa-balancing"] == ["wrong"]

"""`plimsoll host audit` and `host bench memory` on a kernel with nodes: processes with CPUs of one node and memory of another, by
their control group or by their memory policy alone, one at home, and memory of the node that is asked for."""

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


def test_memory_of_each_node_is_measured_from_each(machine: Guest) -> None:
    words = "host bench memory --size 1m --runtime 5ms --store /srv/runs.sqlite --json"
    command = f"cd /srv && PYTHONPATH={INSIDE} python3 -m plimsoll {words}"
    found = json.loads(machine.said(command, timeout_s=COMMAND_S))["data"]
    assert {(one["cpu_node"], one["memory_node"]) for one in found["updates"]} == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    }
    assert {(one["threads"], one["mb_per_s"] > 0) for one in found["streams"]} == {(2, True)}
    assert len(found["streams"]) == 4 * 8


def test_a_node_without_room_is_left_out_and_nothing_is_killed(machine: Guest) -> None:
    """A process holds all but 150 MiB of the smaller node; the whole has room for three arrays of 32 MiB."""
    held = _free_bytes(machine, 1) - (150 << 20)
    work = f"m = bytearray({held}); m[::4096] = b'x' * len(m[::4096]); print('ready', flush=True); import time; time.sleep(3600)"
    machine.put("/srv/hold.py", work.encode())
    machine.said("numactl --membind=1 python3 /srv/hold.py > /srv/hold 2>&1 & echo $! > /srv/hold.pid")
    machine.said("until grep -q ready /srv/hold; do sleep 0.2; done", timeout_s=120)
    words = "host bench memory --size 32m --runtime 5ms --store /srv/runs.sqlite --json"
    done = machine.run(f"cd /srv && PYTHONPATH={INSIDE} python3 -m plimsoll {words}", timeout_s=COMMAND_S)
    machine.said("kill $(cat /srv/hold.pid)")  # it is there still
    found = json.loads(done.text)
    assert done.status == 5
    assert {(one["cpu_node"], one["memory_node"]) for one in found["data"]["updates"]} == {(0, 0), (1, 0)}
    assert "memory of node 1 was not measured" in done.text


def _free_bytes(guest: Guest, node: int) -> int:
    told = guest.said(f"grep MemFree /sys/devices/system/node/node{node}/meminfo")
    return int(told.split()[-2]) * 1024


def test_memory_is_taken_of_the_node_that_is_asked_for(machine: Guest) -> None:
    """The kernel's own counts of pages by node, before and after."""
    code = "from plimsoll.native.memories import Place; Place(({cpu},), {node}).updates_per_s(64 << 20, 0.01)"
    for cpu, node in ((0, 1), (2, 0)):
        before = _pages(machine)
        machine.said(
            f"PYTHONPATH={INSIDE} python3 -c '{code.format(cpu=cpu, node=node)}'", timeout_s=COMMAND_S
        )
        after = _pages(machine)
        assert after[node] - before[node] >= (64 << 20) // 4096


def _pages(guest: Guest) -> list[int]:
    """Pages that each node has given to processes of the other, so far."""
    told = [guest.said(f"cat /sys/devices/system/node/node{node}/numastat") for node in (0, 1)]
    return [int(text.split("other_node ")[1].split()[0]) for text in told]

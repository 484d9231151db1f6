"""What `plimsoll host slice verify` says of slices, on a kernel with control groups of version 2: where ten thousand looks found
threads, where pages lie, how fast the kernel lets reads through a cap, and that a wrong slice is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import counted_caps
from guest_machine import Guest, Machine, Node
from plimsoll.facts import HostSlice, SliceDevice
from sliced_hosts import aside, database, pages, plan

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

INSIDE = "/opt/plimsoll"
TOP = "/sys/fs/cgroup"
MIB = 1 << 20
CAP_IOPS, WITHIN = 400.0, 0.02
LOOKS = 10_000
THREADS, OWN_MIB = 40, 24
PROGRAM = f"""import threading, time
memory = bytearray({OWN_MIB} << 20)
def work():
    while True:
        time.sleep(0.03)
for _ in range({THREADS - 1}):
    threading.Thread(target=work).start()
work()
"""
PLACES = """import json, re, sys
found = {}
for line in open(f"/proc/{sys.argv[1]}/numa_maps"):
    if " file=" not in line:
        for node, number in re.findall(r"N(\\d+)=(\\d+)", line):
            found[node] = found.get(node, 0) + int(number)
print(json.dumps(found))
"""
"""Pages by node that are of no file, all of one size (numa_maps, proc(5))."""
COMMAND = f"env PYTHONPATH={INSIDE} python3 -m plimsoll host slice"


@pytest.fixture(scope="module")
def machine(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Two nodes of two CPUs, slices that are applied, and a process of many threads in each of two."""
    image = tmp_path_factory.mktemp("slices") / "disk.img"
    image.write_bytes(bytes(64 * MIB))
    nodes = (Node("0-1", 768), Node("2-3", 512))
    with Guest(Machine(cpus=4, nodes=nodes, disks=(packages, image))) as guest:
        guest.said(f"mkdir -p {INSIDE} /srv && mount -o ro {guest.disk(0)} {INSIDE}")
        guest.put("/srv/plan.json", json.dumps({"kind": "host-slice-plan", "data": _plan(guest)}).encode())
        for name, text in (("work.py", PROGRAM), ("places.py", PLACES)):
            guest.put(f"/srv/{name}", text.encode())
        guest.put("/srv/counted_caps.py", Path(counted_caps.__file__).read_bytes())
        guest.said(f"{COMMAND} apply /srv/plan.json --way cgroup-v2", timeout_s=180)
        for name in ("shop", "books-1"):
            guest.said(_started(name))
        yield guest


def _started(name: str) -> str:
    """In the slice before it has any memory of its own."""
    enter = f"echo $$ > {TOP}/plimsoll-{name}/cgroup.procs && exec python3 /srv/work.py"
    return f"setsid sh -c '{enter}' > /dev/null 2>&1 < /dev/null & echo $!"


def _plan(guest: Guest) -> dict[str, Any]:
    """A database on a CPU of each node, and the other CPUs for all else."""
    disk = SliceDevice(name=guest.disk(1).removeprefix("/dev/"), node=0, distance=10)
    shop = _database("shop", 0, iops=CAP_IOPS, devices=(disk,))
    found = plan(shop, _database("books-1", 2), aside("housekeeping", (1,)), free=(3,))
    return found.model_dump(mode="json")


def _database(name: str, cpu: int, **more: object) -> HostSlice:
    return database(name, (cpu,), home=cpu // 2, memory=(pages(cpu // 2, 128 * MIB, 0),), **more)


def _process(guest: Guest, name: str) -> str:
    (found,) = guest.said(f"cat {TOP}/plimsoll-{name}/cgroup.procs").split()
    return found


def _verified(guest: Guest, seconds: int = 5) -> tuple[int, dict[str, dict[str, Any]], set[str]]:
    """The status, what each slice is like, and codes of findings with their slices."""
    done = guest.run(f"{COMMAND} verify --runtime {seconds}s --json", timeout_s=240)
    data = json.loads(done.text)["data"]
    found = {f"{one['slice']}: {one['code']}" for one in data["findings"]}
    return done.status, {one["name"]: one for one in data["slices"]}, found


def test_ten_thousand_looks_find_every_thread_on_its_cpus_and_its_pages_on_its_node(machine: Guest) -> None:
    names, looks = ("shop", "books-1"), 0
    slices: dict[str, dict[str, Any]] = {}
    while looks < LOOKS:
        status, slices, codes = _verified(machine, seconds=20)
        assert (status, codes) == (0, set())
        for name in names:
            assert slices[name]["samples"] > 0
            assert (slices[name]["samples_outside"], slices[name]["threads"]) == (0, THREADS)
            looks += slices[name]["samples"]
    for node, name in enumerate(names):
        one = slices[name]
        assert one["memory_bytes"] > OWN_MIB * MIB
        assert one["memory_elsewhere_bytes"] <= 0.01 * one["memory_bytes"]
        places = json.loads(machine.said(f"python3 /srv/places.py {_process(machine, name)}"))
        assert places[str(node)] >= 0.99 * sum(places.values())
        assert places[str(node)] * 4096 > OWN_MIB * MIB


def test_a_cap_is_held_within_2_percent_over_10_seconds_by_the_kernels_own_count(machine: Guest) -> None:
    number = machine.said(f"cat /sys/block/{Path(machine.disk(1)).name}/dev").strip()
    words = f"{COMMAND} verify --runtime 2s --caps 12s --json"
    said = machine.said(f"python3 /srv/counted_caps.py {TOP}/plimsoll-shop {number} {words}", timeout_s=240)
    found = json.loads(said)
    (cap,) = json.loads(found["said"])["data"]["caps"]
    assert (found["status"], cap["limit_iops"]) == (0, CAP_IOPS)
    assert found["seconds"] >= 10
    assert found["rate"] == pytest.approx(CAP_IOPS, rel=WITHIN)
    assert cap["read_iops"] == pytest.approx(CAP_IOPS, rel=WITHIN)
    assert cap["counted_ios"] >= cap["ios"]


def test_a_slice_with_cpus_and_memory_on_different_nodes_is_found(machine: Guest) -> None:
    """Set by hand, as a slice whose memory was put on another node by mistake."""
    group = f"{TOP}/plimsoll-books-1"
    machine.said(f"echo 0 > {group}/cpuset.mems")
    try:
        status, slices, codes = _verified(machine)
        wanted = {f"books-1: slice-{one}" for one in ("setting", "nodes", "memory-elsewhere")}
        assert (status, codes) == (1, wanted)
        one = slices["books-1"]
        assert one["memory_elsewhere_bytes"] > 0.5 * one["memory_bytes"]
    finally:
        machine.said(f"echo 1 > {group}/cpuset.mems")
    assert _verified(machine)[0] == 0


def test_a_slice_on_other_cpus_is_found(machine: Guest) -> None:
    group = f"{TOP}/plimsoll-books-1"
    machine.said(f"echo member > {group}/cpuset.cpus.partition && echo 3 > {group}/cpuset.cpus")
    status, slices, codes = _verified(machine)
    wanted = {"setting", "cpus-lost", "cpus-more", "ran-elsewhere"}
    assert (status, codes) == (1, {f"books-1: slice-{one}" for one in wanted})
    assert slices["books-1"]["samples_outside"] == slices["books-1"]["samples"] > 0
    machine.said(f"echo 2 > {group}/cpuset.cpus && echo root > {group}/cpuset.cpus.partition")
    assert _verified(machine)[0] == 0

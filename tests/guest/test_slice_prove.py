"""What noise in one slice does to reads in another, on a kernel with control groups of version 2 that shares a disk by what I/O
costs. The disk takes a time for each I/O that no CPU has a part in, and few of them at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from guest_machine import Guest, Machine, Node
from plimsoll.facts import HostSlice, SlicePlan
from sliced_hosts import aside, database, pages, plan, rates

pytestmark = [pytest.mark.guest, pytest.mark.timeout(1500)]

INSIDE = "/opt/plimsoll"
TOP = "/sys/fs/cgroup"
MIB = 1 << 20
IO_MS, AT_ONCE, DISK_MIB = 8, 4, 64
IOPS = 1_000 * AT_ONCE / IO_MS
COMMAND = f"env PYTHONPATH={INSIDE} python3 -m plimsoll host slice"
DISK = f"""set -e
modprobe null_blk nr_devices=0
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
cd /sys/kernel/config
mkdir nullb/nullb0 && cd nullb/nullb0
echo {DISK_MIB} > size && echo 4096 > blocksize && echo 1 > memory_backed
echo 1 > submit_queues && echo {AT_ONCE} > hw_queue_depth
echo 2 > irqmode && echo {IO_MS * 1_000_000} > completion_nsec && echo 1 > power
dd if=/dev/urandom of=/dev/nullb0 bs=1M count={DISK_MIB} oflag=direct 2> /dev/null
"""
"""Memory with a timer for each I/O (the kernel's null_blk.rst), written in full."""


@pytest.fixture(scope="module")
def machine(packages: Path) -> Iterator[Guest]:
    """Two nodes of two CPUs, and the slow disk."""
    nodes = (Node("0-1", 768), Node("2-3", 512))
    with Guest(Machine(cpus=4, nodes=nodes, disks=(packages,))) as guest:
        guest.said(f"mkdir -p {INSIDE} /srv && mount -o ro {guest.disk(0)} {INSIDE}")
        guest.said(DISK, timeout_s=180)
        yield guest


def _database(name: str, cpus: tuple[int, ...], **more: object) -> HostSlice:
    home = cpus[0] // 2
    return database(name, cpus, home=home, memory=(pages(home, 256 * MIB, 0),), **more)


def _shared_disk() -> Any:
    """As fast as it is, whatever the size of an I/O."""
    fast = 1e6
    return rates(
        name="nullb0",
        stable=None,
        read_mb_per_s=fast,
        write_mb_per_s=fast,
        **dict.fromkeys(("read_iops", "sequential_read_iops", "write_iops", "sequential_write_iops"), IOPS),
    )


@contextmanager
def _applied(guest: Guest, found: SlicePlan) -> Iterator[None]:
    """Until the end of the block."""
    document = {"kind": "host-slice-plan", "data": found.model_dump(mode="json")}
    guest.put("/srv/plan.json", json.dumps(document).encode())
    guest.said(f"{COMMAND} apply /srv/plan.json --way cgroup-v2", timeout_s=180)
    try:
        yield
    finally:
        guest.said(f"{COMMAND} revert", timeout_s=180)


def _proved(guest: Guest, *words: str) -> tuple[int, dict[str, Any], set[str]]:
    """The status, the data, and codes of notes."""
    told = "prove shop --noise books --target /dev/nullb0 --noise-kind disk --depth 1 --block 4k"
    done = guest.run(f"{COMMAND} {told} {' '.join(words)} --json", timeout_s=900)
    document = json.loads(done.text)
    return done.status, document["data"], {one["code"] for one in document["warnings"]}


def _groups(guest: Guest) -> str:
    return guest.said(f"find {TOP} -type d | sort")


def test_noise_moves_p99_without_slices_and_slices_keep_it_off(machine: Guest) -> None:
    shop, books = _database("shop", (0,), priority=9), _database("books", (2,))
    found = plan(shop, books, aside("housekeeping", (1,)), free=(3,), disks=(_shared_disk(),))
    with _applied(machine, found):
        groups = _groups(machine)
        status, data, codes = _proved(machine, "--rounds 5 --runtime 4s")
        assert _groups(machine) == groups
        assert "min=50.00 max=150.00" in machine.said(f"cat {TOP}/io.cost.qos")
    assert (data["findings"], data["too_few"]) == ([], None)
    (disk,) = data["effects"]
    assert disk["p99_unsliced"]["ci95"][0] > 1
    assert disk["p99_helped"]["ci95"][1] < 1
    assert (status, data["answer"]) == (0, "slices help")
    assert (data["shared_cpus"], "prove-other-cpus" in codes) == ([1, 3], True)


def test_no_claim_where_each_core_is_in_a_slice_and_policies_of_two_nodes_are_compared(
    machine: Guest,
) -> None:
    shop, books = _database("shop", (0, 1), priority=9), _database("books", (2, 3))
    with _applied(machine, plan(shop, books, free=(), disks=(_shared_disk(),))):
        status, data, codes = _proved(machine, "--rounds 3 --runtime 1s --policies off,interleave,bind")
    assert status in (1, 5)
    assert "all of them in the two slices" in data["too_few"]
    assert (data["answer"], data["effects"][0]["answer"]) == ("cannot tell", "cannot tell")
    assert data["shared_cpus"] == [0, 1, 2, 3]
    assert not codes & {"policies-one-node", "policies-exclusive", "prove-exclusive"}
    assert [one["policy"] for one in data["policies"]] == ["interleave", "bind"]
    assert all(one["p99"]["rounds"] == 3 for one in data["policies"])

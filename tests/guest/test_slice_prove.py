"""What noise in one slice does to reads in another, on a kernel with control groups of version 2 that shares a disk by what I/O
costs. What comes faster than the disk is waits in it, in its order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from guest_machine import Guest, Machine, Node
from plimsoll.facts import HostSlice, SliceDisk, SlicePlan
from sliced_hosts import aside, database, pages, plan, rates

pytestmark = [pytest.mark.guest, pytest.mark.timeout(1500)]

INSIDE = "/opt/plimsoll"
TOP = "/sys/fs/cgroup"
MIB = 1 << 20
DISK_IOPS, RATE_SHARE = 200, 0.6
"""Of its rates the kernel is told so much: a disk that is busy for nearly all of the time has a queue whoever made it."""
COMMAND = f"env PYTHONPATH={INSIDE} python3 -m plimsoll host slice"


@pytest.fixture(scope="module")
def machine(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Four nodes of one CPU each, and a slow disk that is written in full."""
    image = tmp_path_factory.mktemp("slow") / "slow.img"
    image.write_bytes(os.urandom(64 * MIB))
    nodes = (Node("0", 640), Node("1", 320), Node("2", 512), Node("3", 320))
    slow = {image: DISK_IOPS}
    with Guest(Machine(cpus=4, sockets=4, nodes=nodes, disks=(packages, image), disk_iops=slow)) as guest:
        guest.said(f"mkdir -p {INSIDE} /srv && mount -o ro {guest.disk(0)} {INSIDE}")
        yield guest


def _database(name: str, cpus: tuple[int, ...], **more: object) -> HostSlice:
    home = cpus[0]
    return database(name, cpus, home=home, memory=(pages(home, 256 * MIB, 0),), **more)


def _shared(guest: Guest) -> tuple[SliceDisk, ...]:
    """The disk, as fast as it is whatever the size of an I/O."""
    names = ("read_iops", "sequential_read_iops", "write_iops", "sequential_write_iops")
    told: dict[str, float] = dict.fromkeys(names, DISK_IOPS)
    told |= dict.fromkeys(("read_mb_per_s", "write_mb_per_s"), 1e6)
    return (rates(name=Path(guest.disk(1)).name, stable=None, rate_share=RATE_SHARE, **told),)


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
    told = f"prove shop --noise books --target {guest.disk(1)} --noise-kind disk --rate 40 --block 4k"
    done = guest.run(f"{COMMAND} {told} {' '.join(words)} --json", timeout_s=900)
    document = json.loads(done.text)
    return done.status, document["data"], {one["code"] for one in document["warnings"]}


def _groups(guest: Guest) -> str:
    return guest.said(f"find {TOP} -type d | sort")


def test_noise_moves_p99_without_slices_and_slices_keep_it_off(machine: Guest) -> None:
    shop, books = _database("shop", (0,), priority=9), _database("books", (2,))
    found = plan(shop, books, aside("housekeeping", (1,)), free=(3,), disks=_shared(machine))
    with _applied(machine, found):
        groups = _groups(machine)
        status, data, codes = _proved(machine, "--rounds 5 --runtime 7s")
        assert _groups(machine) == groups
        assert "min=50.00 max=95.00" in machine.said(f"cat {TOP}/io.cost.qos")
        assert f"rrandiops={DISK_IOPS * RATE_SHARE:.0f} " in machine.said(f"cat {TOP}/io.cost.model")
    assert (data["findings"], data["too_few"]) == ([], None)
    (disk,) = data["effects"]
    print({key: told for key, told in disk.items() if isinstance(told, dict)})
    assert disk["p99_unsliced"]["ci95"][0] > 1
    assert disk["p99_helped"]["ci95"][1] < 1
    assert (status, data["answer"]) == (0, "slices help")
    assert (data["shared_cpus"], "prove-other-cpus" in codes) == ([1, 3], True)


def test_no_claim_where_each_core_is_in_a_slice_and_policies_of_four_nodes_are_compared(
    machine: Guest,
) -> None:
    shop, books = _database("shop", (0, 1), priority=9), _database("books", (2, 3))
    with _applied(machine, plan(shop, books, free=(), disks=_shared(machine))):
        status, data, codes = _proved(machine, "--rounds 3 --runtime 1s --policies off,interleave,local,bind")
    assert status in (1, 5)
    assert "all of them in the two slices" in data["too_few"]
    assert (data["answer"], data["effects"][0]["answer"]) == ("cannot tell", "cannot tell")
    assert data["shared_cpus"] == [0, 1, 2, 3]
    assert not codes & {"policies-one-node", "policies-exclusive", "prove-exclusive"}
    assert [one["policy"] for one in data["policies"]] == ["interleave", "local", "bind"]
    assert all(one["iops"]["rounds"] == 3 for one in data["policies"])


def test_no_claim_of_a_server_either_where_each_core_is_in_a_slice(machine: Guest) -> None:
    """A PostgreSQL of our own, in the slice and moved out of it."""
    shop, books = _database("shop", (0, 1)), _database("books", (2, 3))
    words = "--driver slob --scale 1024 --schemas 1 --set WORK_UNIT=4 --noise-kind cpu --rounds 3 --runtime 1s --warm-up 0s"
    with _applied(machine, plan(shop, books, free=())):
        groups = _groups(machine)
        done = machine.run(f"{COMMAND} prove shop --noise books {words} --json", timeout_s=900)
        data = json.loads(done.text)["data"]
        assert done.status in (1, 5), data
        assert _groups(machine) == groups
    assert "all of them in the two slices" in data["too_few"]
    assert {one["answer"] for one in data["effects"]} == {data["answer"]} == {"cannot tell"}
    assert (data["driver"], data["shared_cpus"], len(data["trials"])) == ("slob", [0, 1, 2, 3], 12)
    for one in data["trials"]:
        assert (one["in_group"], one["samples_outside"], one["server"]["doubts"]) == (True, 0, [])
        assert one["server"]["operations"] > 0

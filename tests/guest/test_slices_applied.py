"""Plans of slices carried out on a kernel with control groups of version 2, with systemd and beside it, and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import killed_slices
from guest_machine import Guest, Machine, Node
from plimsoll.facts import HostSlice, SliceDevice, SlicePlan
from sliced_hosts import aside, database, pages, plan, rates

pytestmark = [pytest.mark.guest, pytest.mark.timeout(3000)]

INSIDE = "/opt/plimsoll"
TOP = "/sys/fs/cgroup"
DISK = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_disk2"
MIB = 1 << 20
KILLS_S = 2400.0
"""For all of them: systemd reads its units anew several times for each, which takes long in software on a machine at work."""
PROGRAM = """import mmap, sys, time
memory = bytearray(24 << 20)
pages = int(sys.argv[1])
huge = mmap.mmap(-1, pages << 21, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x40000) if pages else b''
for place in range(0, len(huge), 1 << 21):
    huge[place] = 1
while True:
    time.sleep(0.001)
"""
"""With huge pages as soon as there are some (mmap(2), MAP_HUGETLB)."""
SERVICE = "[Service]\nExecStart=/usr/bin/python3 /srv/work.py {pages}\n"


@pytest.fixture(scope="module")
def machine(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Two nodes of two CPUs, two services, and a disk of which udev keeps a name that stays."""
    image = tmp_path_factory.mktemp("slices") / "disk.img"
    image.write_bytes(bytes(64 * MIB))
    nodes = (Node("0-1", 768), Node("2-3", 512))
    with Guest(Machine(cpus=4, nodes=nodes, disks=(packages, image), init="systemd", reboots=True)) as guest:
        guest.put("/srv/plan.json", json.dumps({"kind": "host-slice-plan", "data": _plan()}).encode())
        guest.put("/srv/work.py", PROGRAM.encode())
        for name, huge in (("shop", 8), ("books-1", 0)):
            guest.put(f"/etc/systemd/system/{name}.service", SERVICE.format(pages=huge).encode())
        _ready(guest)
        yield guest


def _ready(guest: Guest) -> None:
    """After each boot."""
    guest.said("systemctl is-system-running --wait || true", timeout_s=180)
    guest.said(f"mkdir -p {INSIDE} && mount -o ro {guest.disk(0)} {INSIDE}")
    guest.said("systemctl daemon-reload && systemctl start books-1", timeout_s=180)


def _plan() -> dict[str, Any]:
    """A database on a CPU of each node, and the other CPUs for all else."""
    disk = SliceDevice(name="nvme2n1", stable=DISK, node=0, distance=10)
    shop = _database(
        "shop", 0, huge_page_bytes=2 * MIB, iops=400.0, mb_per_s=8.0, devices=(disk,), priority=3
    )
    books = _database("books-1", 2, account="nobody")
    given = rates(name="nvme2n1", stable=DISK)
    found: SlicePlan = plan(shop, books, aside("housekeeping", (1,)), free=(3,), disks=(given,))
    return found.model_dump(mode="json")


def _database(name: str, cpu: int, **more: object) -> HostSlice:
    node = cpu // 2
    memory = (pages(node, 128 * MIB, 8 if "huge_page_bytes" in more else 0),)
    return database(name, (cpu,), home=node, memory=memory, service=f"{name}.service", **more)


def _slice(guest: Guest, words: str) -> tuple[int, dict[str, Any]]:
    done = guest.run(f"PYTHONPATH={INSIDE} python3 -m plimsoll host slice {words} --json", timeout_s=180)
    return done.status, json.loads(done.text)["data"]


def _file(guest: Guest, path: str) -> str:
    return guest.said(f"cat '{path}'").strip()


def _traces(guest: Guest) -> str:
    """All groups with what matters of them, files of systemd, huge pages and the journal. A disk that was shared by what I/O costs
    keeps its line in `io.cost.qos`, switched off.
    """
    return guest.said(
        f"cd {TOP}; find . -type d | sort; grep -s . cgroup.subtree_control cpuset.cpus.effective */cpuset.cpus"
        " */cpuset.cpus.effective; find /etc/systemd/system /var/lib/plimsoll 2>&1 | sort;"
        " cat /sys/devices/system/node/node*/hugepages/*/nr_hugepages"
    )


def test_plain_writes_are_done_and_taken_back_without_a_trace(machine: Guest) -> None:
    before = _traces(machine)
    status, dry = _slice(machine, "apply /srv/plan.json --way cgroup-v2 --dry-run")
    assert (status, _traces(machine)) == (0, before)
    assert _slice(machine, "apply /srv/plan.json --way cgroup-v2") == (0, {**dry, "dry_run": False})
    shop, books = f"{TOP}/plimsoll-shop", f"{TOP}/plimsoll-books-1"
    assert [_file(machine, f"{one}/cpuset.cpus.effective") for one in (shop, books)] == ["0", "2"]
    assert _file(machine, f"{shop}/cpuset.cpus.partition") == "root"
    number = machine.said(f"lsblk --nodeps --noheadings --output MAJ:MIN {DISK}").strip()
    assert _file(machine, f"{shop}/io.max") == f"{number} rbps=8000000 wbps=8000000 riops=400 wiops=400"
    assert f"{number} enable=1 ctrl=user" in _file(machine, f"{TOP}/io.cost.qos")
    assert machine.said(f"stat -c %U {books}/cgroup.procs {books}/cpuset.cpus").split() == ["nobody", "root"]
    assert _file(machine, "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages") == "8"
    applied = _traces(machine)
    dry = _slice(machine, "revert --dry-run")
    assert _traces(machine) == applied
    status, found = _slice(machine, "revert")
    assert (status, found["changed"]) == (0, [])
    assert dry == (0, {**found, "dry_run": True})
    assert f"{number} enable=0 " in _file(machine, f"{TOP}/io.cost.qos")
    assert _traces(machine) == before


def test_a_service_that_was_not_restarted_runs_on_when_its_slice_goes(machine: Guest) -> None:
    main = machine.said("systemctl show -p MainPID --value books-1")
    assert _slice(machine, "apply /srv/plan.json")[0] == 0
    assert _slice(machine, "revert")[0] == 0
    assert machine.said("systemctl show -p MainPID --value books-1") == main
    assert machine.said("systemctl is-active books-1").strip() == "active"


def test_a_unit_file_in_the_way_leaves_the_journal_and_the_hint_goes_on_from_there(machine: Guest) -> None:
    before = _traces(machine)
    assert _slice(machine, "apply /srv/plan.json")[0] == 0
    file = "/etc/systemd/system/plimsoll_shop.slice"
    machine.said(f"chattr +i {file}")
    try:
        for verb in ("revert", "apply /srv/plan.json"):
            status, said = _slice(machine, verb)
            assert (status, said["id"]) == (4, "slices-left")
            assert (
                f"could not remove {file}: Operation not permitted. Left to be done: rm {file}"
                in said["message"]
            )
        assert "slices-half-made" in [
            one["code"] for one in _slice(machine, "verify --runtime 1s")[1]["findings"]
        ]
        left = _slice(machine, "revert --dry-run")[1]["undone"]
        assert f"rm {file}" in left
        # What went before it is gone, and no more to be done.
        assert not any("shop.service.d" in one for one in left)
    finally:
        machine.said(f"chattr -i {file}")
    assert "run `plimsoll host slice revert`, which goes on from there" in said["hint"]
    status, found = _slice(machine, "revert")
    assert (status, found["changed"]) == (0, [])
    assert _traces(machine) == before


@pytest.mark.parametrize(("way", "kills"), [("cgroup-v2", 20), ("systemd", 20)])
def test_kills_leave_all_slices_or_none(machine: Guest, way: str, kills: int) -> None:
    before = _traces(machine)
    for path in (Path(killed_slices.__file__), Path(__file__).with_name("kill_slices.py")):
        machine.put(f"/srv/{path.name}", path.read_bytes())
    said = machine.said(
        f"PYTHONPATH={INSIDE}:/srv python3 /srv/kill_slices.py {way} {kills}", timeout_s=KILLS_S
    )
    found = json.loads(said.splitlines()[-1])
    assert found["wrong"] == []
    assert found["groups"] > 0
    assert found["half"] > kills // 2  # Or nothing of this was put to the test.
    machine.said("rm -r /srv/journal")
    assert _traces(machine) == before


def test_systemd_makes_slices_that_outlive_a_boot_and_go_without_a_trace(machine: Guest) -> None:
    before = _traces(machine)
    status, found = _slice(machine, "apply /srv/plan.json")
    assert (status, found.get("way")) == (0, "systemd"), found
    status, answer, codes = _verified(machine)
    assert (status, answer, codes["books-1"]) == (
        1,
        "not as planned",
        ["slice-server-outside", "slice-empty"],
    )
    assert found["next_steps"] == ["systemctl restart shop.service", "systemctl restart books-1.service"]
    machine.said("; ".join(found["next_steps"]), timeout_s=180)
    _check_slices(machine)
    assert _verified(machine) == (0, "as planned", {"shop": [], "books-1": []})
    assert _slice(machine, "revert")[1]["id"] == "slices-busy"
    cpu = "/sys/devices/system/cpu/cpu2/online"
    machine.said(f"echo 0 > {cpu}")
    assert "slice-cpus-lost" in _verified(machine)[2]["books-1"]
    machine.said(f"echo 1 > {cpu}")
    assert _verified(machine)[0] == 0
    machine.reboot()
    _ready(machine)
    machine.said("systemctl start shop", timeout_s=180)
    _check_slices(machine)
    assert _verified(machine) == (0, "as planned", {"shop": [], "books-1": []})
    machine.said("systemctl stop shop books-1")
    status, found = _slice(machine, "revert")
    assert (status, found["changed"]) == (0, [])
    machine.said("systemctl start books-1")
    assert _traces(machine) == before


def _verified(guest: Guest) -> tuple[int, str, dict[str, list[str]]]:
    """The status, the answer, and what is found of each slice."""
    status, data = _slice(guest, "verify --runtime 20s")
    codes = {one["name"]: [] for one in data["slices"]}
    for one in data["findings"]:
        codes[one["slice"]].append(one["code"])
    for one in data["slices"] if data["answer"] == "as planned" else ():
        assert one["samples"] > 20
        assert one["memory_bytes"] > 24 * MIB
        assert one["huge_bytes"] == (16 * MIB if one["name"] == "shop" else 0)
    return status, data["answer"], codes


def _check_slices(guest: Guest) -> None:
    shop = f"{TOP}/plimsoll_shop.slice"
    assert _file(guest, f"{shop}/cpuset.cpus.effective") == "0"
    assert _file(guest, f"{shop}/cpuset.cpus.partition") == "root"
    assert _file(guest, f"{TOP}/system.slice/cpuset.cpus.effective") == "1,3"
    assert guest.said("systemctl show -p ControlGroup --value shop.service").startswith(
        "/plimsoll_shop.slice/"
    )
    number = guest.said(f"lsblk --nodeps --noheadings --output MAJ:MIN {DISK}").strip()
    assert _file(guest, f"{shop}/io.max") == f"{number} rbps=8000000 wbps=8000000 riops=400 wiops=400"

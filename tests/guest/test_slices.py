"""Control groups of version 2 that a plan of slices is written as, on a kernel that has them: made, refused, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from guest_machine import Guest, Machine, Node
from plimsoll.facts import HostSlice, SliceDevice, SlicePlan
from plimsoll.placement.slices import outputs
from plimsoll.placement.slices.layout import layout_of
from sliced_hosts import aside, database, pages, plan, rates

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

TOP = "/sys/fs/cgroup"
DISK = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_disk1"
MIB = 1 << 20


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Two nodes of two CPUs, and a disk of which udev keeps a name that stays."""
    image = tmp_path_factory.mktemp("slices") / "disk.img"
    image.write_bytes(bytes(64 * MIB))
    nodes = (Node("0-1", 768), Node("2-3", 512))
    with Guest(Machine(cpus=4, nodes=nodes, disks=(image,), init="systemd")) as guest:
        guest.said("systemctl is-system-running --wait || true", timeout_s=120)
        yield guest


def _plan() -> SlicePlan:
    """A database on a CPU of each node, and the other CPUs for all else."""
    disk = SliceDevice(name="nvme1n1", stable=DISK, node=0, distance=10)
    shop = _database(
        "shop", 0, huge_page_bytes=2 * MIB, iops=400.0, mb_per_s=8.0, devices=(disk,), priority=3
    )
    books = _database("books-1", 2, account="nobody")
    given = rates(name="nvme1n1", stable=DISK)
    return plan(shop, books, aside("housekeeping", (1,)), free=(3,), disks=(given,))


def _database(name: str, cpu: int, **more: object) -> HostSlice:
    node = cpu // 2
    memory = (pages(node, 128 * MIB, 8 if "huge_page_bytes" in more else 0),)
    return database(name, (cpu,), home=node, memory=memory, service=f"{name}.service", **more)


def _put(guest: Guest, kind: str) -> str:
    """The folder with the files."""
    folder = f"/root/{kind}"
    for file in outputs.load(kind).files(layout_of(_plan())):
        path = Path(folder, file.path)
        guest.said(f"mkdir -p '{path.parent}'")
        guest.put(f"'{path}'", file.text.encode())
    return folder


def _file(guest: Guest, path: str) -> str:
    return guest.said(f"cat '{path}'").strip()


def _groups(guest: Guest) -> list[str]:
    return guest.said(f"ls {TOP} | grep plimsoll || true").split()


def _check_costed(guest: Guest, number: str) -> None:
    """The kernel shares the disk by the rates of the plan."""
    assert f"{number} ctrl=user model=linear rbps=2024878165 rseqiops=120000 rrandiops=90000 wbps=" in _file(
        guest, f"{TOP}/io.cost.model"
    )
    assert f"{number} enable=1 ctrl=user" in _file(guest, f"{TOP}/io.cost.qos")


def test_plain_writes_make_groups_and_take_them_back(machine: Guest) -> None:
    folder = _put(machine, "cgroup-v2")
    assert _groups(machine) == []
    machine.said(f"sh {folder}/make.sh")
    shop, books = f"{TOP}/plimsoll-shop", f"{TOP}/plimsoll-books-1"
    assert [_file(machine, f"{one}/cpuset.cpus.effective") for one in (shop, books)] == ["0", "2"]
    assert [_file(machine, f"{one}/cpuset.mems.effective") for one in (shop, books)] == ["0", "1"]
    assert [_file(machine, f"{one}/cpuset.cpus.partition") for one in (shop, books)] == ["root", "root"]
    assert _file(machine, f"{TOP}/cpuset.cpus.effective") == "1,3"
    assert _file(machine, f"{shop}/memory.max") == str(112 * MIB)
    number = machine.said(f"lsblk --nodeps --noheadings --output MAJ:MIN {DISK}").strip()
    assert _file(machine, f"{shop}/io.max") == f"{number} rbps=8000000 wbps=8000000 riops=400 wiops=400"
    _check_costed(machine, number)
    inside = machine.said(f"echo $$ > {books}/cgroup.procs; grep _allowed_list /proc/self/status").split()
    assert inside == ["Cpus_allowed_list:", "2", "Mems_allowed_list:", "1"]
    assert machine.said(f"stat -c %U {books}/cgroup.procs {books}/cpuset.cpus").split() == ["nobody", "root"]
    again = machine.run(f"sh {folder}/make.sh")
    assert again.status == 1
    assert b"plimsoll-shop cannot be made" in again.stderr
    assert _groups(machine) == ["plimsoll-books-1", "plimsoll-shop"]
    machine.said(f"sh {folder}/remove.sh")
    assert _groups(machine) == []
    assert _file(machine, f"{TOP}/cpuset.cpus.effective") == "0-3"
    assert " enable=1 " not in _file(machine, f"{TOP}/io.cost.qos")


def test_what_the_kernel_refuses_leaves_nothing_half_made(machine: Guest) -> None:
    """The second group's CPU is not there."""
    folder = _put(machine, "cgroup-v2")
    machine.said(f"sed -i '/books-1.cpuset.cpus /s/ 2$/ 9/' {folder}/make.sh")
    done = machine.run(f"sh {folder}/make.sh")
    assert done.status == 1
    assert b"could not write '9' to" in done.stderr
    assert _groups(machine) == []

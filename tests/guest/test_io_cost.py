"""What the kernel makes of `io.cost.model` and `io.cost.qos` as a plan has them, of rates that Plimsoll measured on the very disk:
two slices that both ask for more than it gives have its measured rate together, and share it by their weights.

The disk is held to its rates by qemu, as a volume of a cloud is. What both slices got is the kernel's own count (`io.stat`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from guest_machine import INSIDE, Guest, Machine, Node

pytestmark = [pytest.mark.guest, pytest.mark.timeout(1500)]

TOP = "/sys/fs/cgroup"
COMMAND = f"env PYTHONPATH={INSIDE} python3 -m plimsoll"
MIB = 1 << 20
IMAGE_MIB, DISK_IOPS, DISK_BYTES_PER_S = 256, 400, 12_000_000
SERIAL = "disk9"
WITHIN = 0.1
BEGUN_S, COUNTED_S = 8, 16
RATE_SHARE, GONE_BY = 0.5, 0.95
"""Of the measured rates the kernel is told the former, in one test, and goes by the latter of that."""
WISHED = 3.0
"""The priority of the one over that of the other."""
SHARES = (0.75 * WISHED, 1.25 * WISHED)
SLICES = f"""
housekeeping_cores = 0

[[slice]]
name = "small"
cpus = "1"
mems = "0"
memory = "128m"
priority = 1

[[slice]]
name = "large"
cpus = "2"
mems = "0"
memory = "128m"
priority = {WISHED:.0f}

[[disk]]
device = "{SERIAL}"
run = ["latest", "latest~1", "latest~2", "latest~3", "latest~4", "latest~5"]
"""
MEASURED = {
    "read_iops": "randread --block 4k",
    "sequential_read_iops": "read --block 4k",
    "read_mb_per_s": "read --block 1m",
    "write_iops": "randwrite --block 4k",
    "sequential_write_iops": "write --block 4k",
    "write_mb_per_s": "write --block 1m",
}
COUNTED = """import json, sys, time
number, seconds = sys.argv[1], float(sys.argv[2])
def counted():
    found = {}
    for name in ("small", "large"):
        for line in open(f"/sys/fs/cgroup/plimsoll-{name}/io.stat"):
            words = line.split()
            if words[0] == number:
                told = dict(word.split("=") for word in words[1:])
                found[name] = (int(told["rios"]) + int(told["wios"]), int(told["rbytes"]) + int(told["wbytes"]))
    return time.monotonic(), found
began, first = counted()
time.sleep(seconds)
ended, last = counted()
print(json.dumps({name: [(b - a) / (ended - began) for a, b in zip(first[name], last[name])] for name in last}))
"""
"""I/Os and bytes of each slice per second, by the kernel's count."""


@pytest.fixture(scope="module")
def machine(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """Four CPUs, and a disk of so many I/Os and bytes per second, whatever is asked of it."""
    image = tmp_path_factory.mktemp("held") / "held.img"
    with open(image, "wb") as file:
        for _ in range(IMAGE_MIB):
            file.write(os.urandom(MIB))
    held = f"throttling.iops-total={DISK_IOPS},throttling.bps-total={DISK_BYTES_PER_S}"
    drive = f"file={image},if=none,id=held,format=raw,snapshot=on,cache=unsafe,{held}"
    more = ("-drive", drive, "-device", f"nvme,drive=held,serial={SERIAL}")
    with Guest(Machine(cpus=4, nodes=(Node("0-3", 1024),), disks=(packages,), more=more)) as guest:
        guest.said(f"mkdir -p {INSIDE} /srv && mount -o ro {guest.disk(0)} {INSIDE}")
        guest.put("/srv/counted.py", COUNTED.encode())
        guest.put("/srv/slices.toml", SLICES.encode())
        yield guest


@pytest.fixture(scope="module")
def measured(machine: Guest) -> Iterator[dict[str, float]]:
    """What the idle disk gives, by the keys of a `[[disk]]`; the plan that took it from these runs is applied meanwhile."""
    disk = _disk(machine)
    found: dict[str, float] = {}
    for key, words in MEASURED.items():
        said = f"{COMMAND} io {disk} --rw {words} --depth 32 --runtime 6s --json"
        said += f" --destroy {disk}={SERIAL}" if "write" in key else ""
        told = json.loads(machine.said(said, timeout_s=240))["data"]
        found[key] = told["mb_per_s" if key.endswith("mb_per_s") else "iops"]
    said = machine.said(
        f"{COMMAND} host slice plan /srv/slices.toml --json > /srv/plan.json; cat /srv/plan.json",
        timeout_s=240,
    )
    (planned,) = json.loads(said)["data"]["disks"]
    assert {key: planned[key] for key in found} == found
    assert planned["io_bytes_max"] is not None
    machine.said(f"{COMMAND} host slice apply /srv/plan.json --way cgroup-v2", timeout_s=240)
    print(f"measured {found}, pieces of {planned['io_bytes_max']} bytes")
    print(machine.said(f"cat {TOP}/io.cost.model {TOP}/io.cost.qos"))
    yield found
    machine.said(f"{COMMAND} host slice revert", timeout_s=240)


def _disk(guest: Guest) -> str:
    (name,) = guest.said(f"cd /sys/block && grep -lx '{SERIAL} *' nvme*/device/serial").split()
    return f"/dev/{name.split('/')[0]}"


def _number(guest: Guest) -> str:
    return guest.said(f"cat /sys/block/{Path(_disk(guest)).name}/dev").strip()


def _shared(guest: Guest, **works: str) -> dict[str, tuple[float, float]]:
    """I/Os and MB per second of each slice while both are as fast as they may be."""
    disk, seconds = _disk(guest), BEGUN_S + COUNTED_S + 6
    told = f"--filename={disk} --direct=1 --ioengine=libaio --time_based --runtime={seconds} --norandommap"
    begun = "".join(
        f"sh -c 'echo $$ > {TOP}/plimsoll-{name}/cgroup.procs && exec fio --name={name} {told} {work}' > /srv/{name}.txt & "
        for name, work in works.items()
    )
    counted = f"sleep {BEGUN_S}; python3 /srv/counted.py {_number(guest)} {COUNTED_S} > /srv/counted.json"
    # Either would have the disk to itself, had the other ended before.
    alive = "jobs -r | wc -l > /srv/alive"
    guest.said(f"{begun} {counted}; {alive}; wait", timeout_s=240)
    assert int(guest.said("cat /srv/alive")) == len(works)
    found = json.loads(guest.said("cat /srv/counted.json"))
    return {name: (ios, read / 1e6) for name, (ios, read) in found.items()}


def _told(kind: str, got: dict[str, tuple[float, float]], at: int) -> tuple[float, float]:
    """What both have together, and the one over the other."""
    total, share = sum(one[at] for one in got.values()), got["large"][at] / got["small"][at]
    print(f"{kind}: {got}, together {total:.1f}, large over small {share:.2f}")
    return total, share


def test_reads_at_random_places_have_the_measured_rate_and_share_it_by_weight(
    machine: Guest, measured: dict[str, float]
) -> None:
    work = "--rw=randread --bs=4k --iodepth=32"
    total, share = _told("4 KiB at random", _shared(machine, small=work, large=work), 0)
    assert total == pytest.approx(measured["read_iops"], rel=WITHIN)
    assert SHARES[0] < share < SHARES[1]


def test_large_reads_in_sequence_have_the_measured_rate_and_share_it_by_weight(
    machine: Guest, measured: dict[str, float]
) -> None:
    work = "--rw=read --bs=1m --iodepth=16"
    places = {"small": "--offset=0 --size=96m", "large": "--offset=128m --size=96m"}
    got = _shared(machine, **{name: f"{work} {place}" for name, place in places.items()})
    total, share = _told("1 MiB in sequence", got, 1)
    assert total == pytest.approx(measured["read_mb_per_s"], rel=WITHIN)
    assert SHARES[0] < share < SHARES[1]


def test_writes_at_random_places_have_the_measured_rate_and_share_it_by_weight(
    machine: Guest, measured: dict[str, float]
) -> None:
    work = "--rw=randwrite --bs=4k --iodepth=32"
    total, share = _told("4 KiB written at random", _shared(machine, small=work, large=work), 0)
    assert total == pytest.approx(measured["write_iops"], rel=WITHIN)
    assert SHARES[0] < share < SHARES[1]


@contextmanager
def _applied_in_part(guest: Guest) -> Iterator[dict[str, Any]]:
    """The same plan with a `rate_share`, in place of the other until the end of the block; what `apply` says of it."""
    document = json.loads(guest.said("cat /srv/plan.json"))
    document["data"]["disks"][0]["rate_share"] = RATE_SHARE
    guest.put("/srv/part.json", json.dumps(document).encode())
    guest.said(f"{COMMAND} host slice revert", timeout_s=240)
    said = guest.said(f"{COMMAND} host slice apply /srv/part.json --way cgroup-v2 --json", timeout_s=240)
    try:
        yield json.loads(said)
    finally:
        guest.said(f"{COMMAND} host slice revert", timeout_s=240)
        guest.said(f"{COMMAND} host slice apply /srv/plan.json --way cgroup-v2", timeout_s=240)


def test_of_a_share_of_the_rates_one_alone_has_no_more_and_two_share_it_by_weight(
    machine: Guest, measured: dict[str, float]
) -> None:
    work = "--rw=randread --bs=4k --iodepth=32"
    with _applied_in_part(machine) as said:
        verified = json.loads(machine.run(f"{COMMAND} host slice verify --json", timeout_s=240).text)
        alone = _shared(machine, large=work)["large"][0]
        total, share = _told("a share of the rates", _shared(machine, small=work, large=work), 0)
    print(f"alone {alone:.1f}, of {measured['read_iops']:.1f}")
    assert "slices-rate-share" in {one["code"] for one in said["warnings"]}
    assert "slice-setting" not in {one["code"] for one in verified["data"]["findings"]}
    left = RATE_SHARE * GONE_BY * measured["read_iops"]
    assert alone == pytest.approx(left, rel=WITHIN)
    assert total == pytest.approx(left, rel=WITHIN)
    assert SHARES[0] < share < SHARES[1]


def test_without_it_both_have_as_much(machine: Guest, measured: dict[str, float]) -> None:
    """Weights alone do nothing where no scheduler heeds them."""
    number = _number(machine)
    before = machine.said(f"grep '^{number} ' {TOP}/io.cost.qos").strip()
    machine.said(f"echo '{number} enable=0' > {TOP}/io.cost.qos")
    try:
        work = "--rw=randread --bs=4k --iodepth=32"
        total, share = _told("without io.cost", _shared(machine, small=work, large=work), 0)
    finally:
        machine.said(f"echo '{before}' > {TOP}/io.cost.qos")
    assert total == pytest.approx(measured["read_iops"], rel=WITHIN)
    assert 0.8 < share < 1.25

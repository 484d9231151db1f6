"""Devices of a known rate or latency: what fio and Plimsoll say of them, side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

COMMAND_S = 180.0
"""In software Python alone takes many seconds to start."""
READS_PER_S = 200
COMPLETION_MS, DELAY_MS = 2, 8
NULL, NULL_MIB = "/sys/kernel/config/nullb/timed", 64


@pytest.fixture(scope="module")
def null_device(guest: Guest) -> Iterator[str]:
    """A null_blk that completes each request after its time, and has the name of its folder of settings."""
    guest.said("modprobe null_blk nr_devices=0 && mount -t configfs config /sys/kernel/config")
    guest.said(f"mkdir {NULL} && cd {NULL} && {settings()}")
    guest.said(f"dd if=/dev/urandom of=/dev/timed bs=1M count={NULL_MIB} oflag=direct", timeout_s=COMMAND_S)
    yield "/dev/timed"
    guest.said(f"rmdir {NULL} && umount /sys/kernel/config && modprobe --remove null_blk")


def settings() -> str:
    """It keeps what is written, as Plimsoll measures no device of zeros; the power comes last."""
    wanted = {
        "size": NULL_MIB,
        "memory_backed": 1,
        "irqmode": 2,
        "completion_nsec": COMPLETION_MS * 1_000_000,
        "power": 1,
    }
    return " && ".join(f"echo {value} > {name}" for name, value in wanted.items())


def fio(guest: Guest, target: str, seconds: int = 4) -> dict[str, Any]:
    """What fio says of random reads, one at a time."""
    words = f"--filename={target} --rw=randread --bs=4k --direct=1 --ioengine=psync"
    told = guest.said(
        f"fio --name=reads {words} --time_based --runtime={seconds} --size=64m --output-format=json",
        timeout_s=COMMAND_S,
    )
    return json.loads(told)["jobs"][0]["read"]


def plimsoll_io(guest: Guest, target: str, seconds: int = 4) -> dict[str, Any]:
    words = f"--rw randread --block 4k --depth 1 --runtime {seconds} --json"
    return json.loads(guest.said(f"plimsoll io {target} {words}", timeout_s=COMMAND_S))["data"]


def test_plimsoll_runs_in_the_guest(guest: Guest) -> None:
    assert guest.said("plimsoll --version", timeout_s=COMMAND_S).startswith("plimsoll ")
    data = json.loads(
        guest.said(f"plimsoll io {guest.disk(1)} --engine null --runtime 1 --json", timeout_s=COMMAND_S)
    )["data"]
    assert data["ios"] > 0


@contextmanager
def delayed(guest: Guest, device: str) -> Iterator[str]:
    """A device of device-mapper that waits before each I/O to the other one."""
    table = f"0 $(blockdev --getsz {device}) delay {device} 0 {DELAY_MS}"
    guest.said(f'modprobe dm-delay; dmsetup create late --noudevsync --table "{table}"')
    try:
        yield "/dev/dm-0"
    finally:
        guest.said("dmsetup remove --noudevsync late")


def latencies_ms(guest: Guest, target: str) -> tuple[float, float]:
    """Medians by fio and by Plimsoll."""
    fio_ns = fio(guest, target)["clat_ns"]["percentile"]["50.000000"]
    return fio_ns / 1e6, plimsoll_io(guest, target)["latency_us"]["p50"] / 1e3


def test_of_a_latency_both_say_the_same(guest: Guest, null_device: str) -> None:
    """The kernel adds to the time asked for, in software a good deal, and to both the same."""
    by_fio, by_plimsoll = latencies_ms(guest, null_device)
    assert min(by_fio, by_plimsoll) >= COMPLETION_MS
    assert by_plimsoll == pytest.approx(by_fio, rel=0.15)


def test_of_a_delay_before_it_both_say_the_same(guest: Guest, null_device: str) -> None:
    with delayed(guest, null_device) as late:
        by_fio, by_plimsoll = latencies_ms(guest, late)
    assert min(by_fio, by_plimsoll) >= COMPLETION_MS + DELAY_MS
    assert by_plimsoll == pytest.approx(by_fio, rel=0.15)


def test_io_max_holds_both_at_the_cap(guest: Guest) -> None:
    """With one read outstanding the throttle's own clock takes some of the reads away; so there are four."""
    device = guest.disk(1)
    group = "/sys/fs/cgroup/capped"
    guest.said("echo +io > /sys/fs/cgroup/cgroup.subtree_control")
    guest.said(
        f'mkdir {group} && echo "$(cat /sys/block/{device[5:]}/dev) riops={READS_PER_S}" > {group}/io.max'
    )
    # The agent's own shell goes in, and what it starts; both are gone with their command.
    inside = f"echo $$ > {group}/cgroup.procs; "
    words = f"--filename={device} --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=4 --time_based --runtime=5"
    told = guest.said(
        f"{inside} fio --name=capped --readonly {words} --output-format=json", timeout_s=COMMAND_S
    )
    asked = f"plimsoll io {device} --rw randread --block 4k --depth 4 --runtime 5 --json"
    data = json.loads(guest.said(inside + asked, timeout_s=COMMAND_S))["data"]
    guest.said(f"rmdir {group}; echo -io > /sys/fs/cgroup/cgroup.subtree_control")
    assert json.loads(told)["jobs"][0]["read"]["iops"] == pytest.approx(READS_PER_S, rel=0.05)
    assert data["iops"] == pytest.approx(READS_PER_S, rel=0.05)

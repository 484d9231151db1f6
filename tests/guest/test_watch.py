"""The probes in the guest: older kernels take them as well, and count the same; and nothing of them stays there."""

from __future__ import annotations

import time
from typing import Any

import pytest

from guest_machine import Guest
from null_disks import null_disk
from watched_guest import held_by_kernel, said, watched

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

READS, BLOCK_BYTES = 3000, 4096
IOS, FIO_BYTES = 2000, 8192
NOTHING_SEEN = 5
"""Where no process commits meanwhile."""
PATIENCE_S = 120.0
UNENDED_MAX = READS // 200
"""Under load kernels do not tell of the end of up to one request in 200; the last of these may be in no row."""
FIO = f"fio --name=known --bs={FIO_BYTES} --norandommap --number_ios={IOS} --output-format=json --size=60m"


@pytest.fixture(params=["guest", "older_guest"])
def kernel(request: pytest.FixtureRequest) -> Guest:
    """Linux 6.1, and 5.10."""
    found: Guest = request.getfixturevalue(request.param)
    return found


def test_reads_of_an_older_kernel_are_counted_one_by_one(kernel: Guest) -> None:
    disk = kernel.disk(1)
    told = watched(
        kernel, f"dd if={disk} of=/dev/null bs={BLOCK_BYTES} count={READS} iflag=direct status=none"
    )
    rows = [row for row in told["rows"] if f"/dev/{row['device']}" == disk]
    ios, timed = sum(row["ios"] for row in rows), sum(row["latency_us"]["count"] for row in rows)
    assert 0 <= READS - ios <= UNENDED_MAX, rows
    assert {row["operation"] for row in rows} == {"read"}
    assert sum(row["bytes"] for row in rows) == ios * BLOCK_BYTES
    assert ios - told["untimed"] <= timed <= ios


def fio_counts(told: dict[str, Any], operation: str, file_kind: str) -> tuple[int, int]:
    """I/Os and bytes of fio itself."""
    rows = [
        row
        for row in told["rows"]
        if (row["role"], row["operation"], row["file_kind"]) == ("fio", operation, file_kind)
    ]
    return sum(row["ios"] for row in rows), sum(row["bytes"] for row in rows)


@pytest.mark.parametrize(
    ("words", "operation"),
    [
        ("--rw=randread --ioengine=psync", "read"),
        ("--rw=randwrite --ioengine=psync", "write"),
        ("--rw=randread --ioengine=libaio --iodepth=16", "read"),
        ("--rw=randwrite --ioengine=libaio --iodepth=16", "write"),
    ],
)
def test_direct_io_of_fio_is_counted_to_the_last(kernel: Guest, words: str, operation: str) -> None:
    with null_disk(kernel, 0, completion_ms=1) as disk:
        told = watched(
            kernel, f"{FIO} --direct=1 --filename={disk} {words} > /dev/null", words=f"--device {disk}"
        )
    assert fio_counts(told, operation, "unknown") == (IOS, IOS * FIO_BYTES), told["rows"]


def test_what_a_kernel_is_too_old_to_tell_is_said(older_guest: Guest) -> None:
    told = watched(
        older_guest, f"dd if={older_guest.disk(1)} of=/dev/null bs=4k count=10 iflag=direct status=none"
    )
    # Linux 5.11 brought what tells of the begin of requests that another takes in; releases of older ones have it as well.
    tells_merges = (
        older_guest.said("grep -c btf_trace_block_rq_merge /sys/kernel/btf/vmlinux || true").strip() != "0"
    )
    assert ("owners-at-issue" in {note["code"] for note in told["notes"]}) is not tells_merges


def test_reads_through_the_page_cache_are_the_files(kernel: Guest) -> None:
    place = "/mnt/kept"
    with null_disk(kernel, 0, completion_ms=1, mib=128, keeps=True) as disk:
        kernel.said(f"mkfs.ext4 -q {disk} && mkdir -p {place} && mount {disk} {place}")
        try:
            kernel.said(
                f"fio --name=made --filename={place}/file --size=60m --rw=write --bs=1m --end_fsync=1 > /dev/null"
            )
            kernel.said("echo 3 > /proc/sys/vm/drop_caches")
            random = "--rw=randread --ioengine=psync --fadvise_hint=random --invalidate=0"
            once_each = FIO.replace(" --norandommap", "")
            told = watched(
                kernel, f"{once_each} --filename={place}/file {random} > /dev/null", words=f"--device {disk}"
            )
            number = int(kernel.said(f"stat --format=%i {place}/file"))
        finally:
            kernel.said(f"umount {place}")
    rows = [row for row in told["rows"] if row["inode_number"] == number]
    assert {(row["role"], row["operation"]) for row in rows} == {("fio", "read")}, told["rows"]
    assert fio_counts(told, "read", "inode") == (IOS, IOS * FIO_BYTES), told["rows"]


def test_an_older_kernel_takes_the_probe_of_commits_too(kernel: Guest) -> None:
    told = said(kernel, "plimsoll commits --for 2s --json", 0, NOTHING_SEEN)["data"]
    assert told["duration_s"] >= 2.0


@pytest.mark.parametrize("signal", ["INT", "TERM"])
def test_an_end_by_signal_tells_what_was_seen_and_leaves_nothing_in_the_kernel(
    kernel: Guest, signal: str
) -> None:
    assert held_by_kernel(kernel) == []
    disk = kernel.disk(1)
    told = watched(
        kernel,
        f"dd if={disk} of=/dev/null bs={BLOCK_BYTES} count=100 iflag=direct status=none",
        signal=signal,
    )
    if signal == "INT":  # after TERM the store may take longer here than an end may take, which is said
        read = [row for row in told["rows"] if row["role"] == "dd" and f"/dev/{row['device']}" == disk]
        assert sum(row["ios"] for row in read) == 100, told[
            "rows"
        ]  # the program itself is read from another disk
    assert eventually_nothing(kernel) == []


@pytest.mark.parametrize("verb", ["watch", "commits"])
def test_a_killed_one_leaves_nothing_in_the_kernel(kernel: Guest, verb: str) -> None:
    kernel.said(f"setsid plimsoll {verb} > /tmp/told 2>&1 & echo $! > /tmp/watching")
    deadline_s = time.monotonic() + PATIENCE_S
    while not any(one.startswith("link") for one in held_by_kernel(kernel)):
        assert time.monotonic() < deadline_s, kernel.said("cat /tmp/told")
    kernel.said("kill -KILL $(cat /tmp/watching); rm /tmp/told /tmp/watching")
    assert eventually_nothing(kernel) == []


def eventually_nothing(guest: Guest) -> list[str]:
    """The kernel lets go of it a moment after the process has ended."""
    deadline_s = time.monotonic() + PATIENCE_S
    while (held := held_by_kernel(guest)) and time.monotonic() < deadline_s:
        time.sleep(0.2)
    return held

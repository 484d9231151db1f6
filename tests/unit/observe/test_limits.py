"""Limits of the kernel, from what it says of them and of what is used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.observe.limits import LimitWatch

PAGE = os.sysconf("SC_PAGE_SIZE")


def host(root: Path, **given: str) -> Path:
    """A host that is far from each limit but for what is given."""
    said = {
        "proc/sys/fs/aio-max-nr": "65536",
        "proc/sys/fs/aio-nr": "128",
        "proc/sys/fs/file-nr": "2000\t500\t100000",
        "proc/vmstat": _vmstat(10),
        "proc/meminfo": _meminfo(),
        "proc/100/comm": "postgres",
        "proc/100/status": _status(60_000),
        "proc/101/comm": "ora_lgwr_ORCL",
        "proc/101/status": _status(40_000),
        "proc/102/comm": "qemu-system-x86",
        "proc/102/status": _status(500_000),
        "sys/block/sda/inflight": "       3        4",
        "sys/block/sda/queue/nr_requests": "256",
        "sys/block/sda/mq/0/nr_tags": "100",
        "sys/block/sda/device/queue_depth": "32",
        "sys/block/nvme0n1/inflight": "0 0",
        "sys/block/nvme0n1/queue/nr_requests": "64",
        "sys/block/nvme0n1/mq/0/nr_tags": "1023",
        "sys/block/nvme0n1/mq/1/nr_tags": "1023",
        "sys/block/vda/inflight": "0 0",
        "sys/block/vda/queue/nr_requests": "256",
        "sys/block/vda/mq/0/nr_tags": "128",
        "sys/block/old/inflight": "0 0",
        "sys/block/old/queue/nr_requests": "128",
        "sys/block/old/mq/0/cpu_list": "0",
        "sys/block/dm-0/inflight": "900 900",
    }
    for name, text in (said | {name.replace("__", "/"): text for name, text in given.items()}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    return root


def _vmstat(dirty: int, writing: int = 0) -> str:
    thresholds = "nr_dirty_threshold 2000\nnr_dirty_background_threshold 1000"
    return f"nr_dirty {dirty}\nnr_writeback {writing}\n{thresholds}\npgfault 7"


def _meminfo(tables_kib: int = 99_000, free: int = 0, reserved: int = 0) -> str:
    """10 GB of memory, 4 GB of them shared, of which half a GB is in huge pages."""
    told = {"MemTotal": 10_000_000, "MemFree": 1_000, "PageTables": tables_kib, "Shmem": 4_096_000}
    lines = [f"{name}:       {kib} kB" for name, kib in told.items()]
    pages = {"HugePages_Total": 250 + free, "HugePages_Free": free, "HugePages_Rsvd": reserved}
    return "\n".join([*lines, *(f"{name}:  {pages[name]}" for name in pages), "Hugepagesize:  2048 kB"])


def _status(tables_kib: int, shared_kib: int = 9_000) -> str:
    return f"Name:\tany\nVmPTE:\t{tables_kib:8} kB\nRssShmem:\t{shared_kib} kB"


def bound(root: Path) -> list[tuple[str, str | None, int, int]]:
    limits = LimitWatch(root)
    limits.look()
    return [(one.name, one.of, one.value, one.used_max) for one in limits.binding()]


def test_where_nothing_binds_nothing_is_told(tmp_path: Path) -> None:
    assert bound(host(tmp_path)) == []
    assert bound(tmp_path / "of another kind") == []


@pytest.mark.parametrize(
    ("path", "just_not", "text", "wanted"),
    [
        ("proc/sys/fs/aio-nr", "58982", "58983", ("fs.aio-max-nr", None, 65_536, 58_983)),
        (
            "proc/sys/fs/file-nr",
            "90499 500 100000",
            "90500 500 100000",
            ("fs.file-max", None, 100_000, 90_000),
        ),
        (
            "proc/vmstat",
            _vmstat(1_400, 99),
            _vmstat(1_400, 100),
            ("vm.dirty", None, 1_500 * PAGE, 1_500 * PAGE),
        ),
        (
            "proc/meminfo",
            _meminfo(),
            _meminfo(tables_kib=100_000),
            ("vm.nr_hugepages", None, 250 << 21, (250 << 21) + (4_096_000 << 10)),
        ),
        (
            "proc/meminfo",
            _meminfo(tables_kib=900_000, free=2_000),
            _meminfo(tables_kib=900_000, free=2_000, reserved=1),
            ("vm.nr_hugepages", None, 2_250 << 21, (251 << 21) + (4_096_000 << 10)),
        ),
        ("sys/block/sda/inflight", "20 11", "20 12", ("queue_depth", "sda", 32, 32)),
        ("sys/block/vda/inflight", "100 27", "100 28", ("queue_depth", "vda", 128, 128)),
        ("sys/block/nvme0n1/inflight", "0 127", "0 128", ("nr_requests", "nvme0n1", 128, 128)),
        ("sys/block/old/inflight", "0 127", "0 128", ("nr_requests", "old", 128, 128)),
    ],
    ids=[
        "asynchronous I/Os",
        "open files",
        "dirty pages",
        "page tables of shared memory",
        "huge pages that others have reserved",
        "what a disk takes",
        "what its driver numbers",
        "room of its queues",
        "where nothing else is told",
    ],
)
def test_each_binds_from_its_own_point_on(
    tmp_path: Path, path: str, just_not: str, text: str, wanted: tuple[str, str | None, int, int]
) -> None:
    host(tmp_path)
    (tmp_path / path).write_text(just_not)
    assert bound(tmp_path) == []
    (tmp_path / path).write_text(text)
    assert bound(tmp_path) == [wanted]


def test_the_most_and_how_often_are_kept_and_the_advice_has_the_command(tmp_path: Path) -> None:
    limits = LimitWatch(host(tmp_path))
    for inflight, aio in (("30 10", "128"), ("40 10", "65000"), ("0 0", "128")):
        (tmp_path / "sys/block/sda/inflight").write_text(inflight)
        (tmp_path / "proc/sys/fs/aio-nr").write_text(aio)
        limits.look()
    queue, asynchronous = limits.binding()
    assert (queue.name, queue.used_max, queue.looks) == ("queue_depth", 50, 2)
    assert "echo 64 > /sys/block/sda/device/queue_depth" in queue.advice
    assert (asynchronous.used_max, asynchronous.looks) == (65_000, 1)
    assert "sysctl -w fs.aio-max-nr=131072" in asynchronous.advice


def test_without_any_huge_page_what_would_be_in_them_is_told(tmp_path: Path) -> None:
    none = _meminfo(tables_kib=200_000).replace("HugePages_Total:  250", "HugePages_Total:  0")
    limits = LimitWatch(host(tmp_path, proc__meminfo=none))
    limits.look()
    (found,) = limits.binding()
    assert (found.name, found.value, found.used_max) == ("vm.nr_hugepages", 0, 4_096_000 << 10)
    assert "vm.nr_hugepages=2000 has room" in found.advice
    assert "for the next boot, before the database starts" in found.advice
    assert "sysctl -w" not in found.advice, "it would take the memory that the host needs now"


@pytest.mark.parametrize(
    "given",
    [
        {"proc__100__comm": "java"},
        {"proc__100__status": _status(59_999)},
        {"proc__101__status": _status(40_000, shared_kib=0)},
        {"proc__101__status": "none of it"},
    ],
    ids=["of another program", "not enough", "all of it in huge pages", "not told"],
)
def test_page_tables_that_are_not_of_shared_memory_of_databases_are_no_reason_for_huge_pages(
    tmp_path: Path, given: dict[str, str]
) -> None:
    assert bound(host(tmp_path, proc__meminfo=_meminfo(tables_kib=900_000), **given)) == []


def test_what_the_kernel_says_otherwise_is_not_guessed(tmp_path: Path) -> None:
    strange = {
        "proc__sys__fs__aio-nr": "many",
        "proc__sys__fs__file-nr": "90500 100000",
        "sys__block__sda__inflight": "",
    }
    assert bound(host(tmp_path, **strange, proc__vmstat="nr_dirty 9999")) == []


def test_this_host_can_be_looked_at() -> None:
    limits = LimitWatch()
    limits.look()
    assert limits.looks == 1
    assert Path("/proc/sys/fs/aio-max-nr").exists(), "and says what it is asked for"

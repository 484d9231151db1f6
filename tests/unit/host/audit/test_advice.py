"""Advice that does what it says on the host that it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited_hosts import MadeHost, findings
from plimsoll.facts import HostFinding

_THP = "sys/kernel/mm/transparent_hugepage"
_HUGE = "sys/kernel/mm/hugepages"


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    return MadeHost(tmp_path)


def _found(host: MadeHost, name: str) -> HostFinding:
    (found,) = findings(host.audit(), name)
    return found


def _advice(host: MadeHost, name: str) -> str:
    return _found(host, name).advice or ""


@pytest.mark.parametrize(
    ("usual_kib", "size_kib", "start"),
    [
        (2048, 2048, "sysctl -w vm.nr_hugepages=0 "),
        (1 << 20, 2048, f"echo 0 > /{_HUGE}/hugepages-2048kB/nr_hugepages "),
        (1 << 20, 1 << 20, "sysctl -w vm.nr_hugepages=0 "),
        (2048, 1 << 20, f"echo 0 > /{_HUGE}/hugepages-1048576kB/nr_hugepages "),
        (None, 2048, f"echo 0 > /{_HUGE}/hugepages-2048kB/nr_hugepages "),
    ],
)
def test_huge_pages_of_the_usual_size_alone_are_those_of_the_sysctl(
    host: MadeHost, usual_kib: int | None, size_kib: int, start: str
) -> None:
    host.change("proc/meminfo", "Hugepagesize: 2048 kB", f"Hugepagesize: {usual_kib} kB" if usual_kib else "")
    for name, many in (("nr", 8), ("free", 8), ("resv", 0)):
        host.write(f"{_HUGE}/hugepages-{size_kib}kB/{name}_hugepages", str(many))
    assert _advice(host, "huge-pages-unused").startswith(start)


@pytest.mark.parametrize(
    ("listed", "better"),
    [("[always] defer defer+madvise madvise never", "defer+madvise"), ("[always] madvise never", "madvise")],
)
def test_what_the_kernel_lists_is_advised_against_compaction(
    host: MadeHost, listed: str, better: str
) -> None:
    host.write(f"{_THP}/defrag", listed)
    assert _advice(host, "compaction-in-allocation").startswith(f"echo {better} > ")


def _used_up(host: MadeHost, **settings: int) -> None:
    for name, value in ({"memory": 2} | settings).items():
        host.write(f"proc/sys/vm/overcommit_{name}", str(value))
    host.change("proc/meminfo", "Committed_AS: 8388608", "Committed_AS: 41943000")


@pytest.mark.parametrize(
    ("settings", "start"),
    [
        ({"ratio": 50, "kbytes": 0}, "sysctl -w vm.overcommit_ratio=90 "),
        ({"ratio": 95, "kbytes": 0}, "vm.overcommit_ratio is 95 already, "),
        ({"ratio": 0, "kbytes": 1_000_000}, "sysctl -w vm.overcommit_kbytes=60383232 "),
        ({"ratio": 0, "kbytes": 61_000_000}, "vm.overcommit_kbytes is 61000000 already, "),
        ({"ratio": 50}, "sysctl -w vm.overcommit_ratio=90 "),
        ({}, "A higher vm.overcommit_ratio "),
    ],
)
def test_what_raises_the_limit_of_promises_is_advised(
    host: MadeHost, settings: dict[str, int], start: str
) -> None:
    _used_up(host, **settings)
    found = _found(host, "memory-overcommitted")
    assert (found.severity, (found.advice or "")[: len(start)]) == ("wrong", start)
    told = next(one.value for one in found.seen if one.path == "/proc/meminfo")
    assert told.startswith("CommitLimit 41943036 kB, Committed_AS 41943000 kB")


def test_huge_pages_of_all_sizes_are_left_out_where_the_kernel_tells_them(host: MadeHost) -> None:
    _used_up(host, kbytes=1)
    host.change("proc/meminfo", "Hugepagesize: 2048 kB", "Hugepagesize: 2048 kB\nHugetlb: 33554432 kB")
    assert _advice(host, "memory-overcommitted").startswith("sysctl -w vm.overcommit_kbytes=30198988 ")


def test_strict_mode_is_advised_where_it_refuses_nothing_at_once(host: MadeHost) -> None:
    host.process(40, "postgres", oom_score_adj="0")
    assert "Or sysctl -w vm.overcommit_memory=2 " in _advice(host, "memory-overcommitted")
    _used_up(host, memory=0)
    advice = _advice(host, "memory-overcommitted")
    assert "sysctl" not in advice
    assert "OOMScoreAdjust=-1000" in advice
    assert "vm.overcommit_memory=2 would refuse memory at once" in advice
    host.change("proc/meminfo", "CommitLimit", "Other")
    assert "which is not told here" in _advice(host, "memory-overcommitted")

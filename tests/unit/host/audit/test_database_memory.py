"""What an audit finds of databases' memory on a made-up host: in the swap, in small pages, and promised."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited_hosts import GIB, MadeHost, alone, findings, of_rule, postgres, shared


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    return MadeHost(tmp_path)


def test_swap_that_a_database_is_in(host: MadeHost) -> None:
    sizes = "VmRSS: 1000 kB\nVmSwap: {} kB\nVmPTE: 1 kB"
    postgres(host, sizes=sizes.format(10), smaps_rollup="Swap: 30 kB")
    assert of_rule(host.audit(), "database-in-swap").outcome == "nothing found"
    host.change("proc/meminfo", "SwapFree: 8388604", "SwapFree: 8000000")
    assert alone(host, "database-in-swap").message == "30 KiB of its memory are in the swap"
    postgres(host, sizes=sizes.format(65_536), smaps_rollup="Swap: 65536 kB")
    assert alone(host, "database-in-swap").severity == "wrong"
    host.remove("proc/40/smaps_rollup")
    assert alone(host, "database-in-swap").severity == "doubt"


def test_swappiness_counts_where_there_is_swap_and_a_database(host: MadeHost) -> None:
    host.write("proc/sys/vm/swappiness", "60")
    assert of_rule(host.audit(), "swappiness-high").outcome == "does not apply"
    postgres(host)
    assert alone(host, "swappiness-high").message.startswith("vm.swappiness is 60")
    host.write("proc/swaps", "Filename Type Size Used Priority")
    assert of_rule(host.audit(), "swappiness-high").reason == "the host has no swap"


@pytest.mark.parametrize(
    ("kib", "tables_kib", "huge", "severity"),
    [
        (2 << 20, 100, False, "hint"),
        (2 << 20, 700_000, False, "wrong"),
        (1 << 19, 700_000, False, None),
        (2 << 20, 0, True, None),
    ],
)
def test_shared_memory_in_small_pages(
    host: MadeHost, kib: int, tables_kib: int, huge: bool, severity: str | None
) -> None:
    sizes = f"VmRSS: {kib} kB\nVmSwap: 0 kB\nVmPTE: {tables_kib} kB"
    maps = shared(kib // 2048, 2048) if huge else shared(kib // 4)
    postgres(host, sizes=sizes, numa_maps=maps)
    found = findings(host.audit(), "huge-pages-missing")
    assert [one.severity for one in found] == ([] if severity is None else [severity])
    if severity is not None:
        assert "2 GiB of its shared memory lie in small pages" in found[0].message
        assert found[0].advice is not None
        assert "vm.nr_hugepages = 1031" in found[0].advice
        assert kib << 10 == 2 * GIB


@pytest.mark.parametrize(
    ("score", "mode", "is_found"), [("0", "0", True), ("-1000", "0", False), ("0", "2", False)]
)
def test_a_postgresql_that_may_be_killed(host: MadeHost, score: str, mode: str, is_found: bool) -> None:
    postgres(host, oom_score_adj=score)
    host.write("proc/sys/vm/overcommit_memory", mode)
    found = findings(host.audit(), "memory-overcommitted")
    assert [one.severity for one in found] == (["hint"] if is_found else [])


def test_promises_of_memory_that_are_used_up(host: MadeHost) -> None:
    host.write("proc/sys/vm/overcommit_memory", "2")
    host.change("proc/meminfo", "Committed_AS: 8388608", "Committed_AS: 41943000")
    assert alone(host, "memory-overcommitted").severity == "wrong"

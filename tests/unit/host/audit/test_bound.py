"""A database is bound where it may run on some nodes alone, not where it may not run on some CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited_hosts import MadeHost, findings, pages


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    return MadeHost(tmp_path)


@pytest.mark.parametrize(
    ("cpus", "severity"), [("0-3", "wrong"), ("1", "wrong"), ("1-7", "hint"), ("3-4", "hint")]
)
def test_balancing_is_wrong_beside_what_is_bound_to_nodes(host: MadeHost, cpus: str, severity: str) -> None:
    host.process(40, "postgres", cpus)
    host.write("proc/sys/kernel/numa_balancing", "1")
    (found,) = findings(host.audit(), "automatic-numa-balancing")
    assert (found.severity, "is bound" in found.message) == (severity, severity == "wrong")


def test_a_database_beside_an_isolated_cpu_is_still_told_that_its_memory_is_on_one_node(
    host: MadeHost,
) -> None:
    host.process(40, "postgres", "1-7", numa_maps=pages(N0=300_000, N1=10_000))
    assert [one.severity for one in findings(host.audit(), "memory-elsewhere")] == ["hint"]

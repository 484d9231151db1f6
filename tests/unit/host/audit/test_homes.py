"""Whose memory is at home: of nodes without CPUs, of nodes with several numbers, and of graphics cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited_hosts import MadeHost, findings, of_rule, pages

_NODE = "sys/devices/system/node"


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    return MadeHost(tmp_path)


def _memory_node(host: MadeHost, distances: str) -> None:
    """Node 2 has memory alone; distances from nodes 0, 1 and 2 to it."""
    host.write(f"{_NODE}/node2/cpulist", "")
    host.write(f"{_NODE}/node2/meminfo", "Node 2 MemTotal: 33554432 kB")
    for node, (row, far) in enumerate(zip(("10 21", "21 10"), distances.split(), strict=False)):
        host.write(f"{_NODE}/node{node}/distance", f"{row} {far}")
    host.write(f"{_NODE}/node2/distance", distances)
    host.change("proc/meminfo", "MemTotal: 67108864", "MemTotal: 100663296")


def _severities(host: MadeHost, cpus: str, mems: str, maps: str) -> list[str]:
    host.process(40, "postgres", cpus, mems=mems, numa_maps=maps)
    return [one.severity for one in findings(host.audit(), "memory-elsewhere")]


@pytest.mark.parametrize(
    ("distances", "near", "cpus", "is_home"),
    [
        ("14 24 10", "", "0-3", True),
        ("14 24 10", "", "4-7", False),
        ("14 24 10", "node1", "4-7", True),
        ("14 24 10", "node1", "0-3", False),
        ("20 20 10", "", "4-7", True),
    ],
)
def test_memory_without_cpus_is_home_of_the_cpus_near_to_it(
    host: MadeHost, distances: str, near: str, cpus: str, is_home: bool
) -> None:
    _memory_node(host, distances)
    if near:
        host.write(f"{_NODE}/node2/access0/initiators/{near}/meminfo", "")
    assert _severities(host, cpus, "0-2", pages(N2=1000)) == ([] if is_home else ["wrong"])
    (database,) = host.audit().databases
    assert database.memory_elsewhere_bytes == (0 if is_home else 4_096_000)
    assert _severities(host, cpus, "2", pages(N2=1000)) == ([] if is_home else ["wrong"])


def test_where_no_distance_is_told_it_is_home_of_all(host: MadeHost) -> None:
    _memory_node(host, "14 24 10")
    for node in range(3):
        host.remove(f"{_NODE}/node{node}/distance")
    assert _severities(host, "4-7", "0-2", pages(N2=1000)) == []


def test_memory_near_by_is_named_beside_what_is_elsewhere(host: MadeHost) -> None:
    _memory_node(host, "24 14 10")
    assert _severities(host, "4-7", "0-2", pages(N0=500, N1=250, N2=250)) == ["wrong"]
    (found,) = findings(host.audit(), "memory-elsewhere")
    assert "on other nodes than node 1, on whose CPUs it may run, and than node 2 near to these" in (
        found.message
    )
    assert found.advice is not None
    assert found.advice.startswith("migratepages 40 0 1 moves")


def test_a_node_with_several_numbers_is_home_by_each(host: MadeHost) -> None:
    for node in range(2):
        host.write(f"{_NODE}/node{node}/cpulist", "0-7")
    _memory_node(host, "14 14 10")
    assert _severities(host, "0-7", "1", pages(N1=1000)) == []


def _card(host: MadeHost) -> None:
    """Node 2 is the memory of a graphics card."""
    _memory_node(host, "14 24 10")
    host.write("proc/driver/nvidia/gpus/0000:01:00.0/numa_status", "Node: 2\nStatus: online")


def test_memory_of_a_graphics_card_is_home_of_no_database(host: MadeHost) -> None:
    _card(host)
    assert _severities(host, "0-3", "0-2", pages(N2=1000)) == ["wrong"]


def test_a_host_with_one_node_and_a_graphics_card_has_no_far_memory(host: MadeHost) -> None:
    _card(host)
    host.write(f"{_NODE}/online", "0,2")
    host.write(f"{_NODE}/node0/cpulist", "0-7")
    host.write("proc/sys/kernel/numa_balancing", "1")
    assert of_rule(host.audit(), "automatic-numa-balancing").reason == "the host has one NUMA node"

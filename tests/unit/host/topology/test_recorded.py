"""Recorded machines, held against what hwloc's tests expect of them: a few small ones always, all of them where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import Topology
from plimsoll.host.topology import read_topology
from plimsoll.host.topology.allowed import read_allowed
from plimsoll.host.topology.archive import ArchiveTree
from plimsoll.host.topology.tree import Problems, Reader
from recorded_topologies import FOLDER, KEPT, WITHOUT_CPUS, expected, names

CORES_FILTERED = "16amd64-4n4c-cgroup-distance-merge.tar.bz2"
"""Its expectation was made with cores left out; the archive has one for each CPU."""


def _allowed_cpus(found: Topology) -> set[int]:
    return {cpu.id for cpu in found.cpus if cpu.online and cpu.allowed is not False}


def _nodes_with_memory(found: Topology) -> set[int]:
    """Those that hwloc shows: with memory, allowed, and not of a graphics card."""
    return {
        node.id
        for node in found.nodes
        if node.memory_bytes != 0 and node.allowed is not False and not node.is_gpu
    }


def _check(name: str, folder: Path) -> None:
    found, wanted = read_topology(str(folder / name)), expected(name, folder)
    cpus = _allowed_cpus(found)
    assert cpus == wanted.cpus
    assert _nodes_with_memory(found) == wanted.nodes
    if name != CORES_FILTERED:
        assert {frozenset(core.cpus) & cpus for core in found.cores} - {frozenset()} == wanted.cores
    ids = [node.id for node in found.nodes]
    distances = {(ids[i], ids[j]): d for i, row in enumerate(found.distances) for j, d in enumerate(row)}
    assert {pair: distances[pair] for pair in wanted.distances} == wanted.distances


@pytest.mark.parametrize("name", names(KEPT))
def test_a_small_machine_is_read_as_expected(name: str) -> None:
    _check(name, KEPT)


@pytest.mark.slow
@pytest.mark.skipif(
    not names(), reason=f"no recorded machines in {FOLDER}; PLIMSOLL_TOPOLOGIES names another"
)
@pytest.mark.parametrize("name", names())
def test_every_machine_is_read_as_expected(name: str) -> None:
    _check(name, FOLDER)


def test_the_kept_machines_are_tested() -> None:
    assert len(names(KEPT)) == 7


def test_a_recording_without_cpus_is_refused_and_its_cpuset_can_be_read() -> None:
    path = KEPT / WITHOUT_CPUS
    with pytest.raises(UsageError, match="has no CPUs") as error:
        read_topology(str(path))
    assert error.value.id == "topology-unknown"
    tree = ArchiveTree(path.name, path.read_bytes(), Problems())
    (tree.root,) = tree.names("")
    allowed = read_allowed(Reader(tree))
    assert allowed is not None
    assert allowed.cpus == (1, 2, 3, 4, 5, 6, 10, 12, 13, 14)
    assert (allowed.nodes, allowed.group) == ((1, 2), "/dummy")


def test_cpus_outside_of_the_cpuset_are_there_and_not_allowed() -> None:
    found = read_topology(str(KEPT / "16amd64-8n2c-cpusets.tar.bz2"))
    offline = [cpu.id for cpu in found.cpus if not cpu.online]
    assert (len(found.cpus), offline) == (16, [4])
    assert {cpu.id for cpu in found.cpus if cpu.allowed} == {0, 1, 2, 3, 4, 5, 6, 12, 13, 14, 15}
    assert [node.id for node in found.nodes if node.allowed] == [1, 2, 3, 4]
    assert found.allowed is not None
    assert found.allowed.source == "/dev/cpuset/dummy/cpus"


def test_nodes_that_claim_the_same_cpus_are_named_and_the_smallest_has_them() -> None:
    found = read_topology(str(KEPT / "fakeheterocpunuma.tar.bz2"))
    assert [problem.code for problem in found.problems] == ["topology-nodes-overlap"]
    homes = {cpu.id: cpu.node for cpu in found.cpus}
    assert (homes[20], homes[16], homes[12]) == (3, 4, 5)
    assert found.nodes[2].cpus == ()
    assert {core.kind for core in found.cores} == {1, 2}


def test_a_kernel_without_nodes_means_one_of_unknown_distance() -> None:
    found = read_topology(str(KEPT / "2arm-2c.tar.bz2"))
    assert found.is_one_node_meant
    assert [node.cpus for node in found.nodes] == [(0, 1)]
    assert found.distances == ((None,),)


def test_cores_that_nothing_tells_are_not_guessed() -> None:
    found = read_topology(str(KEPT / "4fake-4gr1nu1pu.tar.bz2"))
    assert found.cores == ()
    assert [problem.code for problem in found.problems] == ["topology-cores-untold"]

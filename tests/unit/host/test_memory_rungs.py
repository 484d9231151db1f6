"""Which working set stands for which cache, which memory is read from, and what is said where nothing is known."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection
from dataclasses import dataclass

import pytest

import facts_topology
from plimsoll.facts import Topology, TopologyCache
from plimsoll.host import memory_bench, memory_rungs
from plimsoll.host.memory_rungs import Rungs, Wish, measure
from plimsoll.native.memories import Chase
from plimsoll.ports import files

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
CPU = 3
_Sizes = tuple[tuple[int, int | None], ...]


def _cached(*sizes: tuple[int, int | None]) -> Topology:
    """A host of two nodes whose CPU 3 has these caches, and one of instructions that is not meant."""
    caches = [
        TopologyCache(level=level, kind="unified", size_bytes=size, cpus=(CPU,)) for level, size in sizes
    ]
    code = TopologyCache(level=1, kind="instruction", size_bytes=4 * KIB, cpus=(CPU,))
    return facts_topology.topology().but(caches=(code, *caches))


TOPOLOGY = _cached((1, 32 * KIB), (2, MIB), (3, 30 * MIB))


@dataclass(frozen=True)
class _Place:
    """Memory whose latency says how it was asked for."""

    cpus: tuple[int, ...]
    node: int | None = None
    huge_bytes: int | None = None
    is_cut: Callable[[], bool] = lambda: False

    def chase(self, size_bytes: int, runtime_s: float) -> Chase:
        return Chase(
            size_bytes / KIB + (0 if self.node is None else 0.5 * self.node), 1.0 if self.huge_bytes else None
        )


class _Contained(_Place):
    """May name no node."""

    def chase(self, size_bytes: int, runtime_s: float) -> Chase:
        if self.node is not None:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return super().chase(size_bytes, runtime_s)


class _Full(_Place):
    """Has no memory of node 1."""

    def chase(self, size_bytes: int, runtime_s: float) -> Chase:
        if self.node == 1:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return super().chase(size_bytes, runtime_s)


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(memory_rungs, "Place", _Place)
    monkeypatch.setattr(files, "read_text", lambda path: "always [madvise] never")
    return monkeypatch


def _rungs(
    topology: Topology = TOPOLOGY,
    free: int | None = 64 * GIB,
    usable: Collection[int] = range(CPU + 1),
    set_bytes: int | None = None,
    node_free: int | None = 64 * GIB,
    is_cut: bool = False,
) -> Rungs:
    return measure(topology, usable, Wish(0.1, set_bytes, lambda: is_cut), free, lambda node: node_free)


def _sets(found: Rungs) -> dict[str, int | None]:
    return {one.name: one.working_set_bytes for one in found.rungs}


def _reason(found: Rungs, name: str) -> tuple[str, str]:
    (rung,) = (one for one in found.rungs if one.name == name)
    assert rung.latency_ns is None
    return rung.state, rung.reason or ""


def test_each_cache_has_a_set_of_its_own_and_memory_four_times_the_last() -> None:
    found = _rungs()
    assert _sets(found) == {
        "L1 cache": 16 * KIB,
        "L2 cache": 256 * KIB,
        "L3 cache": 8 * MIB,
        "memory of node 0": 120 * MIB,
        "memory of node 1, from node 0": 120 * MIB,
    }
    assert (found.cpu, found.notes) == (CPU, ())
    assert [one.latency_ns for one in found.rungs[:2]] == [16.0, 256.0]
    assert [one.memory_node for one in found.rungs] == [0, 0, 0, 0, 1]
    assert {one.huge_share for one in found.rungs} == {1.0}
    assert [one.price_name for one in found.rungs] == ["l1", "l2", "l3", "dram", "dram"]


def test_huge_pages_are_not_asked_for_where_the_kernel_makes_none(made: pytest.MonkeyPatch) -> None:
    made.setattr(files, "read_text", lambda path: "always madvise [never]")
    assert {one.huge_share for one in _rungs().rungs} == {None}
    assert memory_bench.makes_huge() is False


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        (((1, 32 * KIB),), "the kernel tells of no L2 cache of CPU 3"),
        (((1, 32 * KIB), (2, None)), "the kernel tells of no L2 cache of CPU 3"),
    ],
)
def test_a_cache_that_is_not_told_of_is_absent(sizes: _Sizes, wanted: str) -> None:
    assert _reason(_rungs(_cached(*sizes)), "L2 cache") == ("absent", wanted)


def test_a_cache_hardly_larger_than_the_one_above_has_no_set_of_its_own() -> None:
    state, reason = _reason(_rungs(_cached((1, 64 * KIB), (2, 255 * KIB))), "L2 cache")
    assert state == "not measured"
    assert "less than four times the cache above" in reason
    assert _sets(_rungs(_cached((1, 64 * KIB), (2, 256 * KIB))))["L2 cache"] == 128 * KIB


def test_memory_that_is_short_bounds_the_set_and_that_is_said() -> None:
    found = _rungs(free=800 * MIB)
    assert _sets(found)["memory of node 0"] == 100 * MIB
    assert {note.code for note in found.notes} == {"ladder-set-small"}
    assert (
        "100 MiB, less than four times the last cache, of which the kernel tells 30 MiB"
        in found.notes[0].message
    )
    assert _sets(_rungs(node_free=880 * MIB))["memory of node 1, from node 0"] == 110 * MIB


def test_too_little_memory_is_a_reason() -> None:
    found = _rungs(free=40 * KIB)
    assert {one.state for one in found.rungs} == {"not measured"}
    assert "an eighth of what is free, 5 KiB, is too little" in _reason(found, "memory of node 0")[1]
    assert _reason(_rungs(free=None), "L1 cache")[1] == "how much memory is free is not told"
    assert _reason(_rungs(node_free=None), "memory of node 0")[1] == "how much memory is free is not told"


def test_a_set_that_was_asked_for_is_had_or_refused() -> None:
    assert _sets(_rungs(set_bytes=16 * MIB))["memory of node 0"] == 16 * MIB
    assert _reason(_rungs(set_bytes=16 * GIB), "memory of node 0")[0] == "not measured"


def test_a_node_that_refuses_is_named_and_the_others_are_measured(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_rungs, "Place", _Full)
    found = _rungs()
    assert _reason(found, "memory of node 1, from node 0") == ("not measured", "cannot allocate memory")
    assert _sets(found)["memory of node 0"] == 120 * MIB


def test_in_a_container_near_memory_is_what_the_kernel_gives(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_rungs, "Place", _Contained)
    found = _rungs()
    assert [one.memory_node for one in found.rungs if one.latency_ns] == [None] * 4
    assert "CAP_SYS_NICE" in _reason(found, "memory of node 1, from node 0")[1]
    assert "ladder-first-touch" in {note.code for note in found.notes}


def test_a_host_of_one_node_has_no_memory_of_another() -> None:
    whole = facts_topology.topology()
    one = TOPOLOGY.but(nodes=whole.nodes[:1], distances=((10,),))
    found = _rungs(one)
    assert _reason(found, "memory of another node")[0] == "absent"
    assert _sets(found)["memory of node 0"] == 120 * MIB


def test_nothing_may_run_and_that_is_said() -> None:
    found = _rungs(usable=())
    assert found.cpu is None
    assert {(one.state, one.reason) for one in found.rungs} == {
        ("not measured", "no CPU may be used from here")
    }


def test_what_is_left_when_it_is_interrupted_is_named() -> None:
    assert {one.reason for one in _rungs(is_cut=True).rungs} == {"it was interrupted before"}

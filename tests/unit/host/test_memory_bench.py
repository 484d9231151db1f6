"""How large arrays are, which nodes are measured from which, and what the figures are of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pytest

import facts_topology
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.facts import MemoryBench, Topology
from plimsoll.host import memory_bench
from plimsoll.host.memory_bench import measure, sizes
from plimsoll.ports import files

MIB, GIB = 1 << 20, 1 << 30
TOPOLOGY = facts_topology.topology()


def test_arrays_are_four_times_the_last_cache_of_a_node() -> None:
    found = sizes(TOPOLOGY, 64 * GIB, None)
    assert (found.array_bytes, found.cache_bytes, found.bound) == (120 * MIB, 30 * MIB, None)


def test_free_memory_bounds_arrays_and_that_is_said() -> None:
    found = sizes(TOPOLOGY, 320 * MIB, None)
    assert found.array_bytes == 20 * MIB
    assert found.bound == "four times the caches of 30 MiB would be more than a sixteenth of the free memory"


def test_arrays_that_are_asked_for_are_had_where_there_is_room() -> None:
    assert sizes(TOPOLOGY, 64 * GIB, 120 * MIB).bound is None
    assert sizes(TOPOLOGY, 64 * GIB, 119 * MIB).bound == "--size asked for less than four times 30 MiB"
    with pytest.raises(UsageError) as caught:
        sizes(TOPOLOGY, GIB, GIB)
    assert caught.value.id == "bench-memory-room"
    assert "1 GiB are free" in (caught.value.hint or "")


def test_caches_that_are_not_told_are_said() -> None:
    found = sizes(TOPOLOGY.but(caches=()), 16 * GIB, None)
    assert (found.array_bytes, found.cache_bytes) == (GIB, None)
    assert found.bound is not None


def test_nothing_is_measured_where_nobody_tells_what_is_free() -> None:
    with pytest.raises(WorldError) as caught:
        sizes(TOPOLOGY, None, None)
    assert caught.value.id == "bench-memory-unknown"


@dataclass(frozen=True)
class _Place:
    """Memory whose speed is made of where it is asked from."""

    cpus: tuple[int, ...]
    node: int | None = None
    is_huge: bool = False

    @property
    def distance(self) -> float:
        return 1.0 if self.node is None or self.cpus[0] // 4 == self.node else 2.0

    def streams(
        self, asked: Sequence[tuple[str, bool]], array_bytes: int, runtime_s: float
    ) -> list[tuple[float, float]]:
        rate = len(self.cpus) * 1000.0 / self.distance
        return [(rate, rate + array_bytes / MIB + non_temporal) for _, non_temporal in asked]

    def chase_ns(self, size_bytes: int, runtime_s: float) -> float:
        return self.distance * (50.0 if self.is_huge else 100.0)

    def updates_per_s(self, size_bytes: int, runtime_s: float) -> list[float]:
        return [100.0 + cpu for cpu in self.cpus]


class _Refusing(_Place):
    def chase_ns(self, size_bytes: int, runtime_s: float) -> float:
        raise OSError(22, "Invalid argument")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(memory_bench, "Place", _Place)
    monkeypatch.setattr(memory_bench, "has_non_temporal", lambda: True)
    monkeypatch.setattr(files, "read_text", lambda path: "always [madvise] never")
    return monkeypatch


def _measured(topology: Topology = TOPOLOGY, usable: Collection[int] = range(8)) -> MemoryBench:
    return measure(topology, usable, sizes(topology, 64 * GIB, 64 * MIB), 0.1, lambda: False)


def test_each_node_is_measured_from_each(made: pytest.MonkeyPatch) -> None:
    found = _measured()
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [(one.cpu_node, one.memory_node) for one in found.updates] == pairs
    triads = {
        (one.cpu_node, one.memory_node, one.store): one for one in found.streams if one.kernel == "triad"
    }
    assert {key: one.mb_per_s for key, one in triads.items() if key[2] == "ordinary"} == {
        (0, 0, "ordinary"): 4000.0,
        (0, 1, "ordinary"): 2000.0,
        (1, 0, "ordinary"): 1500.0,
        (1, 1, "ordinary"): 3000.0,
    }
    assert triads[0, 0, "ordinary"].mb_per_s_max == 4016.0, "each of four threads has a quarter of the array"
    assert triads[0, 0, "non-temporal"].mb_per_s_max == 4017.0
    assert len(found.streams) == 4 * 2 * len(pairs)
    first = found.updates[0]
    assert (first.updates_per_s, first.slowest_per_s, first.fastest_per_s) == (406.0, 100.0, 103.0)


def test_working_sets_are_powers_of_two_at_home_and_the_largest_elsewhere(made: pytest.MonkeyPatch) -> None:
    found = _measured()
    home = [
        one.size_bytes
        for one in found.chases
        if (one.cpu_node, one.memory_node, one.pages) == (0, 0, "small")
    ]
    assert home == [16384 << step for step in range(13)]
    away = [
        (one.pages, one.size_bytes, one.latency_ns)
        for one in found.chases
        if (one.cpu_node, one.memory_node) == (0, 1)
    ]
    assert away == [("small", 64 * MIB, 200.0), ("huge", 64 * MIB, 100.0)]


def test_huge_pages_are_not_asked_for_where_the_kernel_makes_none(made: pytest.MonkeyPatch) -> None:
    made.setattr(files, "read_text", lambda path: "always madvise [never]")
    assert {one.pages for one in _measured().chases} == {"small"}


def test_a_processor_without_non_temporal_stores_has_ordinary_ones(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_bench, "has_non_temporal", lambda: False)
    assert {one.store for one in _measured().streams} == {"ordinary"}


def test_nodes_that_may_not_be_used_are_left_out(made: pytest.MonkeyPatch) -> None:
    nodes = tuple(node.but(allowed=node.id == 0) for node in TOPOLOGY.nodes)
    cpus = tuple(cpu.but(allowed=cpu.id < 2) for cpu in TOPOLOGY.cpus)
    found = _measured(TOPOLOGY.but(nodes=nodes, cpus=cpus))
    assert [(one.cpu_node, one.memory_node, one.threads) for one in found.updates] == [(0, 0, 2)]


def test_cpus_that_this_process_is_kept_from_are_left_alone(made: pytest.MonkeyPatch) -> None:
    found = _measured(usable={1, 5})
    assert {(one.cpu_node, one.threads) for one in found.updates} == {(0, 1), (1, 1)}
    assert {one.cpu_node for one in _measured(usable={5}).updates} == {1}


def test_what_was_measured_until_it_was_cut_is_kept(made: pytest.MonkeyPatch) -> None:
    asked = iter([False, False, True])
    found = measure(TOPOLOGY, range(8), sizes(TOPOLOGY, 64 * GIB, 64 * MIB), 0.1, lambda: next(asked))
    assert (len(found.streams), len(found.updates), len(found.chases)) == (8, 1, 0)


def test_memory_that_is_refused_is_said(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_bench, "Place", _Refusing)
    with pytest.raises(WorldError) as caught:
        _measured()
    assert caught.value.id == "bench-memory-refused"
    assert "memory of node 0 could not be measured from node 0" in caught.value.message

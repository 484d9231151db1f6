"""How large arrays are, which nodes are measured from which, and what the figures are of."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import pytest

import facts_topology
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.facts import MemoryBench, Note, Topology
from plimsoll.facts.memory_bench import NOT_MEASURED
from plimsoll.host import memory_bench
from plimsoll.host.memory_bench import Measured, measure, sizes
from plimsoll.native.memories import Chase, UnderLoad
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
    huge_bytes: int | None = None
    is_cut: Callable[[], bool] = lambda: False

    @property
    def distance(self) -> float:
        return 1.0 if self.node is None or self.cpus[0] // 4 == self.node else 2.0

    def streams(
        self, asked: Sequence[tuple[str, bool]], array_bytes: int, runtime_s: float
    ) -> list[tuple[float, float]]:
        rate = len(self.cpus) * 1000.0 / self.distance
        return [(rate, rate + array_bytes / MIB + non_temporal) for _, non_temporal in asked]

    def chase(self, size_bytes: int, runtime_s: float) -> Chase:
        return Chase(self.distance * (50.0 if self.huge_bytes else 100.0), 1.0 if self.huge_bytes else None)

    def under_load(
        self, chain_bytes: int, array_bytes: int, shares: Sequence[float], runtime_s: float
    ) -> list[UnderLoad]:
        """All other CPUs move as much as they do in a stream; latency grows by half."""
        most = len(self.cpus) * 1000.0 / self.distance
        latency = self.chase(chain_bytes, runtime_s).latency_ns
        return [UnderLoad(share, share * most, latency * (1 + share / 2)) for share in shares]

    def updates_per_s(self, size_bytes: int, runtime_s: float) -> list[float]:
        return [100.0 + cpu for cpu in self.cpus]


class _Refusing(_Place):
    """Refuses all that is asked of the memory of node 1."""

    def streams(
        self, asked: Sequence[tuple[str, bool]], array_bytes: int, runtime_s: float
    ) -> list[tuple[float, float]]:
        if self.node == 1:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return super().streams(asked, array_bytes, runtime_s)


class _Contained(_Place):
    """May name no node."""

    def streams(
        self, asked: Sequence[tuple[str, bool]], array_bytes: int, runtime_s: float
    ) -> list[tuple[float, float]]:
        if self.node is not None:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return super().streams(asked, array_bytes, runtime_s)


class _Fragmented(_Place):
    """Gets huge pages for small sets alone."""

    def chase(self, size_bytes: int, runtime_s: float) -> Chase:
        return Chase(100.0, (0.25 if size_bytes > MIB else 1.0) if self.huge_bytes else None)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(memory_bench, "Place", _Place)
    monkeypatch.setattr(memory_bench, "has_non_temporal", lambda: True)
    monkeypatch.setattr(files, "read_text", lambda path: "always [madvise] never")
    return monkeypatch


def _noted(
    topology: Topology = TOPOLOGY,
    usable: Collection[int] = range(8),
    free: Callable[[int], int | None] = lambda node: 32 * GIB,
    wished: int | None = 64 * MIB,
) -> Measured:
    return measure(topology, usable, sizes(topology, 64 * GIB, wished), 0.1, lambda: False, free)


def _measured(topology: Topology = TOPOLOGY, usable: Collection[int] = range(8)) -> MemoryBench:
    return _noted(topology, usable).bench


def _notes(found: Measured) -> tuple[Note, ...]:
    """But of latency under load, whose siblings rest on this host."""
    return tuple(one for one in found.notes if not one.code.startswith("memory-load-"))


def _not_measured(found: Measured) -> list[str]:
    return [one.message for one in found.notes if one.code == NOT_MEASURED]


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
    sized = sizes(TOPOLOGY, 64 * GIB, 64 * MIB)
    found = measure(TOPOLOGY, range(8), sized, 0.1, lambda: next(asked, True), lambda node: 32 * GIB).bench
    assert (len(found.streams), len(found.updates), len(found.chases)) == (8, 1, 0)


def test_memory_that_is_refused_is_noted_and_the_rest_is_measured(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_bench, "Place", _Refusing)
    found = _noted()
    assert {(one.cpu_node, one.memory_node) for one in found.bench.streams} == {(0, 0), (1, 0)}
    assert _not_measured(found) == [
        "memory of node 1 could not be measured from node 0: cannot allocate memory",
        "memory of node 1 could not be measured from node 1: cannot allocate memory",
    ]


def test_nothing_at_all_is_an_error(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_bench, "Place", _Refusing)
    alone = TOPOLOGY.but(nodes=tuple(node.but(allowed=node.id == 1) for node in TOPOLOGY.nodes))
    with pytest.raises(WorldError) as caught:
        _noted(alone)
    assert caught.value.id == "bench-memory-refused"
    assert "memory of node 1 could not be measured from node 0" in caught.value.message
    with pytest.raises(WorldError, match="no CPU of a node with memory may be used"):
        _noted(usable=())


def test_where_no_node_may_be_named_memory_at_home_is_taken_as_it_comes(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_bench, "Place", _Contained)
    found = _noted()
    assert {(one.cpu_node, one.memory_node) for one in found.bench.updates} == {(0, 0), (1, 1)}
    assert {(one.cpu_node, one.memory_node) for one in found.bench.chases} == {(0, 0), (1, 1)}
    assert [one.code for one in _notes(found)] == [
        "memory-first-touch",
        NOT_MEASURED,
        NOT_MEASURED,
        "memory-first-touch",
    ]
    assert all("CAP_SYS_NICE" in one.message for one in _notes(found))


def test_memory_is_bounded_by_what_its_own_node_has(made: pytest.MonkeyPatch) -> None:
    """The whole has 64 GiB, of which one node has next to none."""
    free = {0: 32 * GIB, 1: 320 * MIB}.get
    found = _noted(free=free, wished=None)
    assert {(one.memory_node, one.array_bytes) for one in found.bench.streams} == {
        (0, 120 * MIB),
        (1, 20 * MIB),
    }
    assert max(one.size_bytes for one in found.bench.chases if one.memory_node == 1) == 16 * MIB
    assert {one.size_bytes for one in found.bench.updates if one.memory_node == 1} == {
        20 * MIB // 4,
        20 * MIB // 3,
    }
    assert [one.message for one in _notes(found)] == [
        "arrays in memory of node 1 are of 20 MiB, a sixteenth of what it has free"
    ]


@pytest.mark.parametrize(
    ("free", "wished", "reason"),
    [
        (383 * MIB, 64 * MIB, "383 MiB of it are free, too little for three arrays of 64 MiB"),
        (15 * MIB, None, "15 MiB of it are free, too little for three arrays of 1 MiB"),
        (None, None, "how much of it is free is not told"),
    ],
)
def test_a_node_without_room_is_left_out_and_named(
    made: pytest.MonkeyPatch, free: int | None, wished: int | None, reason: str
) -> None:
    found = _noted(free=lambda node: free if node == 1 else 32 * GIB, wished=wished)
    assert {(one.cpu_node, one.memory_node) for one in found.bench.chases} == {(0, 0), (1, 0)}
    assert _not_measured(found) == [f"memory of node 1 was not measured: {reason}"]


def test_a_node_that_has_just_room_enough_is_measured(made: pytest.MonkeyPatch) -> None:
    assert _notes(_noted(free=lambda node: 384 * MIB)) == ()


def test_the_only_node_is_bounded_by_the_whole(made: pytest.MonkeyPatch) -> None:
    only = TOPOLOGY.but(nodes=TOPOLOGY.nodes[:1], cpus=tuple(cpu for cpu in TOPOLOGY.cpus if cpu.node == 0))
    assert _notes(_noted(only, free=lambda node: None)) == ()


def test_too_little_memory_to_measure_any_is_said() -> None:
    assert sizes(TOPOLOGY, 16 * MIB, None).array_bytes == MIB
    with pytest.raises(WorldError) as caught:
        sizes(TOPOLOGY, 16 * MIB - 1, None)
    assert caught.value.id == "bench-memory-room"
    assert "until 16 MiB are free" in (caught.value.hint or "")


def test_threads_without_a_share_of_their_own_are_not_started(made: pytest.MonkeyPatch) -> None:
    """128 CPUs, and arrays for 16 threads."""
    cpus = tuple(TOPOLOGY.cpus[0].but(id=number, node=0) for number in range(128))
    many = TOPOLOGY.but(cpus=cpus, nodes=(TOPOLOGY.nodes[0].but(cpus=tuple(range(128))),))
    found = _noted(many, usable=range(128), wished=MIB)
    assert {one.threads for one in found.bench.streams} == {16}
    assert [(one.threads, one.size_bytes, one.fastest_per_s) for one in found.bench.updates] == [
        (16, 64 << 10, 100.0 + 120)
    ]
    assert [one.message for one in _notes(found)] == [
        "streams and updates had 16 threads on the 128 CPUs of node 0: arrays of 1 MiB have no more than 64 KiB for each"
    ]


def test_huge_pages_that_were_not_had_are_said(made: pytest.MonkeyPatch) -> None:
    made.setattr(memory_bench, "Place", _Fragmented)
    found = _noted()
    assert {one.huge_share for one in found.bench.chases if one.pages == "small"} == {None}
    assert {one.huge_share for one in found.bench.chases if one.size_bytes == 64 * MIB} == {None, 0.25}
    (note,) = _notes(found)
    assert note.code == "memory-huge-not-had"
    assert "of 64 MiB in memory of node 0 25 % were in huge pages" in note.message


def test_huge_pages_are_as_large_as_the_kernel_says(made: pytest.MonkeyPatch) -> None:
    sizes_told: set[int | None] = set()

    class Seen(_Place):
        def chase(self, size_bytes: int, runtime_s: float) -> Chase:
            sizes_told.add(self.huge_bytes)
            return super().chase(size_bytes, runtime_s)

    made.setattr(memory_bench, "Place", Seen)
    made.setattr(
        files, "read_text", lambda path: "524288\n" if path.endswith("hpage_pmd_size") else "[always]"
    )
    _noted()
    assert sizes_told == {None, 524288}


def test_chains_end_where_no_cache_is_larger(made: pytest.MonkeyPatch) -> None:
    found = measure(
        TOPOLOGY, range(8), sizes(TOPOLOGY, 64 * GIB, 5 * GIB), 0.1, lambda: False, lambda node: 32 * GIB
    )
    assert max(one.size_bytes for one in found.bench.chases) == 2 * GIB
    assert {one.array_bytes for one in found.bench.streams} == {5 * GIB}


def test_latency_under_load_has_a_curve_for_each_pair(made: pytest.MonkeyPatch) -> None:
    """CPU 2 is a sibling of CPU 3, which times; of node 1 there are CPUs 4 to 6."""
    found = _noted()
    first = [one for one in found.bench.loads if (one.cpu_node, one.memory_node) == (0, 1)]
    assert [one.share for one in first] == [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]
    assert {(one.chase_cpu, one.load_cpus, one.shares_core) for one in first} == {(3, (0, 1), False)}
    assert (first[0].latency_ns, first[-1].latency_ns, first[-1].mb_per_s) == (200.0, 300.0, 1500.0)
    assert {one.size_bytes for one in first} == {64 * MIB}
    assert all(one.size_bytes + 3 * one.array_bytes <= 3 * 64 * MIB for one in first)
    assert len(found.bench.loads) == 4 * len(first)
    told = {one.message for one in found.notes if one.code == "memory-load-siblings"}
    assert (
        "latency under load from node 0: CPU 2 rested, on the same core as CPU 3, whose loads were timed"
        in told
    )


def test_a_node_with_one_cpu_has_no_curve_and_that_is_said(made: pytest.MonkeyPatch) -> None:
    found = _noted(usable={0, 2, 5})
    assert {one.cpu_node for one in found.bench.loads} == {0}
    (message,) = [one.message for one in found.notes if one.code == "memory-load-none"]
    assert message.startswith(
        "latency under load was not measured from node 1: it takes a CPU that loads memory"
    )
    assert message.endswith("and only CPU 5 may be used")

"""Latency under load: who times and who loads, how large memory is, and what must be said of a curve."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import facts_memory
import facts_topology
from plimsoll.facts import MemoryChase, MemoryLoad, Topology
from plimsoll.host.memory_load import SHARES, LoadedCpus, few_words, loaded_cpus, notes_of, sizes_of

MIB = 1 << 20
TOPOLOGY = facts_topology.topology()
AT = LoadedCpus(5, (0, 1, 2, 3, 4))
CURVE = tuple(one for one in facts_memory.memory_bench().loads if (one.cpu_node, one.memory_node) == (0, 0))
STREAMS = tuple(
    one for one in facts_memory.memory_bench().streams if (one.cpu_node, one.memory_node) == (0, 0)
)
CHASES = tuple(one for one in facts_memory.memory_bench().chases if (one.cpu_node, one.memory_node) == (0, 0))


def _topology(*cores: tuple[int, ...]) -> Topology:
    made = tuple(TOPOLOGY.cores[0].but(core=number, cpus=cpus) for number, cpus in enumerate(cores))
    return TOPOLOGY.but(cores=made)


def _codes(
    curve: Sequence[MemoryLoad], at: LoadedCpus = AT, chases: Sequence[MemoryChase] = CHASES
) -> list[str]:
    return [one.code for one in notes_of(at, curve, STREAMS, chases)]


def test_siblings_of_the_cpu_that_times_rest() -> None:
    at = loaded_cpus(_topology((0, 2), (1, 3)), (0, 1, 2, 3))
    assert at == LoadedCpus(3, (0, 2), resting=(1,))
    assert at is not None
    (note,) = notes_of(at, CURVE, STREAMS, CHASES)
    assert note.code == "memory-load-siblings"
    assert (
        note.message
        == "latency under load from node 0: CPU 1 rested, on the same core as CPU 3, whose loads were timed"
    )


def test_where_there_is_one_core_alone_its_siblings_load_and_are_named() -> None:
    at = loaded_cpus(_topology((0, 1)), (0, 1))
    assert at == LoadedCpus(1, (0,), shares_core=True)
    assert at is not None
    (note,) = notes_of(at, CURVE, STREAMS, CHASES)
    assert note.code == "memory-load-siblings"
    assert "CPU 0 loaded memory on the same core as CPU 1" in note.message


def test_two_cores_of_one_cpu_each_are_one_that_loads_and_one_that_times() -> None:
    assert loaded_cpus(_topology((0,), (1,)), (0, 1)) == LoadedCpus(1, (0,))
    assert loaded_cpus(_topology(), (0, 1)) == LoadedCpus(1, (0,)), "cores that are not told"


def test_one_cpu_has_no_curve() -> None:
    assert loaded_cpus(TOPOLOGY, (7,)) is None
    assert "from node 1: it takes a CPU that loads memory and another that times" in few_words(1, (7,))
    assert few_words(1, (7,)).endswith("only CPU 7 may be used")


@pytest.mark.parametrize(
    ("array_bytes", "chain_bytes", "threads", "wanted"),
    [
        (60 * MIB, 60 * MIB, 5, (40 * MIB, 5)),
        (60 * MIB, 30 * MIB, 5, (50 * MIB, 5)),
        (MIB, MIB, 64, ((2 * MIB) // 3, 10)),
    ],
)
def test_working_set_and_arrays_take_what_three_arrays_do(
    array_bytes: int, chain_bytes: int, threads: int, wanted: tuple[int, int]
) -> None:
    arrays, many = sizes_of(array_bytes, chain_bytes, threads)
    assert (arrays, many) == wanted
    assert chain_bytes + 3 * arrays <= 3 * array_bytes


def test_loads_go_from_none_to_all() -> None:
    assert tuple(sorted(SHARES)) == SHARES
    assert (SHARES[0], SHARES[-1]) == (0.0, 1.0)


def test_a_curve_that_agrees_with_all_else_needs_no_word() -> None:
    assert _codes(CURVE) == []


def test_a_load_that_does_not_fill_memory_says_what_was_left_out() -> None:
    short = tuple(one.but(mb_per_s=one.mb_per_s / 2, load_cpus=(0,)) for one in CURVE)
    (note,) = notes_of(AT, short, STREAMS, CHASES)
    assert note.code == "memory-load-less"
    assert note.message == (
        "latency under load from node 0 to memory of node 0 was measured up to 19,500 MB/s, by CPU 0: that is 49 % of what all CPUs"
        " move together, and beyond it was left out"
    )


@pytest.mark.parametrize(("alone", "codes"), [(105.0, []), (86.0, ["memory-load-unsteady"])])
def test_without_load_it_is_what_the_chain_alone_was(alone: float, codes: list[str]) -> None:
    chases = [one.but(latency_ns=alone) for one in CHASES if one.size_bytes == CURVE[0].size_bytes]
    assert _codes(CURVE, chases=chases) == codes


def test_latency_that_falls_under_more_load_is_not_steady() -> None:
    odd = (CURVE[0], CURVE[1].but(latency_ns=220.0), CURVE[2])
    (note,) = notes_of(AT, odd, STREAMS, CHASES)
    assert note.code == "memory-load-unsteady"
    assert note.message.endswith("220.0 ns at 19,500 MB/s, and 190.0 ns at 39,000 MB/s")
    within = (CURVE[0], CURVE[1].but(latency_ns=210.0), CURVE[2])
    assert _codes(within) == []

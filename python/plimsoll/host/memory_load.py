"""Latency under load: which CPU times its loads, which ones stream meanwhile, at what shares, and what of that must be said.

The CPU that times is alone on its core: SMT siblings of it that streamed would share its units and caches, so that they rest, and
are named. Where a node has no other CPUs, they stream all the same, which is named as well. Memory is what three arrays of a
stream take: the working set, and three smaller arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from plimsoll.base.units import format_mb, format_ns, format_share
from plimsoll.facts import MemoryChase, MemoryLoad, MemoryStream, Note, Topology
from plimsoll.facts.memory_bench import FULL_SHARE, LOAD_UNSTEADY, LOADED_KERNEL, LOADED_STORE

SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, FULL_SHARE)
"""Of the most that each thread can move. Latency bends up near to the end."""
SHARE_BYTES_MIN = 64 << 10
"""Of an array, for each thread."""
_ARRAYS = 3
NEAR = 0.1
"""How far figures of the same thing may lie apart on a machine that does nothing else."""
_FILLS = 0.95
"""Of what a stream on all CPUs moved: less says that the load did not fill memory."""
_NAMED_MAX = 4


@dataclass(frozen=True)
class LoadedCpus:
    """Who times, who streams, and who rests."""

    chase: int
    load: tuple[int, ...]
    resting: tuple[int, ...] = ()
    """SMT siblings of the one that times."""
    shares_core: bool = False
    """Siblings stream, as there is nobody else."""


def loaded_cpus(topology: Topology, cpus: Sequence[int]) -> LoadedCpus | None:
    """Of the CPUs of a node that may be used; None: there are not two of them."""
    if len(cpus) < 2:
        return None
    chase = cpus[-1]
    core = next((one.cpus for one in topology.cores if chase in one.cpus), (chase,))
    siblings = tuple(cpu for cpu in cpus if cpu in core and cpu != chase)
    others = tuple(cpu for cpu in cpus if cpu not in core)
    if not others:
        return LoadedCpus(chase, siblings, shares_core=True)
    return LoadedCpus(chase, others, siblings)


def sizes_of(array_bytes: int, chain_bytes: int, threads: int) -> tuple[int, int]:
    """Each of the arrays that are streamed through, and how many threads have a share of them: working set and arrays together take
    as much memory as three arrays of `array_bytes`."""
    arrays = max(SHARE_BYTES_MIN, (_ARRAYS * array_bytes - chain_bytes) // _ARRAYS)
    return arrays, max(1, min(threads, arrays // SHARE_BYTES_MIN))


def few_words(node: int, cpus: Collection[int]) -> str:
    """That a node has not two CPUs."""
    return (
        f"latency under load was not measured from node {node}: it takes a CPU that loads memory and another that times,"
        f" and only CPU {next(iter(cpus))} may be used"
    )


def notes_of(
    at: LoadedCpus,
    found: Sequence[MemoryLoad],
    streams: Sequence[MemoryStream],
    chases: Sequence[MemoryChase],
) -> tuple[Note, ...]:
    """What a reader of a curve must know; `streams` and `chases` are those of the same nodes."""
    first = found[0]
    where = f"from node {first.cpu_node} to memory of node {first.memory_node}"
    told = (
        ("memory-load-siblings", _siblings(at, first.cpu_node)),
        ("memory-load-less", _less(where, found, streams)),
        (LOAD_UNSTEADY, _unsteady(where, found, chases)),
    )
    return tuple(Note(code=code, message=message) for code, message in told if message)


def _siblings(at: LoadedCpus, node: int) -> str | None:
    where = f"on the same core as CPU {at.chase}, whose loads were timed"
    if at.shares_core:
        return (
            f"latency under load from node {node}: {_names(at.load)} loaded memory {where}, as no other core may be used; latency"
            " is also that of a shared core"
        )
    return (
        f"latency under load from node {node}: {_names(at.resting)} rested, {where}" if at.resting else None
    )


def _names(cpus: Sequence[int]) -> str:
    return f"{'CPU' if len(cpus) == 1 else 'CPUs'} {', '.join(map(str, cpus))}"


def _less(where: str, found: Sequence[MemoryLoad], streams: Sequence[MemoryStream]) -> str | None:
    """That CPUs which loaded did not move what all CPUs did: the curve ends before memory does."""
    most = max(one.mb_per_s for one in found)
    whole = next(
        (one.mb_per_s for one in streams if (one.kernel, one.store) == (LOADED_KERNEL, LOADED_STORE)), None
    )
    if whole is None or most >= _FILLS * whole:
        return None
    cpus = found[0].load_cpus
    by = _names(cpus) if len(cpus) <= _NAMED_MAX else f"{len(cpus)} CPUs"
    return (
        f"latency under load {where} was measured up to {format_mb(most)} MB/s, by {by}: that is {format_share(most / whole)} of"
        " what all CPUs move together, and beyond it was left out"
    )


def _unsteady(where: str, found: Sequence[MemoryLoad], chases: Sequence[MemoryChase]) -> str | None:
    """That figures contradict each other: without load it is not what the chain alone was, or more load makes it fall."""
    reasons = [*_not_the_chain(found[0], chases), *_falls(found)]
    return (
        f"latency under load {where} is not steady, as beside other work or where clocks go up with load: {'; '.join(reasons)}"
        if reasons
        else None
    )


def _not_the_chain(first: MemoryLoad, chases: Sequence[MemoryChase]) -> list[str]:
    alone = next(
        (one.latency_ns for one in chases if (one.pages, one.size_bytes) == ("small", first.size_bytes)), None
    )
    if alone is None or abs(first.latency_ns / alone - 1) <= NEAR:
        return []
    return [
        f"{format_ns(first.latency_ns)} without load, and {format_ns(alone)} of the same working set before"
    ]


def _falls(found: Sequence[MemoryLoad]) -> list[str]:
    """The first load under which it is shorter than under a smaller one."""
    worst = found[0]
    for one in found[1:]:
        if one.latency_ns < (1 - NEAR) * worst.latency_ns:
            return [f"{_point(worst)}, and {_point(one)}"]
        worst = max(worst, one, key=lambda each: each.latency_ns)
    return []


def _point(one: MemoryLoad) -> str:
    return f"{format_ns(one.latency_ns)} at {format_mb(one.mb_per_s)} MB/s"

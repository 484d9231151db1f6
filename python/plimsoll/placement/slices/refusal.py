"""Why a host cannot be divided as asked, or nobody knows: the constraint, and the smallest change that lifts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plimsoll.base.units import format_bytes
from plimsoll.facts import SliceChange, SlicePlan
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.costs import Costs, Item
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.shortfall import Short, Shortfall, shortfall
from plimsoll.placement.slices.wanted import MIB

_GIB = 1 << 30


def refusal(machine: Machine, items: Sequence[Item], found: Shortfall, told: Mapping[str, Any]) -> SlicePlan:
    """Without a plan. What is short of memory is refused only if memory that is not told would not help."""
    lacks_memory = any(one.units for one in found.short) or not found.is_possible
    proof = found
    if machine.untold and lacks_memory:
        asked = sum(item.wanted.units * item.wanted.unit_bytes for item in items)
        machine = machine.with_untold(asked)
        proof = shortfall(machine, items)
    is_refused = proof.is_certain and (bool(proof.short) or not proof.is_possible)
    constraints = _constraints(machine, items, proof.short) if is_refused else _doubts(machine, lacks_memory)
    is_least = found.is_least and proof is found
    changes = tuple(_change(one) for one in found.short)
    return SlicePlan(
        answer="refused" if is_refused else "not known",
        reason="; ".join([*constraints, *_lifted(changes, is_least)]),
        changes=changes,
        changes_least=is_least if changes else None,
        **told,
    )


def _doubts(machine: Machine, lacks_memory: bool) -> Iterator[str]:
    why = "the search ended before it found a plan, or proved that there is none"
    if machine.untold and lacks_memory:
        why = f"the memory of the nodes {in_short(machine.untold)} is not told"
    yield f"whether all slices fit is not known: {why}"


def _lifted(changes: Sequence[SliceChange], is_least: bool) -> Iterator[str]:
    if changes:
        doubt = "" if is_least else ", which is not proved to be the smallest change"
        yield f"it fits with {' and '.join(map(_words, changes))}{doubt}"


def _change(one: Short) -> SliceChange:
    wanted = one.item.wanted
    less = wanted.memory_bytes - (wanted.units - one.units) * wanted.unit_bytes if one.units else 0
    return SliceChange(slice=wanted.name, cores=one.cores, memory_bytes=less)


def _words(change: SliceChange) -> str:
    """`2 GiB less for db1`: in whole MiB up to 100 GiB."""
    parts = []
    if change.cores:
        parts.append(f"{change.cores:,} core{'' if change.cores == 1 else 's'} fewer")
    if change.memory_bytes:
        parts.append(f"{_exact(change.memory_bytes)} less")
    return f"{' and '.join(parts)} for {change.slice}"


def _exact(size: int) -> str:
    """Rounded up, so that it is enough."""
    if size % _GIB and size >= 100 * _GIB:
        return f"{-(-size * 10 // _GIB) / 10:,.1f} GiB"
    return f"{size // _GIB:,} GiB" if size % _GIB == 0 else f"{-(-size // MIB):,} MiB"


def _constraints(machine: Machine, items: Sequence[Item], short: Sequence[Short]) -> Iterator[str]:
    """What stands against a plan: the whole host, and what single slices ask of the nodes on which they may be."""
    host = list(_of_host(machine, items))
    own = [said for one in short for said in _of_slice(machine, one.item)]
    yield from [*host, *own]
    if not host and not own:
        yield (
            "each slice would fit alone, and together they do not"
            if short
            else "what the slices and the host itself need at least does not fit on the nodes on which they have to be"
        )


def _of_host(machine: Machine, items: Sequence[Item]) -> Iterator[str]:
    cores = sum(len(pool.cores) for pool in machine.pools)
    memory = sum(node.memory_bytes for node in machine.nodes)
    cores_asked = sum(item.wanted.cores for item in items)
    memory_asked = sum(item.wanted.units * item.wanted.unit_bytes for item in items)
    aside = sum(item.wanted.cores for item in items if item.purpose != "database")
    of_them = f", {aside:,} of them to be set aside" if aside else ""
    if cores_asked > cores:
        yield f"{cores_asked:,} cores are asked for{of_them}, and the host has {cores:,} to give"
    if memory_asked > memory:
        yield f"{format_bytes(memory_asked)} of memory are asked for, and the host has {format_bytes(memory)} to give"


def _of_slice(machine: Machine, item: Item) -> Iterator[str]:
    """What it could not be given if it was alone; nothing: it could."""
    wanted = item.wanted
    rooms = _rooms(machine, item)
    if any(cores >= wanted.cores and memory >= wanted.units for cores, memory in rooms):
        return
    cores = max((cores for cores, _ in rooms), default=0)
    units = max((memory for _, memory in rooms), default=0)
    each_alone = wanted.cores <= cores and wanted.units <= units
    asked, most = list[str](), list[str]()
    if each_alone or wanted.cores > cores:
        asked.append(f"{wanted.cores:,} cores")
        most.append(f"{cores:,} cores")
    if each_alone or wanted.units > units:
        asked.append(format_bytes(wanted.memory_bytes))
        most.append(format_bytes(units * wanted.unit_bytes))
    where = " on one node" if wanted.one_node else ""
    where += "" if wanted.on_nodes is None else f" on nodes {in_short(wanted.on_nodes)}"
    who = "no node has more than" if wanted.one_node else "there are no more than"
    has = "no node has both" if each_alone else f"{who} {' and '.join(most)} to give"
    yield f"{wanted.name} asks for {' and '.join(asked)}{where}, and {has}"


def _rooms(machine: Machine, item: Item) -> list[tuple[int, int]]:
    """Cores and pieces of memory that there are together: on each node where it must lie on one, else on all that it may lie on."""
    costs = Costs(machine, item)
    rooms = [
        (sum(len(pool.cores) for pool in machine.pools if pool.node == at), costs.room(at))
        for at in costs.homes()
    ]
    if item.wanted.one_node:
        return rooms
    return [(sum(cores for cores, _ in rooms), sum(memory for _, memory in rooms))]

"""The plan of a host: what each slice is given, by the numbers of its CPUs and nodes, or why there is no plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from plimsoll.facts import HostSlice, SliceDevice, SliceDisk, SliceMemory, SlicePlan, Topology
from plimsoll.placement.slices.best import Best, Search
from plimsoll.placement.slices.by_hand import findings, given_by_hand, with_cores
from plimsoll.placement.slices.costs import SHARED_COST, Item
from plimsoll.placement.slices.fitting import Fitting
from plimsoll.placement.slices.given import Given, shared_count
from plimsoll.placement.slices.items import database_item, device_of, set_aside
from plimsoll.placement.slices.machine import OWN_DISTANCE, Machine, machine_of
from plimsoll.placement.slices.refusal import refusal
from plimsoll.placement.slices.shortfall import Shortfall, shortfall
from plimsoll.placement.slices.slice_file import SliceFile
from plimsoll.placement.slices.unknowns import NotKnown
from plimsoll.placement.slices.wanted import DiskRates
from plimsoll.placement.solver import Impossible


def plan_slices(file: SliceFile, found: Topology) -> SlicePlan:
    """The best plan, a refusal, or neither where the search ends before.

    Raises UsageError `slices-misfit` where the file asks for what this host cannot be asked for.
    """
    division = file.division
    machine = machine_of(found, division.memory_free_share)
    Fitting(file, found, machine).check()
    by_hand = [
        database_item(with_cores(found, one), division, found, machine)
        for one in division.slices
        if one.is_by_hand
    ]
    planned = [
        *(database_item(one, division, found, machine) for one in division.slices if not one.is_by_hand),
        *set_aside(division, found, machine),
    ]
    settled = given_by_hand(found, machine, by_hand)
    left = _left(machine, by_hand, settled)
    told: dict[str, Any] = {
        "findings": tuple(findings(found, machine, division.slices)),
        "memory_free_share": division.memory_free_share,
        "disks": tuple(_disks(found, division.disks)),
        "assumptions": (*machine.assumptions, *_unweighed_devices(found, machine, planned + by_hand)),
    }
    search = Search(left, planned)
    missing = shortfall(left, planned) if search.good is None else Shortfall()
    if missing.short or not missing.is_possible:
        return refusal(left, planned, missing, told)
    if search.good is None:
        search.start_from(missing.taken)
    try:
        best, second, has_second = two_best(search, planned)
    except NotKnown:
        return refusal(left, planned, Shortfall(is_certain=False, is_least=False), told)
    made = _Slices(
        found, machine, left, [*zip(by_hand, settled, strict=True), *zip(planned, best.given, strict=True)]
    )
    slices = made.in_order([one.name for one in division.slices])
    fixed = sum(item.weight * one.cost for item, one in zip(by_hand, settled, strict=True))
    fixed += SHARED_COST * shared_count(machine, settled)
    return SlicePlan(
        answer="planned",
        reason=_sentence(found, slices),
        slices=slices,
        cost=fixed + best.cost,
        cost_min=fixed + best.cost_min,
        has_second=has_second,
        cost_second=None if second is None else fixed + second.cost,
        cost_second_min=None if second is None else fixed + second.cost_min,
        free_cpus=made.free_cpus(),
        split_cpus=_split_cpus(machine, by_hand),
        **told,
    )


def _disks(found: Topology, disks: Sequence[DiskRates]) -> Iterator[SliceDisk]:
    for one in disks:
        device = device_of(found, one.device)
        if device is not None:
            rates = {key: value for key, value in asdict(one).items() if key != "device"}
            yield SliceDisk(name=device.name, **rates)


def _left(machine: Machine, items: Sequence[Item], settled: Sequence[Given]) -> Machine:
    """The machine without what was given by hand."""
    for item, given in zip(items, settled, strict=True):
        memory = {machine.nodes[at].id: units * item.wanted.unit_bytes for at, units in given.units.items()}
        machine = machine.without(frozenset(item.wanted.cpus or ()), memory)
    return machine


def two_best(search: Search, items: Sequence[Item]) -> tuple[Best, Best | None, bool | None]:
    """The best plan, the best of those that give a database another home, and whether there is one; None: not known."""
    best = search.best()
    if not any(item.purpose == "database" for item in items):
        return best, None, None
    try:
        second = search.second(best)
    except Impossible:
        return best, None, False
    except NotKnown:
        return best, None, None
    if second.cost >= best.cost:
        return best, second, True
    # A plan that is not proved to be the best may be beaten by the search for another, which proves nothing of those like it.
    return replace(second, cost_min=min(second.cost_min, best.cost_min)), best, True


def _unweighed_devices(found: Topology, machine: Machine, items: Sequence[Item]) -> Iterator[str]:
    names = dict.fromkeys(name for item in items for name in item.wanted.devices)
    devices = (device_of(found, name) for name in names)
    known = [one for one in devices if one is not None]
    untold = [one.name for one in known if one.node is None]
    if untold:
        yield f"the node of {', '.join(untold)} is not told, so that nearness to it counts for nothing"
    usable = {node.id for node in machine.nodes}
    outside = [one.name for one in known if one.node is not None and one.node not in usable]
    if outside:
        yield f"the node of {', '.join(outside)} may not be used from here, so that nearness to it counts for nothing"


def _split_cpus(machine: Machine, by_hand: Sequence[Item]) -> tuple[int, ...]:
    """What no slice has of cores of which slices by hand have a part."""
    own = {cpu for item in by_hand for cpu in item.wanted.cpus or ()}
    cores = [core for pool in machine.pools for core in pool.cores if own & set(core)]
    return tuple(sorted(cpu for core in cores for cpu in core if cpu not in own))


def _sentence(found: Topology, slices: Sequence[HostSlice]) -> str:
    """`db1 on node 0, db2 on node 1`: the nodes of CPUs and of memory."""
    node_of = {cpu.id: cpu.node for cpu in found.cpus}
    parts = []
    for one in slices:
        if one.purpose == "database":
            own = {node_of[cpu] for cpu in one.cpus} | {part.node for part in one.memory}
            nodes = sorted(node for node in own if node is not None)
            parts.append(f"{one.name} on node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes))}")
    return ", ".join(parts)


class _Slices:
    """Makes facts of what was given: which cores of a pool, and how far everything is."""

    def __init__(
        self, found: Topology, machine: Machine, left: Machine, given: Sequence[tuple[Item, Given]]
    ) -> None:
        self._found, self._machine, self._left, self._given = found, machine, left, given
        self._users = Counter(domain for _, one in given for domain in machine.in_domains(one.cores))
        self._free = [list(pool.cores) for pool in left.pools]
        self._cpus = {id(one): self._taken(item, one) for item, one in given}
        self._told = _told(found)

    def in_order(self, names: Sequence[str]) -> tuple[HostSlice, ...]:
        """Databases as the file has them, then what is set aside."""
        made = {item.wanted.name: self._slice(item, given) for item, given in self._given}
        return tuple(made[name] for name in [*names, *(name for name in made if name not in names)])

    def free_cpus(self) -> tuple[int, ...]:
        """CPUs that nobody was given."""
        return tuple(sorted(cpu for cores in self._free for core in cores for cpu in core))

    def _taken(self, item: Item, given: Given) -> tuple[int, ...]:
        """Databases have the first cores of a pool, what is set aside the last."""
        if item.wanted.cpus is not None:
            return item.wanted.cpus
        cpus: list[int] = []
        for pool, count in given.cores.items():
            free, is_database = self._free[pool], item.purpose == "database"
            for core in free[:count] if is_database else free[-count:]:
                cpus += core
            self._free[pool] = free[count:] if is_database else free[:-count]
        return tuple(sorted(cpus))

    def _slice(self, item: Item, given: Given) -> HostSlice:
        wanted, home = item.wanted, self._machine.nodes[given.home].id
        return HostSlice(
            name=wanted.name,
            purpose=item.purpose,
            is_by_hand=wanted.is_by_hand,
            priority=wanted.priority,
            home=home,
            cores=wanted.cores,
            cpus=self._cpus[id(given)],
            memory=tuple(self._memory(item, given)),
            huge_page_bytes=wanted.huge_page_bytes,
            database=wanted.database,
            service=wanted.service,
            account=wanted.account,
            listener=wanted.listener,
            devices=tuple(self._devices(wanted.devices, home)),
            iops=wanted.iops,
            mb_per_s=wanted.mb_per_s,
            redo_mb_per_s=wanted.redo_mb_per_s,
            domains=len(self._machine.in_domains(given.cores)),
            shared_domains=sum(self._users[at] > 1 for at in self._machine.in_domains(given.cores)),
            distance_mean=self._distance_mean(item, given),
            cost=given.cost,
        )

    def _memory(self, item: Item, given: Given) -> Iterator[SliceMemory]:
        """Huge pages lie as the memory does; what no share of them comes to goes to the first nodes that have room."""
        wanted = item.wanted
        page = wanted.huge_page_bytes
        pages = 0 if page is None else wanted.shared_bytes // page
        per_unit = 1 if page is None else wanted.unit_bytes // page
        shares = {at: pages * units // wanted.units for at, units in sorted(given.units.items())}
        for at, units in sorted(given.units.items()):
            more = min(pages - sum(shares.values()), units * per_unit - shares[at])
            shares[at] += more
            yield SliceMemory(
                node=self._machine.nodes[at].id,
                memory_bytes=units * wanted.unit_bytes,
                huge_pages=None if page is None else shares[at],
            )

    def _devices(self, names: Sequence[str], home: int) -> Iterator[SliceDevice]:
        for name in names:
            device = device_of(self._found, name)
            if device is not None:
                distance = None if device.node is None else self._told.get((home, device.node))
                yield SliceDevice(name=device.name, kind=device.kind, node=device.node, distance=distance)

    def _distance_mean(self, item: Item, given: Given) -> float | None:
        """Over each CPU with each piece of memory."""
        nodes = {cpu.id: cpu.node for cpu in self._found.cpus}
        by_node = Counter(nodes[cpu] for cpu in self._cpus[id(given)])
        total = weight = 0.0
        for here, cpus in by_node.items():
            for at, units in given.units.items():
                distance = self._told.get((here, self._machine.nodes[at].id))
                if distance is None:
                    return None
                total, weight = total + cpus * units * distance, weight + cpus * units
        return total / weight if weight else None


def _told(found: Topology) -> dict[tuple[int | None, int], int]:
    """Distances that the host tells, by the numbers of nodes; a node's own is 10 by definition."""
    told: dict[tuple[int | None, int], int] = {(node.id, node.id): OWN_DISTANCE for node in found.nodes}
    for here, row in zip(found.nodes, found.distances, strict=False):
        for there, value in zip(found.nodes, row, strict=True):
            if value is not None:
                told[here.id, there.id] = value
    return told

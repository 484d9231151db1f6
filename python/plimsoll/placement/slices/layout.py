"""A plan as control groups need it: CPUs, nodes, bounds and caps of each group, huge pages of each node, and CPUs for all else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.facts import HostSlice, SliceDevice, SliceDisk, SlicePlan
from plimsoll.placement.slices.cost_model import CostModel, cost_model
from plimsoll.placement.slices.words import check

MARK = "Written by plimsoll host slice write."
"""Stands in the first lines of each file."""
PREFIX = "plimsoll"
"""Names of groups begin with it, so that they are told from those of others."""
WEIGHT_MAX = 10_000
"""Of the kernel's `io.weight`, whose default is 100 (cgroup-v2.rst)."""
_WEIGHT = 100
_BYTES_PER_MB = 1e6


@dataclass(frozen=True)
class Cap:
    """What a group may ask of a disk, reads and writes each."""

    device: str
    iops: int | None
    bytes_per_s: int | None


@dataclass(frozen=True)
class Group:
    """One slice as a control group."""

    slice: HostSlice
    nodes: tuple[int, ...]
    memory_bytes: int | None
    """All but huge pages, which the kernel counts for no group; None: not bound."""
    caps: tuple[Cap, ...]
    weight: int | None
    """Against other groups at a disk; None: all are alike."""

    @property
    def name(self) -> str:
        """The name of its slice."""
        return self.slice.name

    @property
    def group(self) -> str:
        """The name of its control group."""
        return f"{PREFIX}-{self.name}"

    @property
    def cpus(self) -> tuple[int, ...]:
        """Its CPUs."""
        return self.slice.cpus


@dataclass(frozen=True)
class Counted:
    """Shared buffers of a PostgreSQL, as its own programs counted what fits, and what they counted with."""

    buffers_mib: int
    pages: int
    release: str
    connections: int


@dataclass(frozen=True)
class Pages:
    """Huge pages of one size that a node needs for all slices."""

    node: int
    page_bytes: int
    pages: int

    @property
    def file(self) -> str:
        """Where the kernel is told how many."""
        folder = f"/sys/devices/system/node/node{self.node}/hugepages/hugepages-{self.page_bytes >> 10}kB"
        return f"{folder}/nr_hugepages"


@dataclass(frozen=True)
class Layout:
    """All that outputs are made of."""

    groups: tuple[Group, ...]
    """Databases and log writers."""
    others: tuple[int, ...]
    """CPUs that everything else has: set aside, free, or of split cores; empty: none are left."""
    pages: tuple[Pages, ...]
    models: tuple[CostModel, ...] = ()
    """Of disks whose rates were stated."""
    counted: Mapping[str, Counted] = field(default_factory=dict[str, Counted])
    """By the name of the slice, as far as it was counted."""

    @property
    def databases(self) -> tuple[Group, ...]:
        """Without what is set aside."""
        return tuple(one for one in self.groups if one.slice.purpose == "database")


def layout_of(plan: SlicePlan) -> Layout:
    """Raises UsageError `slices-not-planned`, `slices-all-huge`, `plan-unreadable` for what no plan says."""
    if plan.answer != "planned" or not plan.slices:
        hint = "Change slices.toml until `plimsoll host slice plan` has a plan, and name that."
        raise UsageError("slices-not-planned", f"there is no plan: {plan.answer}: {plan.reason}", hint)
    check(plan)
    databases = [one for one in plan.slices if one.purpose == "database"]
    all_nodes = tuple(sorted({part.node for one in databases for part in one.memory}))
    weights = _weights(databases, is_shared=bool(plan.disks))
    has_writers = any(one.purpose == "log writers" for one in plan.slices)
    groups = tuple(
        _database(one, weights.get(one.name), has_writers)
        if one.purpose == "database"
        else _log_writers(one, all_nodes, max(weights.values(), default=None))
        for one in plan.slices
        if one.purpose != "housekeeping"
    )
    aside = [cpu for one in plan.slices if one.purpose == "housekeeping" for cpu in one.cpus]
    others = tuple(sorted({*aside, *plan.free_cpus, *plan.split_cpus}))
    return Layout(
        groups,
        others,
        tuple(_pages(plan.slices)),
        tuple(cost_model(one, path_of(one)) for one in plan.disks),
    )


def _weights(databases: Sequence[HostSlice], is_shared: bool) -> dict[str, int]:
    """By name; none where all are alike, and no disk is shared by what I/O costs, for which the kernel has to tell groups apart."""
    priorities = [one.priority for one in databases]
    if len(set(priorities)) == 1 and not is_shared:
        return {}
    return {one.name: _weight(one.priority, max(priorities)) for one in databases}


def _log_writers(one: HostSlice, all_nodes: tuple[int, ...], weight: int | None) -> Group:
    """They work on the memory of all databases, and have none of their own. Commits wait for them, so that none weighs more."""
    return Group(one, all_nodes, None, (), weight)


def _database(one: HostSlice, weight: int | None, has_writers: bool) -> Group:
    return Group(
        slice=one,
        nodes=tuple(part.node for part in one.memory),
        memory_bytes=_bound(one),
        caps=tuple(_caps(one, has_writers)),
        weight=weight,
    )


def _bound(one: HostSlice) -> int:
    """The kernel counts huge pages for no group (cgroup-v2.rst), so that the rest of its memory is the bound."""
    rest = sum(part.memory_bytes for part in one.memory) - huge_bytes(one)
    if rest <= 0:
        size = format_bytes(huge_bytes(one))
        message = (
            f"slice {one.name}: all of its {size} are huge pages, and its processes need memory of their own"
        )
        hint = "Ask for more memory than shared_memory in slices.toml, and plan again."
        raise UsageError("slices-all-huge", message, hint)
    return rest


def huge_bytes(one: HostSlice) -> int:
    """What lies in its huge pages."""
    return sum((part.huge_pages or 0) * (one.huge_page_bytes or 0) for part in one.memory)


def _weight(priority: int, highest: int) -> int:
    """In the ratio of the priorities, as far as the kernel's numbers go."""
    scale = min(_WEIGHT, WEIGHT_MAX / highest)
    return max(1, round(priority * scale))


def _caps(one: HostSlice, has_writers: bool) -> Iterator[Cap]:
    """How it divides what it asks for among its disks is not told, so that each of them is capped at all of it.

    Redo is no part of it where an Oracle Database's log writers have a group of their own, in which nothing caps it. Sessions of
    PostgreSQL write the log themselves.
    """
    is_elsewhere = has_writers and one.database == "oracle"
    redo = 0.0 if is_elsewhere else one.redo_mb_per_s or 0.0
    mb_per_s = None if one.mb_per_s is None else one.mb_per_s + redo
    iops = ceil(one.iops) if one.iops else None
    bytes_per_s = ceil(mb_per_s * _BYTES_PER_MB) if mb_per_s else None
    if iops is not None or bytes_per_s is not None:
        for device in disks(one):
            yield Cap(path_of(device), iops, bytes_per_s)


def disks(one: HostSlice) -> Iterator[SliceDevice]:
    """The devices of a slice that are disks."""
    return (device for device in one.devices if device.kind == "disk")


def path_of(device: SliceDevice | SliceDisk) -> str:
    """By a name that stays, where one is known."""
    return device.stable or f"/dev/{device.name}"


def _pages(slices: Sequence[HostSlice]) -> Iterator[Pages]:
    """Of all slices together, as a node's number of pages is one."""
    found = Counter[tuple[int, int]]()
    for one in slices:
        for part in one.memory:
            if one.huge_page_bytes is not None and part.huge_pages:
                found[part.node, one.huge_page_bytes] += part.huge_pages
    for (node, page_bytes), pages in sorted(found.items()):
        yield Pages(node, page_bytes, pages)

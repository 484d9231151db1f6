"""Where a measurement and its noise are: in their slices, or both in one group without limits, on as many CPUs as both have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UsageError, WorldError, world_error
from plimsoll.context import Scratch
from plimsoll.facts import Topology
from plimsoll.host.group_users import Look, look_at
from plimsoll.host.noise import NoisePlace
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.settings import folders_of, name_of
from plimsoll.placement.slices.layout import Group, Layout
from plimsoll.placement.slices.writes import PARTITION
from plimsoll.ports import control_groups, files

_KIND = "prove"
_CPUS, _NODES = "cpuset.cpus", "cpuset.mems"


@dataclass(frozen=True)
class Places:
    """`free` None: the slices' CPUs are not to be had outside of them, and what is left is fewer."""

    own: NoisePlace
    noise: NoisePlace
    free: NoisePlace | None
    quiet: tuple[Path, ...]
    """Groups in which nobody else should be at work: both slices."""
    policies: NoisePlace | None = None
    """The CPUs of the measurement's slice, and memory of all nodes."""
    offline: frozenset[int] = frozenset()
    """CPUs of both that are offline: nobody has them, in slices or without."""
    is_exclusive: bool = False
    """Whether CPUs of a slice are its own alone (a partition of version 2)."""


def group_named(layout: Layout, name: str) -> Group:
    """Raises UsageError `slice-unknown`."""
    for group in layout.groups:
        if group.name == name:
            return group
    known = ", ".join(one.name for one in layout.groups)
    raise UsageError("slice-unknown", f"no slice is called '{name}' in what was applied", f"Known: {known}.")


def place_of(scratch: Scratch, layout: Layout, group: Group, hierarchy: Hierarchy) -> NoisePlace:
    """Of a slice. Raises WorldError `slice-gone`, `scratch-refused`.

    With version 2 it is a new group below: what bounds the slice bounds that as well, and no process may be in the slice's own
    while it passes controllers on to those of services. With version 1 a cap on a disk holds no group below.
    """
    folders = tuple(folders_of(layout, group, hierarchy))
    for folder in folders:
        if control_groups.identity(folder) is None:
            hint = (
                "See what else is not as planned with `plimsoll host slice verify`, revert, and apply anew."
            )
            raise WorldError("slice-gone", f"slice {group.name} has no control group {folder}", hint)
    if hierarchy.version == "cgroup-v2":
        folders = tuple(scratch.new_group(folder, _KIND) for folder in folders)
    return NoisePlace(folders, frozenset(group.cpus))


def places_of(
    scratch: Scratch,
    layout: Layout,
    own: Group,
    noise: Group,
    hierarchy: Hierarchy,
    online: frozenset[int],
    policies: bool,
) -> Places:
    """Of both slices and without them, but for CPUs that are offline.

    Raises WorldError `slice-gone`, `control-group-refused`, `scratch-refused`.
    """
    first, second = (place_of(scratch, layout, one, hierarchy) for one in (own, noise))
    main = hierarchy.group(name_of(own, hierarchy))
    usable = hierarchy.cpus(main.parent) or frozenset()
    both = first.cpus | second.cpus
    shared = _shared(both & online, usable)
    slices = [folders_of(layout, one, hierarchy) for one in (own, noise)]
    folders = [folder for each in slices for folder in each]
    free = None if not shared else _made(scratch, folders, hierarchy, shared)
    alone, wanted = None, first.cpus & online
    if policies and wanted and wanted <= usable:
        alone = _made(scratch, folders, hierarchy, wanted)
    is_exclusive = any(_is_partition(hierarchy.group(name_of(one, hierarchy))) for one in (own, noise))
    return Places(first, second, free, tuple(folders), alone, both - online, is_exclusive)


def _is_partition(group: Path) -> bool:
    """Whether its CPUs are its own: a word more says that it is none, and why."""
    return (files.read_text(group / PARTITION) or "").strip() in ("root", "isolated")


def _shared(both: frozenset[int], usable: frozenset[int]) -> frozenset[int]:
    """The slices' own CPUs; where these are not to be had as many others; none where there are fewer."""
    if both <= usable:
        return both
    others = sorted(usable - both)[: len(both)]
    return frozenset(others) if len(others) == len(both) else frozenset()


def _made(
    scratch: Scratch, folders: Collection[Path], hierarchy: Hierarchy, cpus: frozenset[int]
) -> NoisePlace:
    """A group of our own in each hierarchy that the slices are in, told nothing but its CPUs.

    With version 2 it is the top, where it may be: in any group below, what I/O costs is shared by weight, which is part of slices.
    """
    top = hierarchy.tops["cpuset"]
    if hierarchy.version == "cgroup-v2" and control_groups.is_top(top):
        return NoisePlace((top,), cpus, is_bound=True)
    made = {parent: scratch.new_group(parent, _KIND) for parent in {one.parent for one in folders}}
    cpuset = made[hierarchy.tops["cpuset"]]
    nodes = hierarchy.nodes(cpuset.parent)
    try:
        if hierarchy.version == "cgroup-v1" or nodes:
            control_groups.write(cpuset, _NODES, in_short(nodes or frozenset({0})))
        control_groups.write(cpuset, _CPUS, in_short(cpus))
    except OSError as error:
        raise world_error("control-group-refused", f"give {cpuset} its CPUs", error) from error
    return NoisePlace(tuple(made.values()), cpus)


def too_few(topology: Topology, own: Collection[int], noise: Collection[int]) -> str | None:
    """Why the cores do not do: each slice needs one that the other has nothing of, and so does whoever else is at work."""
    cores = {one.id: one.core if one.core is not None else -1 - one.id for one in topology.cpus if one.online}
    first, second = ({cores[cpu] for cpu in cpus if cpu in cores} for cpus in (own, noise))
    if both := first & second:
        cpus = frozenset(cpu for cpu, core in cores.items() if core in both)
        return f"both slices have CPUs of the same core{'s' if len(both) > 1 else ''} (CPUs {in_short(cpus)})"
    if not first or not second:
        return "a slice has no core that is online"
    if not set(cores.values()) - first - second:
        many = len(set(cores.values()))
        return f"the host has {many} cores, all of them in the two slices, and none is left for whoever else is at work"
    return None


def nodes_with_memory(topology: Topology) -> frozenset[int]:
    """Nodes of which memory can be taken from here."""
    return frozenset(
        one.id
        for one in topology.nodes
        if one.memory_bytes != 0 and one.allowed is not False and not one.is_gpu
    )


def others_at_work(places: Places, ours: Collection[int]) -> Look | None:
    """Processes that are not ours in both slices, by id; None: who is in them cannot be read."""
    if any(files.read_text(folder / "cgroup.procs") is None for folder in places.quiet):
        return None
    found = {number for folder in places.quiet for number in control_groups.members(folder)} - set(ours)
    return look_at(found)

"""What a plan asks of control groups: each group that is made and each value that is written, in an order that the kernel takes.

Programs for sh, `cgconfig.conf` and `plimsoll host slice apply` are made of these lists. Paths are those below where version 2 is
mounted; of version 1 they begin with the controller, each of which has a hierarchy of its own.
source: the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1: a controller is there when the group above passes it
on; CPUs and nodes come before processes; a group is a partition of its own when its CPUs are set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.layout import Cap, Group, Layout

SUBTREE = "cgroup.subtree_control"
COST_MODEL, COST_SERVICE = "io.cost.model", "io.cost.qos"
PARTITION = "cpuset.cpus.partition"


@dataclass(frozen=True)
class Make:
    """A group is made."""

    path: str


@dataclass(frozen=True)
class Put:
    """A value is written; behind the number of the disk, where there is one."""

    path: str
    value: str
    device: str | None = None
    about: str = ""
    """What a reader of it is told; empty: nothing."""


@dataclass(frozen=True)
class Own:
    """An account is given the group, or some files of it."""

    group: str
    files: tuple[str, ...]
    """Empty: the folder itself."""
    account: str


@dataclass(frozen=True)
class Exclusive:
    """No other group has its CPUs; the kernel tells in the file whether it is so."""

    group: str


Write = Make | Put | Own | Exclusive


def version_2(layout: Layout) -> Iterator[Write]:
    """Of the one hierarchy of version 2."""
    yield from (Put(SUBTREE, f"+{name}") for name in controllers(layout))
    for group in layout.groups:
        yield from _group_2(group)
    yield from (Exclusive(group.group) for group in (layout.groups if layout.others else ()))
    for model in layout.models:
        yield Put(COST_MODEL, model.model, model.device, model.about)
        yield Put(COST_SERVICE, model.service, model.device)


def controllers(layout: Layout) -> tuple[str, ...]:
    """Those of version 2 that are needed."""
    has_io = bool(layout.models) or any(group.caps or group.weight is not None for group in layout.groups)
    return ("cpuset", "memory", *(["io"] if has_io else []))


def _group_2(group: Group) -> Iterator[Write]:
    name = group.group
    yield Make(name)
    yield Put(f"{name}/cpuset.cpus", in_short(group.cpus))
    yield Put(f"{name}/cpuset.mems", in_short(group.nodes))
    if group.memory_bytes is not None:
        yield Put(f"{name}/memory.max", str(group.memory_bytes))
    if group.weight is not None:
        yield Put(f"{name}/io.weight", f"default {group.weight}")
    yield from (Put(f"{name}/io.max", _limits(cap), cap.device) for cap in group.caps)
    if group.slice.account is not None:
        yield Own(name, ("", "cgroup.procs", SUBTREE, "cgroup.threads"), group.slice.account)


def _limits(cap: Cap) -> str:
    limits = {"iops": cap.iops, "bps": cap.bytes_per_s}
    return " ".join(
        f"{way}{unit}={limit}" for unit, limit in limits.items() if limit is not None for way in "rw"
    )


def version_1(layout: Layout) -> Iterator[Write]:
    """Of the hierarchies of version 1; caps stand last, as cgconfig.conf has no words for them."""
    for group in layout.groups:
        yield from _group_1(group)
    for group in layout.groups:
        for cap in group.caps:
            yield from _caps_1(group, cap)


def _group_1(group: Group) -> Iterator[Write]:
    values = {"cpuset": {"cpus": in_short(group.cpus), "mems": in_short(group.nodes)}}
    if group.memory_bytes is not None:
        values["memory"] = {"limit_in_bytes": str(group.memory_bytes)}
    if group.caps:
        values["blkio"] = {}
    for controller, settings in values.items():
        folder = f"{controller}/{group.group}"
        yield Make(folder)
        yield from (Put(f"{folder}/{controller}.{key}", value) for key, value in settings.items())
        if group.slice.account is not None:
            # Whoever may write both puts threads and whole processes of its own in; version 1 asks for nothing at the top.
            yield Own(folder, ("tasks", "cgroup.procs"), group.slice.account)


def _caps_1(group: Group, cap: Cap) -> Iterator[Write]:
    for unit, limit in (("iops", cap.iops), ("bps", cap.bytes_per_s)):
        for way in ("read", "write") if limit is not None else ():
            file = f"blkio/{group.group}/blkio.throttle.{way}_{unit}_device"
            yield Put(file, str(limit), cap.device)

"""What groups are told, held against the plan: each file of a group with the value that it should have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plimsoll.host.topology.values import parse_list
from plimsoll.placement.slices.applying.carry_out import disk_number
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.layout import Group, Layout
from plimsoll.placement.slices.outputs.cgroup_v1 import used
from plimsoll.placement.slices.outputs.systemd import unit_of
from plimsoll.placement.slices.writes import (
    COST_MODEL,
    COST_SERVICE,
    PARTITION,
    Exclusive,
    Own,
    Put,
    Write,
    version_1,
    version_2,
)
from plimsoll.ports import control_groups, files, processes
from plimsoll.ports.folders import user_name

_LISTS = ("cpuset.cpus", "cpuset.mems")
_PAGE_BYTES = 4_096


class Setting(NamedTuple):
    """What a file should say, and says; None: it cannot be read."""

    path: Path
    wished: str
    found: str | None


def name_of(group: Group, hierarchy: Hierarchy) -> str:
    """The name of its folder."""
    return unit_of(group) if hierarchy.way == "systemd" else group.group


def folders_of(layout: Layout, group: Group, hierarchy: Hierarchy) -> list[Path]:
    """Its folder, or that of each controller of version 1."""
    if hierarchy.version == "cgroup-v2":
        return [hierarchy.group(name_of(group, hierarchy))]
    return [hierarchy.group(group.group, controller) for controller in used(layout, group.group)]


def wrong_settings(layout: Layout, group: Group, hierarchy: Hierarchy) -> Iterator[Setting]:
    """Those of a group that are not as planned."""
    for path, wished in _wished(layout, group, hierarchy):
        found = files.read_text(path)
        if found is None or not _is_as(path.name, wished, found):
            yield Setting(path, wished, found)


def wrong_owners(layout: Layout, group: Group, hierarchy: Hierarchy) -> Iterator[Setting]:
    """Files of a group, and groups, that the account should have been given and was not; systemd gives none away."""
    if hierarchy.way == "systemd":
        return
    for one in _writes(layout, hierarchy):
        if isinstance(one, Own) and Path(one.group).name == group.group:
            wished = processes.find_user(one.account)
            for name in one.files:
                path = hierarchy.path(f"{one.group}/{name}".rstrip("/"))
                found = control_groups.owner(path)
                if wished is None or found != wished.user_id:
                    yield Setting(path, one.account, None if found is None else user_name(found))


def wrong_shared(layout: Layout, hierarchy: Hierarchy) -> Iterator[Setting]:
    """What disks are shared by what I/O costs is told at the top, and only with version 2."""
    if hierarchy.version != "cgroup-v2":
        return
    for one in version_2(layout):
        if isinstance(one, Put) and one.path in (COST_MODEL, COST_SERVICE):
            path, wished = hierarchy.path(one.path), _value(one)
            found = files.read_text(path)
            if found is None or not _is_as(path.name, wished, found):
                yield Setting(path, wished, found)


def _wished(layout: Layout, group: Group, hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    for one in _writes(layout, hierarchy):
        if isinstance(one, Exclusive) and one.group == group.group:
            yield hierarchy.group(name_of(group, hierarchy)) / PARTITION, "root"
        elif isinstance(one, Put) and Path(one.path).parent.name == group.group:
            controller = one.path.partition("/")[0] if hierarchy.version == "cgroup-v1" else "cpuset"
            folder = hierarchy.group(name_of(group, hierarchy), controller)
            yield folder / Path(one.path).name, _value(one)


def _writes(layout: Layout, hierarchy: Hierarchy) -> Iterator[Write]:
    return version_2(layout) if hierarchy.version == "cgroup-v2" else version_1(layout)


def _value(put: Put) -> str:
    if put.device is None:
        return put.value
    return f"{disk_number(put.device) or f'(no disk {put.device})'} {put.value}"


def _is_as(name: str, wished: str, found: str) -> bool:
    if name in _LISTS:
        return _numbers(found) == _numbers(wished)
    if name.startswith("memory."):
        return found.isdigit() and int(found) // _PAGE_BYTES == int(wished) // _PAGE_BYTES
    if name == PARTITION:
        # A word more says that it is none, and why.
        return found == wished
    # A disk's line has limits that nobody asked for, too; weights of disks stand below the default.
    return any(_words(wished) <= _words(line) for line in found.splitlines())


def _words(line: str) -> set[tuple[str, str | float]]:
    """Of `rpct=0` and `rpct=0.00` the number counts."""
    return {(key, _number(value)) for key, _, value in (word.partition("=") for word in line.split())}


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _numbers(text: str) -> frozenset[int] | None:
    try:
        return parse_list(text)
    except ValueError:
        return None

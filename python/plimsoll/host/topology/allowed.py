"""What the group of processes that read a topology may use: its cpuset.

source: the kernel's Documentation/admin-guide/cgroup-v2.rst (`cpuset.cpus.effective`), cgroup-v1/cpusets.rst
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from plimsoll.base.values import value
from plimsoll.facts import TopologyAllowed
from plimsoll.host.topology.tree import Reader
from plimsoll.host.topology.values import parse_list

_STATUS = "proc/self/status"


@value
class _Mount:
    """Where groups of processes are, and the names of the two files in each."""

    folder: str
    cpus: str
    nodes: str


def read_allowed(reader: Reader) -> TopologyAllowed | None:
    """By the control group; else by what the process itself was told; None where neither is there."""
    group = _group(reader)
    for mount in _mounts(reader) if group is not None else ():
        found = _of_group(reader, mount, group or "/")
        if found is not None:
            return found
    return _of_status(reader, group)


def _group(reader: Reader) -> str | None:
    own = reader.text("proc/self/cpuset")
    if own is not None and own.startswith("/"):
        return own
    lines = [line.split(":", 2) for line in (reader.text("proc/self/cgroup") or "").splitlines()]
    named = [line for line in lines if len(line) == 3 and "cpuset" in line[1].split(",")]
    unified = [line for line in lines if len(line) == 3 and not line[1]]
    return next((path for _, _, path in (*named, *unified)), None)


def _mounts(reader: Reader) -> Iterator[_Mount]:
    """Version 2 where it has the controller; else version 1, whose files may go without a prefix."""
    text = reader.text("proc/mounts") or reader.text("proc/self/mounts") or ""
    lines = [line.split() for line in text.splitlines() if len(line.split()) >= 4]
    for _, place, kind, _, *_ in lines:
        folder = place.lstrip("/")
        if kind == "cgroup2" and "cpuset" in (reader.text(f"{folder}/cgroup.controllers") or "").split():
            yield _Mount(folder, "cpuset.cpus.effective", "cpuset.mems.effective")
    for _, place, kind, options, *_ in lines:
        words = options.split(",")
        if kind == "cpuset" or (kind == "cgroup" and "cpuset" in words):
            prefix = "" if kind == "cpuset" or "noprefix" in words else "cpuset."
            yield _Mount(place.lstrip("/"), f"{prefix}cpus", f"{prefix}mems")


def _of_group(reader: Reader, mount: _Mount, group: str) -> TopologyAllowed | None:
    """The group's own files, or those of the nearest around it: in a container, its path begins outside."""
    at = posixpath.normpath("/" + group.lstrip("/"))
    while True:
        folder = f"{mount.folder}{at}".rstrip("/")
        cpus = reader.value(f"{folder}/{mount.cpus}", parse_list)
        nodes = reader.value(f"{folder}/{mount.nodes}", parse_list)
        if cpus and nodes:
            return _allowed(cpus, nodes, group, f"/{folder}/{mount.cpus}")
        if at == "/":
            return None
        at = posixpath.dirname(at)


def _of_status(reader: Reader, group: str | None) -> TopologyAllowed | None:
    lines = (line.partition(":") for line in (reader.text(_STATUS) or "").splitlines())
    told = {name: value.strip() for name, _, value in lines}
    try:
        cpus, nodes = parse_list(told["Cpus_allowed_list"]), parse_list(told["Mems_allowed_list"])
    except (KeyError, ValueError):
        return None
    return _allowed(cpus, nodes, group or "/", f"/{_STATUS}")


def _allowed(cpus: frozenset[int], nodes: frozenset[int], group: str, source: str) -> TopologyAllowed:
    return TopologyAllowed(cpus=tuple(sorted(cpus)), nodes=tuple(sorted(nodes)), group=group, source=source)

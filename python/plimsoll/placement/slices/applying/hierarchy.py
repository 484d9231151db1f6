"""Where the control groups of slices are on this host: one hierarchy of version 2, or one for each controller of version 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.host.topology.values import parse_list
from plimsoll.placement.slices.layout import Layout
from plimsoll.placement.slices.writes import Make, controllers, version_1
from plimsoll.ports import files, mounts

Way = Literal["systemd", "cgroup-v2", "cgroup-v1"]
WAYS: tuple[Way, ...] = ("systemd", "cgroup-v2", "cgroup-v1")
_SYSTEMD = Path("/run/systemd/system")
"""Is there where systemd is the first process (sd_booted(3))."""
_CPUS, _NODES = "cpuset.cpus", "cpuset.mems"
_EFFECTIVE = {
    "cgroup-v1": {_CPUS: "cpuset.effective_cpus", _NODES: "cpuset.effective_mems"},
    "cgroup-v2": {_CPUS: "cpuset.cpus.effective", _NODES: "cpuset.mems.effective"},
}


@dataclass(frozen=True)
class Hierarchy:
    """Which way slices are made here, and below which folders, by controller; of version 2 all have the same."""

    way: Way
    tops: Mapping[str, Path]

    @property
    def version(self) -> Literal["cgroup-v2", "cgroup-v1"]:
        """Of its control groups."""
        return "cgroup-v1" if self.way == "cgroup-v1" else "cgroup-v2"

    def path(self, written: str) -> Path:
        """Where a path of `writes` is."""
        if self.version == "cgroup-v2":
            return self.tops["cpuset"] / written
        controller, _, rest = written.partition("/")
        return self.tops[controller] / rest

    def group(self, name: str, controller: str = "cpuset") -> Path:
        """The folder of a group in the hierarchy of that controller."""
        return self.tops[controller] / name

    def is_place(self, path: Path) -> bool:
        """Whether it is a group, or a file of one, right below a top, or a file of a top."""
        return any(path.parent == top or path.parent.parent == top for top in self.tops.values())

    def cpus(self, group: Path) -> frozenset[int] | None:
        """The CPUs that processes of the group are run on; None: not told."""
        return _numbers(group / _EFFECTIVE[self.version][_CPUS])

    def nodes(self, group: Path) -> frozenset[int] | None:
        """The nodes that its memory is taken of; None: not told."""
        return _numbers(group / _EFFECTIVE[self.version][_NODES])


def _numbers(file: Path) -> frozenset[int] | None:
    text = files.read_text(file)
    try:
        return None if text is None else frozenset(parse_list(text))
    except ValueError:
        return None


def hierarchy_for(layout: Layout, way: str | None) -> Hierarchy:
    """The one of this host, or of the way that is asked for.

    Raises UsageError `slices-way-unknown`, WorldError `slices-no-groups`.
    """
    chosen = _way_of_host() if way is None else _known(way)
    found = hierarchy_of(chosen, _wanted(layout, chosen))
    if chosen == "systemd" and not _SYSTEMD.is_dir():
        hint = "Use --way cgroup-v2 or --way cgroup-v1, and apply anew after each boot."
        raise WorldError("slices-no-groups", "systemd does not run this host", hint)
    return found


def _known(way: str) -> Way:
    for one in WAYS:
        if one == way:
            return one
    hint = f"Name one of {', '.join(WAYS)}, or leave --way out."
    raise UsageError("slices-way-unknown", f"{way} is no way to make slices", hint)


def _way_of_host() -> Way:
    passed_on = [_passed_on(mount) for mount in _mounted("cgroup2")]
    if not any("cpuset" in names for names in passed_on):
        # Where no version has it, version 2 is what is missing it.
        return "cgroup-v1" if _first_version("cpuset") is not None else "cgroup-v2"
    return "systemd" if _SYSTEMD.is_dir() else "cgroup-v2"


def _wanted(layout: Layout, way: Way) -> Sequence[str]:
    if way != "cgroup-v1":
        return controllers(layout)
    return sorted({one.path.partition("/")[0] for one in version_1(layout) if isinstance(one, Make)})


def hierarchy_of(way: Way, wanted: Sequence[str]) -> Hierarchy:
    """Raises WorldError `slices-no-groups` where a controller is not to be had."""
    if way == "cgroup-v1":
        found = {name: top for name in wanted if (top := _first_version(name)) is not None}
        missing = [name for name in wanted if name not in found]
        if missing:
            raise _missing(missing, "no hierarchy of version 1 is mounted for")
        return Hierarchy(way, found)
    mounted = list(_mounted("cgroup2"))
    if not mounted:
        raise WorldError("slices-no-groups", "no control groups of version 2 are mounted", _HINT)
    names, mount = max(
        ((_passed_on(mount) & set(wanted), mount) for mount in mounted), key=lambda one: len(one[0])
    )
    missing = [name for name in wanted if name not in names]
    if missing:
        raise _missing(missing, f"the control groups of version 2 in {mount.point} do not have")
    return Hierarchy(way, dict.fromkeys(wanted, Path(mount.point)))


_HINT = (
    "See which controllers there are: `cat /proc/cgroups /sys/fs/cgroup/cgroup.controllers`. "
    "In a container, do it on the host, or have the group of the container given all of them."
)


def _missing(names: Sequence[str], why: str) -> WorldError:
    bound = [f"{name} at {top}" for name in names if (top := _first_version(name)) is not None]
    elsewhere = f"; bound to version 1: {', '.join(bound)}" if bound and "version 2" in why else ""
    plural = "s" if len(names) > 1 else ""
    return WorldError(
        "slices-no-groups", f"{why} the controller{plural} {', '.join(names)}{elsewhere}", _HINT
    )


def mounted_tops() -> set[Path]:
    """Where control groups of either version are mounted."""
    return {Path(mount.point) for kind in ("cgroup", "cgroup2") for mount in _mounted(kind)}


def _mounted(kind: str) -> list[mounts.Mount]:
    return [mount for mount in mounts.mounts(mounts.mount_table()) if mount.kind == kind]


def _passed_on(mount: mounts.Mount) -> set[str]:
    return set((files.read_text(Path(mount.point, "cgroup.controllers")) or "").split())


def _first_version(controller: str) -> Path | None:
    """Where it is mounted first: all mounts of it show the same groups."""
    for mount in _mounted("cgroup"):
        if controller in mount.super_options.split(","):
            return Path(mount.point)
    return None

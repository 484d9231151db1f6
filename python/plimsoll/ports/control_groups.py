"""Control groups of processes: where one can be made, making and removing it, and who is in it (cgroups(7)).

Of version 1 each controller has a hierarchy of its own, in which a group can be made below that of this process, so that what
bounds this process bounds that group as well. Version 2 has one hierarchy, in which only groups without processes pass
controllers on: there it is the nearest group around this process that does. Which controllers a group passes on is never changed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from plimsoll.base.values import value
from plimsoll.ports import files, mounts

_KINDS = ("cgroup", "cgroup2")


@value
class Controller:
    """A controller by its names in both versions. `setting` is a file by which version 1 shows that it can do what is wanted."""

    name: str
    unified_name: str
    setting: str


BLOCK_IO = Controller("blkio", "io", "blkio.throttle.read_iops_device")
_THROTTLES = tuple(f"blkio.throttle.{way}_iops_device" for way in ("read", "write"))
_UNCAPPED = {"riops=max", "wiops=max"}
_CPUS_LEFT = (("cgroup", "cpuset", "cpuset.effective_cpus"), ("cgroup2", "", "cpuset.cpus.effective"))
MEMORY = Controller("memory", "memory", "memory.limit_in_bytes")


@value
class Place:
    """A group below which another can be made, and `home`, which this process is in."""

    parent: Path
    home: Path
    is_unified: bool


def places(wanted: Sequence[Controller]) -> dict[Controller, Place]:
    """Where groups for these controllers can be made; those are missing for which there is no place.

    A process is in one group of each hierarchy, so that all that only version 2 has are to be had in one place, or none is.
    """
    found = {one: place for one in wanted if (place := _first_version(one)) is not None}
    rest = [one for one in wanted if one not in found]
    unified = _second_version(rest) if rest else None
    return found if unified is None else {**found, **dict.fromkeys(rest, unified)}


def _first_version(controller: Controller) -> Place | None:
    for mount in _hierarchies("cgroup"):
        if controller.name not in mount.super_options.split(","):
            continue
        home = _home(mount, controller.name)
        if home is not None and (home / controller.setting).exists() and os.access(home, os.W_OK):
            return Place(home, home, is_unified=False)
    return None


def _second_version(controllers: Sequence[Controller]) -> Place | None:
    names = {one.unified_name for one in controllers}
    for mount in _hierarchies("cgroup2"):
        home = _home(mount, "")
        for group in () if home is None else _around(home, Path(mount.point)):
            passed_on = (files.read_text(group / "cgroup.subtree_control") or "").split()
            if home is not None and names.issubset(passed_on) and os.access(group, os.W_OK):
                return Place(group, home, is_unified=True)
    return None


def capped_devices() -> dict[str, Path]:
    """Numbers (`7:0`) of devices at which a group around this process caps its I/Os per second, with the file that says so."""
    found = {}
    for kind, controller, names in (("cgroup", BLOCK_IO.name, _THROTTLES), ("cgroup2", "", ("io.max",))):
        for mount in _hierarchies(kind):
            home = _home(mount, controller)
            for group in () if home is None else _around(home, Path(mount.point)):
                for name in names:
                    for number, *limits in map(str.split, (files.read_text(group / name) or "").splitlines()):
                        if not _UNCAPPED.issubset(limits):
                            found[number] = group / name
    return found


def _hierarchies(kind: str) -> Iterator[mounts.Mount]:
    return (mount for mount in mounts.mounts(mounts.mount_table()) if mount.kind == kind)


def _around(group: Path, top: Path) -> Iterator[Path]:
    """The group and those around it, from within."""
    return (one for one in (group, *group.parents) if one.is_relative_to(top))


def _home(mount: mounts.Mount, controller: str, process: int | str = "self") -> Path | None:
    """The group of a process in that hierarchy, of version 2 without a controller's name; None where it is not to be seen."""
    return _home_told(mount, controller, files.read_text(f"/proc/{process}/cgroup") or "")


def _home_told(mount: mounts.Mount, controller: str, told: str) -> Path | None:
    """As the process's own list of its groups tells it."""
    for line in told.splitlines():
        _, controllers, group = line.split(":", 2)
        if controller in controllers.split(","):
            # In a container the names may begin above what is mounted there.
            inside = Path(group).relative_to(mount.root) if Path(group).is_relative_to(mount.root) else ""
            home = Path(mount.point, inside)
            return home if home.is_dir() else None
    return None


@value
class Tree:
    """A hierarchy that is mounted, for many looks at who is where in it."""

    mount: mounts.Mount
    names: tuple[str, ...]

    def home(self, told: str) -> Path | None:
        """The group of whose `groups_told` these are; None: not told, or there is none."""
        found = (_home_told(self.mount, name, told) for name in self.names)
        return next((home for home in found if home is not None), None)


def tree_of(group: Path) -> Tree | None:
    """The hierarchy in which a group lies."""
    for kind in _KINDS:
        for mount in _hierarchies(kind):
            if group.is_relative_to(mount.point):
                names = ("",) if kind == "cgroup2" else tuple(mount.super_options.split(","))
                return Tree(mount, names)
    return None


def groups_told(process: int | str) -> str:
    """The kernel's list of a process's groups (cgroups(7), `/proc/PID/cgroup`); empty: it is gone."""
    return files.read_text(f"/proc/{process}/cgroup") or ""


def home_beside(group: Path, process: int | str = "self") -> Path | None:
    """The group that a process is in, in the hierarchy in which that group lies; None: not told, or there is none."""
    tree = tree_of(group)
    return None if tree is None else tree.home(groups_told(process))


def cpus_allowed(process: int | str) -> str | None:
    """The CPUs that the groups of a process leave it, as the kernel lists them; None: no group says."""
    for kind, controller, name in _CPUS_LEFT:
        for mount in _hierarchies(kind):
            if controller and controller not in mount.super_options.split(","):
                continue
            home = _home(mount, controller, process)
            for group in () if home is None else _around(home, Path(mount.point)):
                if found := files.read_text(group / name):
                    return found
    return None


def make(group: Path) -> None:
    """A new group. Raises OSError."""
    os.mkdir(group, 0o755)


def is_own(group: Path) -> bool:
    """Whether a group of this user is there: a folder of that very name in a hierarchy of groups, through no link."""
    return is_group(group) and owner(group) == os.geteuid()


def is_unified_top(group: Path) -> bool:
    """Whether it is the topmost one of version 2 that is to be seen."""
    return any(Path(mount.point) == group for mount in _hierarchies("cgroup2"))


def goes_when_empty(group: Path) -> bool:
    """Whether somebody may remove it once no process is in it, as systemd does with scopes: of version 2 any but the top, of
    version 1 those that tell of it.
    """
    return (group / "cgroup.type").exists() or (
        files.read_text(group / "notify_on_release") or ""
    ).strip() == "1"


def is_group(group: Path) -> bool:
    """Whether a group is there, whosever it is: a folder of that very name in a hierarchy of groups, through no link."""
    if identity(group) is None or os.path.realpath(group) != str(group):
        return False
    around = [mount for mount in mounts.mounts(mounts.mount_table()) if group.is_relative_to(mount.point)]
    return max(around, key=lambda mount: len(mount.point)).kind in _KINDS


def remove(group: Path) -> bool:
    """Whether it is gone; a group with processes stays."""
    try:
        os.rmdir(group)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def write(group: Path, setting: str, value: str) -> None:
    """Sets what the group allows. Raises OSError."""
    with open(group / setting, "w", encoding="ascii") as file:
        file.write(f"{value}\n")


def put(file: Path, value: str) -> None:
    """Writes a value in one piece, to a file that is there, through no link in its place. Raises OSError."""
    descriptor = os.open(file, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.write(descriptor, f"{value}\n".encode())
    finally:
        os.close(descriptor)


def identity(group: Path) -> int | None:
    """The kernel's number of a group, which no other has while this system runs; None where no group is there."""
    try:
        state = os.lstat(group)
    except OSError:
        return None
    return state.st_ino if stat.S_ISDIR(state.st_mode) else None


def give(path: Path, user_id: int) -> None:
    """Gives an account a group, or one of its files. Raises OSError."""
    os.chown(path, user_id, -1, follow_symlinks=False)


def owner(path: Path) -> int | None:
    """The account that a group, or one of its files, belongs to; None where it is not there."""
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


def below(group: Path) -> list[Path]:
    """The groups right below one, by name."""
    try:
        with os.scandir(group) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def all_below(group: Path) -> list[Path]:
    """The groups below one, at any depth, by name."""
    return [found for one in below(group) for found in (one, *all_below(one))]


def members(group: Path) -> list[int]:
    """The processes in a group and in all groups below it, by id."""
    return sorted(_told(group, "cgroup.procs"))


def members_of_all(groups: Sequence[Path]) -> frozenset[int]:
    """The processes that are in each of these groups, or in one below it: in a part of them is not in a slice of version 1."""
    found = [frozenset(members(one)) for one in groups]
    return found[0].intersection(*found[1:]) if found else frozenset()


def own_members(group: Path) -> frozenset[int]:
    """The processes in a group itself, by id."""
    return frozenset(int(word) for word in (files.read_text(group / "cgroup.procs") or "").split())


def is_top(group: Path) -> bool:
    """Whether it is the group of version 2 that all others are below: no limit holds it, and processes may be in it."""
    return not (group / "cgroup.type").exists()


def threads(group: Path) -> frozenset[int]:
    """The threads in a group of version 1 and in all groups below it, by id: a process may have some of them elsewhere."""
    return _told(group, "tasks")


def _told(group: Path, file: str) -> frozenset[int]:
    texts = (files.read_text(one / file) or "" for one in (group, *all_below(group)))
    return frozenset(int(word) for text in texts for word in text.split() if word.isdigit())


def enter(group: Path) -> None:
    """Puts this process, with all its threads, into the group. Raises OSError."""
    write(group, "cgroup.procs", str(os.getpid()))

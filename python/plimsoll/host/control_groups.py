"""Bounds on what processes ask of storage and memory, by control groups: a cap on a block device, and a bound on memory.

The cap is the kernel's throttle (cgroup-v1 blkio-controller.rst, `blkio.throttle.*_device`; cgroup-v2.rst, `io.max`): it lets so
many I/Os through in each tenth of a second, holds back the rest, and adds no latency to what it lets through. Of version 1 it does
not see what the kernel writes back later, nor a file system's own log. The bound on memory is on all that the processes hold,
the pages of files that they read and wrote among it (`memory.limit_in_bytes`, `memory.max`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import WorldError, world_error
from plimsoll.context import Scratch
from plimsoll.facts import BlockDevice, DeviceCap
from plimsoll.ports import control_groups, files, processes
from plimsoll.ports.control_groups import BLOCK_IO, MEMORY, Controller, Place

_OPTIONS = {BLOCK_IO: "CONFIG_BLK_DEV_THROTTLING", MEMORY: "CONFIG_MEMCG"}
"""What the kernel must have been made with."""
_PURPOSES = {BLOCK_IO: "cap what a device is asked for", MEMORY: "bound the page cache"}
_WAYS = {"r": "read", "w": "write"}
_FILES_IN_MEMORY = ("inactive_file", "active_file")


def cap_on(device: BlockDevice, sysfs: Path = Path("/sys")) -> Path | None:
    """The file of a control group around this process that caps its I/Os per second at this device, or at one beneath it."""
    names = (device.name, *device.parents)
    numbers = [(files.read_text(sysfs / "class" / "block" / name / "dev") or "").strip() for name in names]
    capped = control_groups.capped_devices()
    return next((capped[number] for number in numbers if number in capped), None)


def places(wanted: Sequence[Controller]) -> dict[Controller, Place]:
    """Where groups with all of these controllers can be made. Raises WorldError `control-group-missing`."""
    found = control_groups.places(wanted)
    for one in wanted:
        if one not in found:
            raise _missing(one)
    return found


def _missing(controller: Controller) -> WorldError:
    names = " or ".join(dict.fromkeys((controller.name, controller.unified_name)))
    purpose, option = _PURPOSES[controller], _OPTIONS[controller]
    message = f"cannot {purpose}: no control group with the controller {names} can be made here"
    hint = (
        f"Where /sys/fs/cgroup is of version 2, have it pass the controller on: `echo +{controller.unified_name} > "
        f"/sys/fs/cgroup/cgroup.subtree_control`; else mount that of version 1: `mount -t cgroup -o {controller.name} none "
        f"FOLDER`. The kernel needs {option}. In a container, run it on the host."
    )
    return WorldError("control-group-missing", message, hint)


@dataclass(frozen=True)
class Group:
    """A control group of ours, and the one that this process comes from and returns to."""

    folder: Path
    place: Place

    def cap(self, number: str, cap: DeviceCap) -> None:
        """Caps the device of that number (`7:0`), reads and writes apart. Raises WorldError `control-group-refused`."""
        limits = {"iops": cap.iops, "bps": None if cap.mb_per_s is None else cap.mb_per_s * 1e6}
        known = {unit: max(1, round(limit)) for unit, limit in limits.items() if limit is not None}
        if self.place.is_unified:
            words = " ".join(f"{way}{unit}={limit}" for way in _WAYS for unit, limit in known.items())
            self._set("io.max", f"{number} {words}")
            return
        for way in _WAYS.values():
            for unit, limit in known.items():
                self._set(f"blkio.throttle.{way}_{unit}_device", f"{number} {limit}")

    def bound_memory(self, size_bytes: int) -> None:
        """Bounds all that its processes hold, page cache and all. Raises WorldError `control-group-refused`."""
        self._set("memory.max" if self.place.is_unified else "memory.limit_in_bytes", str(size_bytes))

    def page_cache_bytes(self) -> int | None:
        """Bytes of files that count for it and are in the page cache; None where it does not say."""
        lines = (line.split() for line in (files.read_text(self.folder / "memory.stat") or "").splitlines())
        found = {words[0]: int(words[1]) for words in lines if len(words) == 2}
        known = [found[name] for name in _FILES_IN_MEMORY if name in found]
        return sum(known) if len(known) == len(_FILES_IN_MEMORY) else None

    def _set(self, setting: str, value: str) -> None:
        try:
            control_groups.write(self.folder, setting, value)
        except OSError as error:
            raise world_error(
                "control-group-refused", f"write {value} to {self.folder / setting}", error
            ) from error


def new_groups(scratch: Scratch, found: Mapping[Controller, Place], kind: str) -> dict[Controller, Group]:
    """A group for each controller, for those of one place the same. The scratch takes them back. Raises what it raises."""
    made: dict[Path, Group] = {}
    for place in found.values():
        if place.parent not in made:
            made[place.parent] = Group(scratch.new_group(place.parent, kind), place)
    return {controller: made[place.parent] for controller, place in found.items()}


@contextmanager
def inside(groups: Sequence[Group]) -> Iterator[None]:
    """This process is in these groups until the end of the block; what it starts meanwhile stays in them.

    Raises WorldError `control-group-refused`.
    """
    with _kept([group.place.home for group in groups]):
        try:
            for group in groups:
                _enter(group.folder)
            yield
        finally:
            for group in groups:
                _enter(group.place.home)


@contextmanager
def _kept(homes: Sequence[Path]) -> Iterator[None]:
    """A process of ours stays in groups that would be removed without any, as a scope of systemd is: nobody would come back to it.

    Others that are in it now may end before that. It ends with this one, however that ends, as its input does.

    Raises WorldError `control-group-refused`.
    """
    if not any(map(control_groups.goes_when_empty, homes)):
        yield
        return
    try:
        keeper = processes.start_talking(["cat"])
    except OSError as error:
        raise world_error(
            "control-group-refused", "start a process that keeps the control group", error
        ) from error
    with keeper:
        try:
            yield
        finally:
            keeper.kill()


def entered(folders: Sequence[Path]) -> list[Group]:
    """Groups that are there, for `inside`, each with the group of its hierarchy that this process is in now.

    Raises WorldError `control-group-refused`.
    """
    homes = {folder: control_groups.home_beside(folder) for folder in folders}
    for folder, home in homes.items():
        if home is None:
            hint = "See whether control groups are mounted: `findmnt -t cgroup,cgroup2`."
            message = f"{folder} is in no hierarchy of control groups that this process is in"
            raise WorldError("control-group-refused", message, hint)
    return [Group(folder, Place(folder.parent, home, False)) for folder, home in homes.items() if home]


def put_inside(folders: Sequence[Path], process_id: int) -> None:
    """Puts a process that was started here into groups. Raises WorldError `control-group-refused`."""
    for folder in folders:
        try:
            control_groups.write(folder, "cgroup.procs", str(process_id))
        except OSError as error:
            raise world_error(
                "control-group-refused", f"put a process into the control group {folder}", error
            ) from error


def _enter(folder: Path) -> None:
    try:
        control_groups.enter(folder)
    except OSError as error:
        raise world_error("control-group-refused", f"enter the control group {folder}", error) from error

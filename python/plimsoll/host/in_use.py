"""Whether a running database has its files on the storage that is about to be loaded.

A load at the line makes everybody wait who uses the same device, and a database in production must never be the one to find out.
Two places are on the same storage when what they stand on has a device in common: a partition its disk, a mapped device its
members, a loop device the disk of its file; or when they are of one file system that no device of this host holds (NFS, ZFS).
What lies in memory shares no device. Of units in a storage network that another host uses nothing can be known here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import SafetyError
from plimsoll.host import devices, filesystems
from plimsoll.host.database_servers import PROC, DatabaseServer, database_servers

_IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs", "proc", "sysfs", "hugetlbfs")
_HINT = (
    "Name a target on another device, or end that database for as long as the measurement lasts. plimsoll line and plimsoll assess"
    " step up gently beside it and end when its latency rises, with --while-in-use."
)


@dataclass(frozen=True)
class InUse:
    """What is known of databases on the storage of a target."""

    devices: tuple[str, ...] = ()
    """What the target and the databases have in common, by the kernel's names."""
    databases: tuple[DatabaseServer, ...] = ()
    """Those with files there, other than those that Plimsoll started."""
    unseen: tuple[DatabaseServer, ...] = ()
    """Those that run here and whose files may lie anywhere, because they may not be looked at."""

    @property
    def words(self) -> str:
        """The databases and the devices, for people."""
        return f"{' and '.join(one.words for one in self.databases)} on {', '.join(self.devices)}"


def databases_beneath(path: Path, proc: Path = PROC, sysfs: Path = devices.SYSFS) -> InUse:
    """Databases on the storage of a device, file or folder; of a file that is not there yet on that of its folder."""
    number = _number(path)
    if number is None:
        return InUse()
    own = _stands_on(number, filesystems.own_table(proc), sysfs)
    found, common, unseen = [], set[str](), []
    for server in database_servers(proc):
        if server.is_ours:
            continue
        if not server.places:
            unseen.append(server)
            continue
        shared = own & _all_beneath(server, sysfs)
        if shared:
            found.append(server)
            common |= shared
    return InUse(_lowest(common), tuple(found), tuple(unseen))


def refuse(path: Path, use: InUse) -> SafetyError:
    """The refusal of a target that running databases are on."""
    message = f"{path} is not loaded, because a running database uses the same storage: {use.words}"
    return SafetyError("target-in-use-by-database", message, _HINT)


def _number(path: Path) -> int | None:
    for place in (path, path.parent):
        try:
            state = os.stat(place)
        except OSError:
            continue
        return state.st_rdev if stat.S_ISBLK(state.st_mode) else state.st_dev
    return None


def _all_beneath(server: DatabaseServer, sysfs: Path) -> frozenset[str]:
    parts: Iterable[frozenset[str]] = (
        _stands_on(place.number, server.mounts, sysfs) for place in server.places
    )
    return frozenset().union(*parts)


def _stands_on(number: int, table: str, sysfs: Path, depth: int = 4) -> frozenset[str]:
    """Names of all devices beneath a device number; of a file system without one what it was mounted from."""
    if os.major(number) != 0:
        return devices.everything_beneath(number, sysfs) or frozenset(
            {f"{os.major(number)}:{os.minor(number)}"}
        )
    mounted = filesystems.mount_of_number(table, number)
    if mounted is None or mounted.kind in _IN_MEMORY or depth == 0:
        return frozenset()
    behind = _number_behind(mounted.kind, mounted.source, mounted.upper_folder)
    if behind is not None:
        return _stands_on(behind, table, sysfs, depth - 1)
    source = mounted.source.partition("/")[0] if mounted.kind == "zfs" else mounted.source
    return frozenset({f"{mounted.kind} {source}"})


def _number_behind(kind: str, source: str, upper_folder: str | None) -> int | None:
    """The device of a file system that has a number of its own: btrfs names it, an overlay has its upper layer somewhere."""
    where = upper_folder if kind == "overlay" else source
    if where is None or not where.startswith("/"):
        return None
    try:
        state = os.stat(where)
    except OSError:
        return None
    if stat.S_ISBLK(state.st_mode):
        return state.st_rdev
    return state.st_dev if kind == "overlay" else None


def _lowest(common: Iterable[str]) -> tuple[str, ...]:
    """For people: kernel names alone, where there are any; world wide names and files behind loop devices are not."""
    names = sorted(common)
    kernel = [name for name in names if "/" not in name and not name.startswith(devices.IDENTITY)]
    return tuple(kernel or names)


def unseen_words(unseen: Sequence[DatabaseServer]) -> str:
    """What a reader must know of servers whose files may not be looked at."""
    return (
        f"{' and '.join(one.words for one in unseen)} runs here, and where its files lie may not be looked at: whether it uses this"
        " storage is not known; as root it would be"
    )

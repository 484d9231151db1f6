"""The ways from a target to this host: a disk's own, each path of a multipath device, each member of what is built of several.

A way ends at a folder of sysfs below which nothing is known to limit it: a disk, or the network card towards its server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.facts import Target
from plimsoll.host import devices
from plimsoll.host.devices import SYSFS
from plimsoll.host.routes import PROC, card_to
from plimsoll.ports import files

_DEPTH_MAX = 16
_NO_CARD = ("", "(null)", "default")
_MIRRORS = ("raid1", "raid10")


@dataclass(frozen=True)
class Way:
    """One way; equal folders are one."""

    folder: Path


@dataclass(frozen=True)
class Ways:
    """All of one target. `copies`: how often this host sends what is written. `reason` tells why there are none."""

    found: tuple[Way, ...] = ()
    copies: int = 1
    reason: str = ""


def ways_to(target: Target, sysfs: Path = SYSFS, proc: Path = PROC) -> Ways:
    """Of a target. Whether this machine's links are real is not asked here."""
    if target.device is not None:
        return ways_of_device(target.device.name, sysfs, proc)
    mounted = target.file_system
    if mounted is None or not mounted.kind.startswith("nfs"):
        return Ways(reason=f"no block device is known beneath {target.name}")
    address = next((one[5:] for one in mounted.options.split(",") if one.startswith("addr=")), "")
    card = _card(card_to(address, proc), sysfs)
    if card is None:
        return Ways(reason=f"no network card is known towards the NFS server {address or mounted.source}")
    return Ways((Way(card),))


def ways_of_device(name: str, sysfs: Path = SYSFS, proc: Path = PROC) -> Ways:
    """Of a block device by its kernel name."""
    link = sysfs / "class" / "block" / name
    if not link.exists():
        return Ways(reason=f"sysfs does not know {name}")
    folder = link.resolve()
    found = tuple(dict.fromkeys(_ways(folder, sysfs, proc, _DEPTH_MAX)))
    reason = "" if found else f"no path to {name} is up"
    return Ways(found, _copies(folder, sysfs, _DEPTH_MAX), reason)


def _ways(folder: Path, sysfs: Path, proc: Path, depth: int) -> Iterator[Way]:
    """Of a disk, or of everything that a device is built of."""
    members = _members(folder, sysfs) if depth else []
    if not members:
        yield from _own(folder, sysfs, proc)
        return
    for member in _in_use(members) if _is_multipath(folder) else members:
        yield from _ways(member, sysfs, proc, depth - 1)


def _members(folder: Path, sysfs: Path) -> list[Path]:
    """The whole disks beneath a mapped device, an array or a loop device; the controllers behind NVMe's own multipath."""
    behind = devices.behind_loop(folder)
    if behind is not None:
        held = devices.sysfs_folder(Path(behind), sysfs)
        return [] if held is None else [devices.whole_disk(held)]
    if folder.parent.parent.name == "nvme-subsystem":
        return [link.resolve() for link in sorted(folder.parent.glob("nvme*")) if _is_live(link)]
    slaves = folder / "slaves"
    found = sorted(link.resolve() for link in slaves.iterdir()) if slaves.is_dir() else []
    return [devices.whole_disk(member) for member in found]


def _is_live(controller: Path) -> bool:
    return (
        re.fullmatch(r"nvme\d+", controller.name) is not None
        and (files.read_text(controller / "state") or "live").strip() == "live"
    )


def _is_multipath(folder: Path) -> bool:
    return (files.read_text(folder / "dm" / "uuid") or "").startswith("mpath-")


def _in_use(paths: Sequence[Path]) -> list[Path]:
    """Paths that are up; of an array with preferred ones, only these are used as long as there are any (ALUA)."""
    up = [path for path in paths if _state(path, "state", "running") == "running" and _port_is_up(path)]
    preferred = [
        path for path in up if _state(path, "access_state", "active/optimized") == "active/optimized"
    ]
    return preferred or up


def _state(path: Path, name: str, otherwise: str) -> str:
    return (files.read_text(path / "device" / name) or "").strip() or otherwise


def _port_is_up(path: Path) -> bool:
    states = [files.read_text(above / "fc_host" / above.name / "port_state") for above in path.parents]
    return all(state.strip() == "Online" for state in states if state)


def _own(folder: Path, sysfs: Path, proc: Path) -> Iterator[Way]:
    """The disk itself, or the network cards towards the server that it comes from."""
    if not _port_is_up(folder):
        return
    session = next((above for above in folder.parents if re.fullmatch(r"session\d+", above.name)), None)
    address = _fabric_address(folder)
    if session is None and address is None:
        yield Way(folder)
        return
    named = [_card_of_host(session, sysfs)] if session is not None else []
    addresses = [address] if address is not None else _addresses(session)
    cards = [card for card in named if card] or [_card(card_to(one, proc), sysfs) for one in addresses if one]
    yield from (Way(card) if card is not None else Way(folder) for card in cards or [None])


def _fabric_address(folder: Path) -> str | None:
    """The address of an NVMe controller on a network; None for any other device."""
    for place in (folder, *folder.parents[:2]):
        if (files.read_text(place / "transport") or "").strip() in ("tcp", "rdma"):
            words = (files.read_text(place / "address") or "").strip().split(",")
            return next((one[7:] for one in words if one.startswith("traddr=")), "")
    return None


def _card_of_host(session: Path, sysfs: Path) -> Path | None:
    """The card that an iSCSI session is bound to."""
    host = session.parent
    name = (files.read_text(host / "iscsi_host" / host.name / "netdev") or "").strip()
    return None if name in _NO_CARD else _card(name, sysfs)


def _addresses(session: Path | None) -> list[str]:
    """Where the connections of an iSCSI session lead."""
    found = (
        [] if session is None else sorted(session.glob("connection*/iscsi_connection/connection*/address"))
    )
    return [(files.read_text(path) or "").strip() for path in found]


def _card(name: str | None, sysfs: Path) -> Path | None:
    link = None if not name else sysfs / "class" / "net" / name
    return link.resolve() if link is not None and link.exists() else None


def _copies(folder: Path, sysfs: Path, depth: int) -> int:
    """Copies that md keeps in this device and in those beneath it. Of a logical volume that mirrors, sysfs does not tell."""
    members = _members(folder, sysfs) if depth else []
    below = min((_copies(member, sysfs, depth - 1) for member in members), default=1)
    return below * _own_copies(folder / "md")


def _own_copies(about: Path) -> int:
    level = (files.read_text(about / "level") or "").strip()
    if level not in _MIRRORS:
        return 1
    disks, gone = (_count(about / name) for name in ("raid_disks", "degraded"))
    if level == "raid1":
        return max(1, disks - gone)
    layout = _count(about / "layout")
    kept = max(1, (layout & 0xFF) * (layout >> 8 & 0xFF))
    return max(1, kept - 1) if gone else kept


def _count(path: Path) -> int:
    text = (files.read_text(path) or "").strip()
    return int(text) if text.isdigit() else 0

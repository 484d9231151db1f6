"""Hosts that are one machine under several names: its counters are of all of them, and none may take the others for strangers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.cluster.post import Post
from plimsoll.facts import AtDevices, Cell, Check

_OTHERS = "others"
_UNTOLD = ("", "None", "unknown")
"""Where no /proc tells of a boot."""


def by_machine(posts: Iterable[Post]) -> list[list[Post]]:
    """Hosts of one boot of one machine together, in their order; one that does not tell its boot is by itself."""
    found: dict[str, list[Post]] = {}
    for post in posts:
        found.setdefault(f"of {post.host}" if post.boot in _UNTOLD else post.boot, []).append(post)
    return list(found.values())


def cells_of(posts: Sequence[Post]) -> dict[str, Cell]:
    """Each host's measurement. Its checks name it, as all of them are read in one place."""
    return {
        post.host: _named(post.done.cell, post.host, these)
        for these in by_machine(posts)
        for post in these
        if post.done is not None
    }


def _named(cell: Cell, host: str, these: Sequence[Post]) -> Cell:
    checks = [
        _of_one_machine(cell, check, these) if check.name == _OTHERS else check for check in cell.checks
    ]
    return cell.but(checks=tuple(check.but(reason=f"{host}: {check.reason}") for check in checks))


def _of_one_machine(cell: Cell, check: Check, these: Sequence[Post]) -> Check:
    """What devices moved beside one agent is what the others of its machine did, if all of them together come to it."""
    if check.passed is not False or len(these) == 1 or cell.at_devices is None:
        return check
    names = ", ".join(post.host for post in these)
    known = [post.done.cell.at_devices for post in these if post.done is not None]
    same = [one for one in known if one is not None and one.devices == cell.at_devices.devices]
    if len(same) == len(these) and not _of_all(cell.at_devices, same).moved_more:
        return check.but(passed=True, reason=f"the device moved no more than what {names} did together")
    reason = f"{names} are one machine, whose device moved more than they told of: who else was there cannot be known"
    return check.but(passed=None, reason=reason)


def together_at_devices(known: Sequence[AtDevices]) -> list[AtDevices]:
    """Of agents on one machine, by the devices that they used: what all of them asked for there, beside what the devices did."""
    by_devices: dict[tuple[str, ...], list[AtDevices]] = {}
    for one in known:
        by_devices.setdefault(one.devices, []).append(one)
    return [_of_all(max(these, key=lambda one: one.device_bytes), these) for these in by_devices.values()]


def _of_all(own: AtDevices, all_of_them: Iterable[AtDevices]) -> AtDevices:
    """What the devices did beside one, against what all asked for."""
    these = list(all_of_them)
    return own.but(
        reads=sum(one.reads for one in these),
        read_bytes=sum(one.read_bytes for one in these),
        writes=sum(one.writes for one in these),
        write_bytes=sum(one.write_bytes for one in these),
    )

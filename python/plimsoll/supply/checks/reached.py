"""Whether each I/O reached the device as we made it, by the device's own counters.

The kernel makes one I/O of neighbours that come together, and a cache above the device answers without it. Either way the device
did something else than what the number says.
"""

from __future__ import annotations

from plimsoll.base.limits import DEVICE_BYTES_SHARE_MAX, DEVICE_IOS_SHARE_MAX
from plimsoll.facts import AtDevices, Cell, Check, ClassResult, Target
from plimsoll.supply.checks._kind import Passive

_NAME = "reached"
_FEW = 2
"""I/Os that may be under way at either reading, where a device dawdles with its counting."""


def _judge(cell: Cell, target: Target) -> Check | None:
    found = cell.at_devices
    if found is None or not cell.direct or not found.ios:
        return None
    where = " and ".join(found.devices)
    said = (
        f"{where} counted {found.device_ios:,} I/Os and {found.device_bytes / 1e6:,.1f} MB,"
        f" we {found.ios:,} and {found.bytes / 1e6:,.1f} MB"
    )
    short = [_short(found.reads, found.device_reads), _short(found.writes, found.device_writes)]
    lacking = [
        _lacking(found.read_bytes, found.device_read_bytes),
        _lacking(found.write_bytes, found.device_write_bytes),
    ]
    figures = _figures(found)
    if any(lacking):
        reason = f"{said}: something above the device answered the rest"
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    if any(short) and not found.of_mounts:
        made = "the kernel made one I/O of neighbouring ones"
        if cell.merge:
            return Check(
                name=_NAME, passed=True, reason=f"{said}: {made}, as --merge allows", figures=figures
            )
        scans = _scans_beside_others(cell)
        if found.ios - found.device_ios <= sum(scan.ios for scan in scans):
            names = " and ".join(scan.name for scan in scans)
            reason = f"{said}: {made}, of {names} under way together, as it does for a database that scans"
            return Check(name=_NAME, passed=True, reason=reason, figures=figures)
        return Check(name=_NAME, passed=False, reason=f"{said}: {made}", figures=figures)
    return Check(name=_NAME, passed=True, reason=said + _in_parts(found), figures=figures)


def _in_parts(found: AtDevices) -> str:
    """Why the device counted more I/Os of the same bytes."""
    if _lacking(found.device_bytes, found.bytes) or not _short(found.device_ios, found.ios):
        return ""
    return ": the kernel makes several I/Os of one that is too large for the device, and of a durable write"


def _scans_beside_others(cell: Cell) -> list[ClassResult]:
    """Sequential classes of a mix that arrives at a rate.

    What waits in the device's queue is merged there, however it was submitted. The rate was asked for and has come, and a
    database's own scans are merged likewise; as the result of a stream alone it would be a number that no single I/O of it reached.
    """
    arranged = {io.name for io in cell.workload.classes if io.pattern == "sequential"}
    if cell.arrivals.kind == "closed" or len(arranged) == len(cell.workload.classes):
        return []
    return [one for one in cell.classes if one.name in arranged]


def _short(ours: int, theirs: int) -> bool:
    return ours - theirs > max(_FEW, DEVICE_IOS_SHARE_MAX * ours)


def _lacking(ours: int, theirs: int) -> bool:
    return ours - theirs > DEVICE_BYTES_SHARE_MAX * ours


def _figures(found: AtDevices) -> dict[str, float]:
    return {
        "ios": found.ios,
        "bytes": found.bytes,
        "device_ios": found.device_ios,
        "device_bytes": found.device_bytes,
    }


CHECK = Passive(
    title="each I/O reached the device",
    help="Holds our own count of I/Os and bytes, from the first I/O to the last, against the kernel's counters of the device"
    " (/sys/dev/block/*/stat). Fewer bytes there mean that something above the device answered; fewer I/Os mean that the kernel"
    " merged neighbours, which passes for scans within a mix at a rate."
    " More I/Os there are the parts of some that were too large for the device (max_sectors_kb), or belong to"
    " durable writes, where the device cannot make a single one durable. It is not made for I/O through the page cache.",
    judge=_judge,
    decides=True,
)

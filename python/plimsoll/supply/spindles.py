"""The arithmetic of spindles: what so many disks ought to give, from their kind and the way they are bound together.

The figures are rules of thumb for small random I/Os that miss every cache. Of one disk: about 100 a second for SATA and 200 for
SAS, seen on arrays of 400 and of 24 disks behind mirroring by ASM (L. Canali and D. Wojcik, CERN, "Testing Storage for Oracle RAC
11g", UKOUG 2011); 200 for 15,000 rpm, whose I/O takes about 5 ms. For 10,000 rpm no figure is at hand, and flash has no spindles.

A read costs one I/O on the disks. A write costs one per copy; with parity, old data and each old parity are read and the new ones
written: 4 with one parity, 6 with two. RAID-DP gives about a fifth of its disks to parity (the same talk: a group of 72 disks of
100 gave about 5,000, where this arithmetic says 5,760); what its random writes cost is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_share
from plimsoll.facts import Expectation

IOPS_PER_SPINDLE: Final[dict[str, float | None]] = {
    "sata": 100.0,
    "sas": 200.0,
    "15k": 200.0,
    "10k": None,
    "ssd": None,
    "nvme": None,
}
"""Kind of disk → small random I/Os per second of one; None where no rule of thumb is known."""


@dataclass(frozen=True)
class Raid:
    """What a way to bind disks together costs. `write_penalty` is I/Os on the disks for one write; None: unknown."""

    write_penalty: float | None
    data_share: float
    """Of the disks, those that serve reads."""
    why: str


RAIDS: Final = {
    "raid0": Raid(1, 1.0, "each write goes to one disk"),
    "raid1": Raid(2, 1.0, "each write goes to two disks"),
    "raid10": Raid(2, 1.0, "each write goes to two disks"),
    "raid5": Raid(4, 1.0, "a write reads and writes data and parity"),
    "raid6": Raid(6, 1.0, "a write reads and writes data and two parities"),
    "raid-dp": Raid(None, 0.8, "a fifth of the disks is for parity"),
    "asm-normal": Raid(2, 1.0, "each write goes to two disks"),
    "asm-high": Raid(3, 1.0, "each write goes to three disks"),
}


def expectation(spindles: int, disk_type: str, raid: str = "raid0", read_share: float = 1.0) -> Expectation:
    """What the disks ought to give; its `iops` is None where a figure that it needs is not known.

    Raises UsageError `spindles-unfit`.
    """
    _check(spindles, disk_type, raid)
    each, bound = IOPS_PER_SPINDLE[disk_type], RAIDS[raid]
    iops, reason = _answer(spindles, disk_type, raid, read_share)
    return Expectation(
        spindles=spindles,
        disk_type=disk_type,
        raid=raid,
        read_share=read_share,
        iops_per_spindle=each,
        write_penalty=bound.write_penalty,
        iops=iops,
        reason=reason,
    )


def _answer(spindles: int, disk_type: str, raid: str, read_share: float) -> tuple[float | None, str]:
    each, bound, writes = IOPS_PER_SPINDLE[disk_type], RAIDS[raid], 1 - read_share
    if each is None:
        return None, f"no rule of thumb says how many I/Os a second one {disk_type} disk does"
    disks = f"{spindles} {disk_type} disks × {each:g} I/Os per second"
    if bound.data_share < 1:
        disks += f" × {bound.data_share:g}, as {bound.why}"
    total = spindles * each * bound.data_share
    if writes <= 0:
        return total, disks
    if bound.write_penalty is None:
        return None, f"{disks}; what a random write costs on {raid} is not known"
    cost = read_share + writes * bound.write_penalty
    share = f"{format_share(read_share)} reads and {format_share(writes)} writes × {bound.write_penalty:g}, as {bound.why}"
    return total / cost, f"{disks} ÷ {cost:g} for {share}"


def _check(spindles: int, disk_type: str, raid: str) -> None:
    if spindles < 1:
        raise UsageError(
            "spindles-unfit", f"{spindles} disks cannot be", "Give how many disks stand behind the target."
        )
    for what, word, known in (("disk type", disk_type, IOPS_PER_SPINDLE), ("RAID level", raid, RAIDS)):
        if word not in known:
            raise UsageError("spindles-unfit", f"no {what} is called '{word}'", f"Known: {', '.join(known)}.")

"""One workload at several levels of fill of a device: how much slower it is when it is nearly full."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell


class DeviceWear(Fact):
    """What a device says of itself (NVMe's log of health and its namespaces, or SMART). None: it does not tell."""

    fill_share: float | None = None
    """Of its capacity, what it counts as used."""
    used_share: float | None = None
    """Of the writes that its maker promises, how many are gone; may exceed 1."""
    reason: Text
    """Where it was read, or why not."""


class FillLevel(Fact):
    """The workload within the part that is filled, once it was steady. `cell` has the verdict."""

    level_share: float
    """Of the device, or of its part that is used: so much of it holds data, from the beginning on."""
    filled_bytes: int
    """Bytes that hold data."""
    wear: DeviceWear | None = None
    """After it was filled, before the workload."""
    cell: Cell
    """What was measured there."""


class FillSweep(Fact):
    """Levels in rising order, on a device that was empty before."""

    levels: tuple[FillLevel, ...]
    """The lowest first."""
    reason: Text
    notes: tuple[Note, ...] = ()

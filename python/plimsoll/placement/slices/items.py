"""Slices with the nodes of their devices, and what their nearness counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.facts import Topology, TopologyDevice
from plimsoll.placement.slices.costs import DEVICE_WEIGHT, SET_ASIDE_WEIGHT, Item
from plimsoll.placement.slices.machine import Machine
from plimsoll.placement.slices.wanted import Division, Wanted

HOUSEKEEPING, LOG_WRITERS = "housekeeping", "log-writers"


def device_of(found: Topology, name: str) -> TopologyDevice | None:
    """By its name, with or without `/dev/`, or its place on the bus."""
    short = name.removeprefix("/dev/")
    return next((one for one in found.devices if short in (one.name, one.address)), None)


def database_item(wanted: Wanted, division: Division, found: Topology, machine: Machine) -> Item:
    """A database as it is planned, or judged where it was given by hand."""
    return Item(
        wanted,
        weight=float(wanted.priority),
        devices=tuple(_nodes(found, machine, wanted.devices)),
        device_weight=DEVICE_WEIGHT * _demand_share(wanted, division.slices),
    )


def set_aside(division: Division, found: Topology, machine: Machine) -> Iterator[Item]:
    """What works for all databases; log writers are near to the devices of those that write redo."""
    if division.log_writer_cores:
        writing = [one for one in division.slices if one.redo_mb_per_s] or list(division.slices)
        devices = dict.fromkeys(name for one in writing for name in one.devices)
        yield Item(
            Wanted(LOG_WRITERS, division.log_writer_cores, 0),
            "log writers",
            devices=tuple(_nodes(found, machine, tuple(devices))),
        )
    if division.housekeeping_cores:
        yield Item(Wanted(HOUSEKEEPING, division.housekeeping_cores, 0), "housekeeping", SET_ASIDE_WEIGHT)


def _nodes(found: Topology, machine: Machine, names: Sequence[str]) -> Iterator[int]:
    known = {node.id for node in machine.nodes}
    for name in names:
        device = device_of(found, name)
        if device is not None and device.node in known:
            yield machine.place(device.node)


def _demand_share(wanted: Wanted, slices: Sequence[Wanted]) -> float:
    """What it asks of devices against the slice that asks most; all weigh alike where one does not state it."""
    with_devices = [one for one in slices if one.devices]
    for asks in (_mb_per_s, _iops):
        rates = [asks(one) for one in with_devices]
        most = max((rate for rate in rates if rate is not None), default=0.0)
        if most > 0 and None not in rates:
            return (asks(wanted) or 0.0) / most
    return 1.0


def _mb_per_s(one: Wanted) -> float | None:
    """Redo among it, where that is stated."""
    return None if one.mb_per_s is None else one.mb_per_s + (one.redo_mb_per_s or 0.0)


def _iops(one: Wanted) -> float | None:
    return one.iops

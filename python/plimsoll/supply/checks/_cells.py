"""What several checks ask of a cell."""

from __future__ import annotations

from plimsoll.facts import Cell, LatencyUs
from plimsoll.native import engine as native


def engines(cell: Cell) -> set[str]:
    """The engines of all groups."""
    return {group.engine for group in cell.groups} or {cell.engine}


def is_virtual(cell: Cell) -> bool:
    """Whether its time was virtual: then neither CPUs nor wires had a part in it."""
    return any(map(native.runs_in_virtual_time, engines(cell)))


def is_real(cell: Cell) -> bool:
    """Whether real I/Os were made in real time."""
    return all(map(native.makes_real_ios, engines(cell)))


def jobs(cell: Cell) -> int:
    """Measuring threads of all groups."""
    return sum(group.jobs for group in cell.groups) or cell.jobs


def service(cell: Cell) -> LatencyUs:
    """How long I/Os took from their submission on, without the time that they waited for it."""
    return cell.service_us or cell.latency_us

"""`plimsoll host slice plan`: a host divided among databases."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.base.units import counted
from plimsoll.context import Context
from plimsoll.facts import Note, Run, SliceDevice, SlicePlan
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host.devices import io_bytes_max
from plimsoll.host.stable_names import kernel_name, stable_name
from plimsoll.host.topology import read_topology
from plimsoll.placement.slices.measured_disks import measured_disk
from plimsoll.placement.slices.plan import plan_slices
from plimsoll.placement.slices.slice_file import SliceFile
from plimsoll.requests.host import HostSlicePlanRequest


def plan_host_slices(ctx: Context, asked: HostSlicePlanRequest) -> Run:
    """Reads, plans, stores, returns the run. Raises what the file, the store, `read_topology`, `plan_slices`, the page raise."""
    started_at = ctx.clock.now()
    is_here = asked.source is None
    file = SliceFile(
        asked.slices,
        kernel_name if is_here else None,
        lambda names: measured_disk(
            [ctx.store.load(name) for name in names], os.uname().nodename if is_here else None
        ),
    )
    found = read_topology(asked.source)
    plan = plan_slices(file, found)
    if is_here:
        plan = _with_disks_here(plan)
    notes = (
        *(Note(code=one.code, message=one.message) for one in found.problems),
        *(Note(code="slices-assumed", message=one) for one in plan.assumptions),
    )
    where = "this host" if asked.source is None else f"the host in {asked.source}"
    title = f"plan of {counted(len(file.division.slices), 'slice')} of {where}"
    run = record(ctx, "host", title, started_at, topology=found, slices=plan, notes=notes)
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _with_disks_here(plan: SlicePlan) -> SlicePlan:
    """With what this host knows of its disks now: names that a boot leaves alone, and in which pieces I/Os reach them."""

    def named(device: SliceDevice) -> SliceDevice:
        return device.but(stable=stable_name(device.name)) if device.kind == "disk" else device

    slices = tuple(one.but(devices=tuple(map(named, one.devices))) for one in plan.slices)
    disks = tuple(
        one.but(stable=stable_name(one.name), io_bytes_max=io_bytes_max(one.name)) for one in plan.disks
    )
    return plan.but(slices=slices, disks=disks)

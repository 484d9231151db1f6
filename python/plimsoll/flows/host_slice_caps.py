"""Caps of slices on their disks, tried: reads are issued from within a slice, and their rate and the kernel's count of them are
held against the plan.

A cap may stand in a group and hold nothing: on a device below which the I/O goes another way the group counts none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Cell, SliceCap, SliceWrong
from plimsoll.facts.slice_checks import SliceWrongSeverity
from plimsoll.flows.io import plan_of
from plimsoll.host.control_groups import Group as EnteredGroup
from plimsoll.host.control_groups import inside, places
from plimsoll.native.engine import engines
from plimsoll.placement.slices.applying.carry_out import disk_number
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.settings import name_of
from plimsoll.placement.slices.layout import Cap, Group, Layout
from plimsoll.ports import files
from plimsoll.ports.control_groups import BLOCK_IO
from plimsoll.requests.io import IoRequest
from plimsoll.supply.choose import choose_engine, that_blocks
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Wish, on_opened, opened
from plimsoll.supply.workloads import workload

_SMALL_BYTES, _LARGE_BYTES = 4 << 10, 1 << 20
_DEPTH = 32
_ABOVE, _BELOW = 1.05, 0.9
"""The kernel lets so many through in each tenth of a second, so that a short time may see some more."""


@dataclass
class CapsTried:
    """What came of it."""

    caps: list[SliceCap] = field(default_factory=list[SliceCap])
    findings: list[SliceWrong] = field(default_factory=list[SliceWrong])


def try_caps(ctx: Context, layout: Layout, hierarchy: Hierarchy, runtime_s: float) -> CapsTried:
    """Each cap in turn; one whose disk cannot be read, or that nobody waited for, is in doubt."""
    told = CapsTried()
    for group in layout.groups:
        for cap in group.caps:
            try:
                ctx.cancel.check()
                tried = _tried(ctx, group, cap, hierarchy, runtime_s)
            except PlimsollError as error:
                whole = " to its end" if isinstance(error, Interrupted) else ""
                message = f"its cap on {cap.device} was not tried{whole}: {error.message}"
                told.findings.append(_finding("slice-cap-unseen", "doubt", group.name, message))
                continue
            told.caps.append(tried)
            told.findings += _wrong(tried)
    return told


def _finding(code: str, severity: SliceWrongSeverity, name: str, message: str) -> SliceWrong:
    return SliceWrong(code=code, severity=severity, slice=name, message=message)


def _tried(ctx: Context, group: Group, cap: Cap, hierarchy: Hierarchy, runtime_s: float) -> SliceCap:
    block_bytes = _SMALL_BYTES if cap.iops is not None else _LARGE_BYTES
    limit = float(cap.iops) if cap.iops is not None else (cap.bytes_per_s or 0) / block_bytes
    if cap.iops is not None and cap.bytes_per_s is not None:
        limit = min(limit, cap.bytes_per_s / block_bytes)
    controller = "io" if hierarchy.version == "cgroup-v2" else "blkio"
    folder = hierarchy.group(name_of(group, hierarchy), controller)
    before = _counted(folder, cap.device)
    cell = _read(ctx, cap.device, folder, group.name, block_bytes, runtime_s)
    after = _counted(folder, cap.device)
    # What was read until then is too little to hold against the cap, or nothing.
    ctx.cancel.check()
    return SliceCap(
        slice=group.name,
        device=cap.device,
        block_bytes=block_bytes,
        limit_iops=limit,
        read_iops=cell.iops,
        ios=cell.ios,
        counted_ios=None if before is None or after is None else after - before,
    )


def _read(ctx: Context, device: str, folder: Path, name: str, block_bytes: int, runtime_s: float) -> Cell:
    """Also where a database uses the disk, as it is that database's cap, and where nobody has written to it."""
    asked = IoRequest(
        target=device,
        rw="randread",
        block_bytes=block_bytes,
        depth=_DEPTH,
        runtime_s=runtime_s,
        engine=engine_in_groups(),
    )
    mix = workload(asked.rw, asked.block_bytes, asked.read_share)
    place = places([BLOCK_IO])[BLOCK_IO]
    wish = Wish(device, while_in_use=True, is_guarded=False, needs_data=False)
    with opened(ctx, wish) as made:
        ctx.progress("caps", f"reading {device} from within {name} for {runtime_s:g} s")
        plan = on_opened(plan_of(asked, mix, choose_engine(asked.engine, made.target, mix).engine), made)
        # Of version 2 no process may be in a slice's own group while it passes controllers on to those of services below it; what
        # is read in another group below counts for the slice as well, and its caps hold it. Of version 1 they hold no group below.
        group = ctx.scratch.new_group(folder, "caps") if place.is_unified else folder
        with inside([EnteredGroup(group, place)]):
            return measure(plan, made.permits, ctx.cancel, ctx.live)


def engine_in_groups() -> str:
    """Never io_uring: an I/O that it first tries without waiting, and then hands to a thread of the kernel, is charged to the cap
    twice, and half of the rate is left for who reads.
    """
    asynchronous = "libaio"
    return asynchronous if engines()[asynchronous]["available"] else that_blocks(asynchronous)


def _counted(folder: Path, device: str) -> int | None:
    """Reads of the disk that the kernel has counted for the group; None: it does not tell."""
    number = disk_number(device)
    text = files.read_text(folder / "io.stat")
    if text is not None:
        return next((_reads_2(line) for line in text.splitlines() if line.split(" ")[0] == number), 0)
    text = files.read_text(folder / "blkio.throttle.io_serviced")
    if text is None:
        return None
    words = (line.split() for line in text.splitlines())
    return next((int(one[2]) for one in words if one[:2] == [number, "Read"]), 0)


def _reads_2(line: str) -> int:
    return next((int(word[5:]) for word in line.split() if word.startswith("rios=")), 0)


def _wrong(one: SliceCap) -> Iterator[SliceWrong]:
    """Where it does not hold, or nobody knows."""
    rate = f"{one.read_iops:,.0f} reads per second of {one.device}"
    if one.counted_ios is None or one.counted_ios < one.ios:
        counted = "none" if not one.counted_ios else f"{one.counted_ios:,}"
        message = f"the kernel counts {counted} of {one.ios:,} reads of {one.device} for its group: no cap holds them"
        yield _finding("slice-cap-elsewhere", "wrong", one.slice, message)
    elif one.read_iops > _ABOVE * one.limit_iops:
        message = f"{rate}, and its cap is {one.limit_iops:,.0f}"
        yield _finding("slice-cap-not-held", "wrong", one.slice, message)
    elif one.read_iops < _BELOW * one.limit_iops:
        message = f"{rate}, below its cap of {one.limit_iops:,.0f}: the disk gave no more, or others in the slice had the rest"
        yield _finding("slice-cap-unseen", "doubt", one.slice, message)

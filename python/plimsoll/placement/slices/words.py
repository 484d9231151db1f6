"""Which words and numbers a slice may have: they come to stand in programs that root runs, in units and in statements.

A file that people write and a plan that is read back are held against the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from plimsoll.base.errors import UsageError
from plimsoll.facts import HostSlice, SliceDevice, SliceDisk, SlicePlan
from plimsoll.placement.slices.disk_tables import RATES
from plimsoll.placement.toml_text import is_rate, is_share, shown

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
SERVICE = re.compile(r"[A-Za-z0-9:_.@\\-]{1,240}\.service")
ACCOUNT = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}")
LISTENER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
DISK = re.compile(r"(?!.*\.\.)\w[\w#+.:=@/\\%!-]{0,254}")
"""As the kernel calls a disk, below `/dev`."""
STABLE = re.compile(r"(?!.*/\.\.)/dev/[\w#+.:=@/\\%-]{1,1000}")
"""Letters that udev leaves in a link's name."""
COUNT_MAX = 1 << 16
BYTES_MAX = 1 << 60
_HINT = "Make the plan anew with `plimsoll host slice plan`, and change nothing in it."


class _Wrong(NamedTuple):
    """What a plan must not say, and where it does."""

    place: str
    value: object
    is_not: str


def check(plan: SlicePlan) -> None:
    """Raises UsageError `plan-unreadable` for what no plan says."""
    for wrong in _wrong(plan):
        message = f"the plan is not sound: {wrong.place}: {shown(wrong.value)} is not {wrong.is_not}"
        raise UsageError("plan-unreadable", message, _HINT)


def _wrong(plan: SlicePlan) -> Iterator[_Wrong]:
    for one in plan.slices:
        place = f"slice {shown(one.name)}"
        yield from (_Wrong(f"{place}, {key}", value, what) for key, value, what in _of_slice(one))
    for disk in plan.disks:
        place = f"disk {shown(disk.name)}"
        yield from (_Wrong(f"{place}, {key}", value, what) for key, value, what in _of_disk(disk))
    for key, cpus in (("free_cpus", plan.free_cpus), ("split_cpus", plan.split_cpus)):
        if not _are_numbers(cpus):
            yield _Wrong(key, cpus, "a list of CPUs")
    for key, values in (
        ("name", [one.name for one in plan.slices]),
        ("service", [one.service for one in plan.slices if one.service is not None]),
    ):
        yield from (_Wrong(key, value, "of one slice alone") for value in values if values.count(value) > 1)
    if not any(one.purpose == "database" for one in plan.slices):
        yield _Wrong("slices", [one.name for one in plan.slices], "a list with a database")


_Found = tuple[str, object, str]


def _of_slice(one: HostSlice) -> Iterator[_Found]:
    for key, value, form, what in (
        ("name", one.name, NAME, "the name of a control group"),
        ("service", one.service, SERVICE, "the name of a systemd service"),
        ("account", one.account, ACCOUNT, "the name of an account"),
        ("listener", one.listener, LISTENER, "the name of a listener"),
    ):
        if value is not None and form.fullmatch(value) is None:
            yield key, value, what
    if not one.cpus or not _are_numbers(one.cpus):
        yield "cpus", one.cpus, "a list of CPUs"
    if not 1 <= one.priority <= COUNT_MAX:
        yield "priority", one.priority, "1 or more"
    for key, rate in (("iops", one.iops), ("mb_per_s", one.mb_per_s), ("redo_mb_per_s", one.redo_mb_per_s)):
        if rate is not None and not is_rate(rate, 0):
            yield key, rate, "a rate"
    yield from _of_memory(one)
    for device in one.devices:
        if device.kind == "disk":
            yield from _of_name(device, "devices")


def _of_memory(one: HostSlice) -> Iterator[_Found]:
    if one.purpose == "database" and not one.memory:
        yield "memory", one.memory, "memory of a node"
    page_bytes = one.huge_page_bytes
    if page_bytes is not None and not (1_024 <= page_bytes < BYTES_MAX and not page_bytes & (page_bytes - 1)):
        yield "huge_page_bytes", page_bytes, "the size of a huge page"
    for part in one.memory:
        if not 0 <= part.node < COUNT_MAX:
            yield "memory.node", part.node, "the number of a node"
        if not 0 < part.memory_bytes < BYTES_MAX:
            yield "memory.memory_bytes", part.memory_bytes, "a size"
        if part.huge_pages is not None and not 0 <= part.huge_pages * (page_bytes or 1) <= part.memory_bytes:
            yield "memory.huge_pages", part.huge_pages, "a number of pages that its memory has"


def _of_disk(disk: SliceDisk) -> Iterator[_Found]:
    yield from _of_name(disk, "name")
    for key in RATES:
        if not is_rate(rate := getattr(disk, key), 1):
            yield key, rate, "a rate of 1 or more"
        elif is_share(disk.rate_share) and not is_rate(rate * disk.rate_share, 1):
            yield f"rate_share of {key}", rate * disk.rate_share, "a rate of 1 or more"
    if not is_share(disk.rate_share):
        yield "rate_share", disk.rate_share, "above 0 and up to 1"
    if disk.io_bytes_max is not None and not 512 <= disk.io_bytes_max < BYTES_MAX:
        yield "io_bytes_max", disk.io_bytes_max, "the size of an I/O"


def _of_name(device: SliceDevice | SliceDisk, key: str) -> Iterator[_Found]:
    if DISK.fullmatch(device.name) is None:
        yield key, device.name, "the name of a disk"
    if device.stable is not None and STABLE.fullmatch(device.stable) is None:
        yield key, device.stable, "a path in /dev"


def _are_numbers(cpus: tuple[int, ...]) -> bool:
    return all(0 <= cpu < COUNT_MAX for cpu in cpus)

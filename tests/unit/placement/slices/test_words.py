"""Words and numbers of a plan that was read: what no plan says is refused before any of it stands in a program."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import HostSlice, SliceDevice, SliceMemory, SlicePlan
from plimsoll.placement.slices.layout import layout_of
from sliced_hosts import GIB, aside, books, plan, rates, shop

BAD_SLICES = {
    "name above": shop().but(name="../../e"),
    "name with a blank": shop().but(name="a b"),
    "name in lines": shop().but(name="a\nb"),
    "name of many letters": shop().but(name="n" * 65),
    "account with a command": shop().but(account="x; touch /tmp/pwn #"),
    "account with a line": shop().but(account="postgres\n"),
    "account as an option": shop().but(account="-R"),
    "service with a quote": shop().but(service="a'b.service"),
    "service elsewhere": shop().but(service="../a.service"),
    "listener in lines": shop().but(listener="L\nX = 1"),
    "no CPUs": shop().but(cpus=()),
    "negative CPU": shop().but(cpus=(-1,)),
    "CPU beyond all": shop().but(cpus=(1 << 40,)),
    "priority of nothing": shop().but(priority=0),
    "I/Os without end": shop().but(iops=float("inf")),
    "I/Os unknown": shop().but(iops=float("nan")),
    "I/Os below nothing": shop().but(iops=-1.0),
    "MB beyond 64 bits": shop().but(mb_per_s=1e13),
    "redo without end": shop().but(mb_per_s=None, redo_mb_per_s=float("inf")),
    "no memory": shop().but(memory=()),
    "memory below nothing": shop().but(memory=(SliceMemory(node=0, memory_bytes=-1),)),
    "node below nothing": shop().but(memory=(SliceMemory(node=-1, memory_bytes=GIB),)),
    "pages below nothing": shop().but(memory=(SliceMemory(node=0, memory_bytes=GIB, huge_pages=-1),)),
    "pages beyond memory": shop().but(memory=(SliceMemory(node=0, memory_bytes=GIB, huge_pages=513),)),
    "pages of no size": shop().but(huge_page_bytes=0),
    "pages of an odd size": shop().but(huge_page_bytes=3 << 20),
    "disk with a command": shop().but(devices=(SliceDevice(name="sda$(id)", node=None, distance=None),)),
    "disk elsewhere": shop().but(devices=(SliceDevice(name="../etc/x", node=None, distance=None),)),
    "path elsewhere": shop().but(
        devices=(SliceDevice(name="sda", stable="/etc/x", node=None, distance=None),)
    ),
    "path in lines": shop().but(
        devices=(SliceDevice(name="sda", stable="/dev/a\nb", node=None, distance=None),)
    ),
}


@pytest.mark.parametrize("case", BAD_SLICES)
def test_what_no_slice_says_is_refused(case: str) -> None:
    with pytest.raises(UsageError, match="the plan is not sound: slice ") as caught:
        layout_of(plan(BAD_SLICES[case]))
    assert caught.value.id == "plan-unreadable"
    assert "plimsoll host slice plan" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "found",
    [
        plan(shop(), shop().but(service="other.service")),
        plan(shop(), books().but(service="postgresql@16-main.service")),
        plan(aside("housekeeping", (23,))),
        plan(free=(-1,)),
        plan().but(split_cpus=(-3,)),
        plan(disks=(rates(read_iops=float("inf")),)),
        plan(disks=(rates(write_mb_per_s=0.0),)),
        plan(disks=(rates(io_bytes_max=0),)),
        plan(disks=(rates(rate_share=0.0),)),
        plan(disks=(rates(rate_share=-0.6),)),
        plan(disks=(rates(rate_share=1.5),)),
        plan(disks=(rates(rate_share=float("nan")),)),
        plan(disks=(rates(rate_share=0.001),)),
        plan(disks=(rates(name="a b"),)),
        plan(disks=(rates(stable="/dev/../etc"),)),
    ],
    ids=str,
)
def test_what_no_plan_says_of_all_slices_and_disks_is_refused(found: SlicePlan) -> None:
    with pytest.raises(UsageError, match="the plan is not sound: ") as caught:
        layout_of(found)
    assert caught.value.id == "plan-unreadable"


@pytest.mark.parametrize(
    "one",
    [
        shop().but(name="n" * 64, account="_a-b.c", service="a\\x2d@1:b.service", listener="L_1.a-b"),
        shop().but(iops=0.0, mb_per_s=0.0, redo_mb_per_s=0.0),
        shop().but(devices=(SliceDevice(name="cciss/c0d0", stable="/dev/disk/by-id/Größe_#1+x=@a:b", node=0, distance=10),)),
        shop().but(devices=(SliceDevice(name="eth0 of my own", kind="network card", node=0, distance=10),)),
    ],
    ids=str,
)  # fmt: skip
def test_all_that_a_plan_may_say_is_taken(one: HostSlice) -> None:
    assert layout_of(plan(one)).groups[0].slice == one

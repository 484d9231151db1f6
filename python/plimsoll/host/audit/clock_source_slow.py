"""A clock that takes long to be read."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Unread

_FOLDER = "sys/devices/system/clocksource/clocksource0"
_QUICK = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", "tod", "stp")
"""Read without the kernel, or in one instruction."""
_SLOW = ("hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies", "hyperv_clocksource_msr")
"""Read from a device, through the hypervisor, or too coarse to time an I/O."""


def _look(look: Look) -> Iterator[Told]:
    current = look.text(f"{_FOLDER}/current_clocksource")
    available = look.text(f"{_FOLDER}/available_clocksource").split()
    if current in _QUICK:
        return
    if current not in _SLOW:
        raise Unread(
            f"the clock source is {current}, of which nothing here says how long it takes to be read"
        )
    better = next((one for one in _QUICK if one in available), None)
    if better is None:
        advice = (
            "No quicker one is offered: dmesg | grep -i -e tsc -e clocksource says why the kernel gave it up."
        )
    else:
        advice = (
            f"echo {better} > /{_FOLDER}/current_clocksource sets it until the next boot; clocksource={better} on the kernel's"
            " command line keeps it. dmesg | grep -i clocksource says whether the kernel gave it up as unstable."
        )
    yield Told("wrong", f"the kernel's clock is {current}, which takes long to be read", advice)


RULE = Rule(
    title="Clock that takes long to be read",
    why="A database that times waits reads the clock twice for each of them: microseconds with a slow one, and some tens of"
    " nanoseconds with a quick one.",
    source="PostgreSQL, pg_test_timing, Changing Time Sources; the kernel's Documentation/timers/timekeeping.rst",
    look=_look,
)

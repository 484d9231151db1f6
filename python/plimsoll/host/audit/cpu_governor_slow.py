"""CPUs whose clock is kept low, or follows the load."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent
from plimsoll.host.topology.values import in_short

_GOVERNOR = "cpufreq/scaling_governor"
_OWN_SCALE = ("intel_pstate", "amd-pstate-epp")
"""Drivers whose `powersave` lets the CPU choose, and does not mean the lowest clock."""


def _look(look: Look) -> Iterator[Told]:
    governors = look.by_cpu(_GOVERNOR)
    for governor in sorted(set(governors.values())):
        cpus = frozenset(cpu for cpu, one in governors.items() if one == governor)
        path = f"sys/devices/system/cpu/cpu{in_short(cpus)}/cpufreq"
        look.note(f"{path}/scaling_governor", governor)
        if governor != "performance":
            yield _of(look, governor, cpus, path)
    look.all_of(governors, _GOVERNOR)


def _of(look: Look, governor: str, cpus: frozenset[int], path: str) -> Told:
    first = f"sys/devices/system/cpu/cpu{min(cpus)}/cpufreq"
    driver = _optional(look, f"{first}/scaling_driver")
    look.note(f"{path}/scaling_driver", driver or "not told")
    is_lowest = governor == "powersave" and driver not in (*_OWN_SCALE, None)
    wanted = _optional(look, f"{first}/energy_performance_preference")
    by = f" of {driver}" if driver else ""
    prefers = f", and the CPU prefers {wanted}" if wanted else ""
    keeps = (
        "which keeps the lowest clock" if is_lowest else "by which the clock rises only once there is work"
    )
    message = f"CPUs {in_short(cpus)} have the governor {governor}{by}, {keeps}{prefers}"
    advice = "cpupower frequency-set -g performance sets it until the next boot; tuned-adm profile throughput-performance keeps it."
    return Told("wrong" if is_lowest else "hint", message, advice)


def _optional(look: Look, path: str) -> str | None:
    try:
        return look.quiet(path)
    except Absent:
        return None


RULE = Rule(
    title="CPU clock kept low or following the load",
    why="Between I/Os a database's CPUs rest for microseconds: a clock that follows the load is low when an I/O ends.",
    source="the kernel's Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst",
    look=_look,
    absent="this kernel sets no clock (it has no cpufreq); of a virtual machine its host does",
)

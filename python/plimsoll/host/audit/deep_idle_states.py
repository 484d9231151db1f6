"""Idle states of CPUs that take long to leave.

source: the kernel's Documentation/power/pm_qos_interface.rst (`/dev/cpu_dma_latency`: 4 bytes, microseconds) and
Documentation/ABI/testing/sysfs-devices-power (`pm_qos_resume_latency_us`: 0 no limit, n/a none that takes any time)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent, Unread
from plimsoll.host.topology.values import in_short
from plimsoll.ports import files

_LATENCY_US_MIN = 100
"""As long as a read of a flash drive takes: a CPU that wakes up for it doubles it."""
_CPUS = "sys/devices/system/cpu"
_LIMIT = "dev/cpu_dma_latency"
_LIMIT_BYTES = 4
_UNLIMITED_US = 2_000_000_000
"""What the kernel has where nobody asks for less."""


def _look(look: Look) -> Iterator[Told]:
    limit_us = _limit_us(look)
    states = {cpu: found for cpu in look.online if (found := _states(look, cpu))}
    if not states:
        raise Absent(f"there is no /{_CPUS}/cpu*/cpuidle/state*")
    deepest = {cpu: max(_allowed(look, cpu, found, limit_us)) for cpu, found in states.items()}
    for latency, name in sorted(set(deepest.values())):
        cpus = in_short(frozenset(cpu for cpu, one in deepest.items() if one == (latency, name)))
        look.note(f"{_CPUS}/cpu{cpus}/cpuidle", f"deepest enabled state {name}, {latency:,} µs")
        if latency >= _LATENCY_US_MIN:
            yield _told(cpus, name, latency, limit_us)
    if limit_us is not None:
        look.note(_LIMIT, "no limit" if limit_us == _UNLIMITED_US else f"{limit_us:,} µs")
    look.all_of(states, "cpuidle/state*")


def _limit_us(look: Look) -> int | None:
    """Of all CPUs, as programs ask for that hold the file open, such as tuned; None: not told, as to others than root."""
    content = None if look.host.root is None else files.read_bytes(look.host.root / _LIMIT)
    if content is None or len(content) != _LIMIT_BYTES:
        return None
    return int.from_bytes(content, sys.byteorder, signed=True)


def _allowed(
    look: Look, cpu: int, states: list[tuple[int, str]], limit_us: int | None
) -> list[tuple[int, str]]:
    """States that the kernel chooses from within what is asked for of all CPUs and of this one."""
    limits = [one for one in (limit_us, _own_limit_us(look, cpu)) if one is not None]
    return [one for one in states if not limits or one[0] <= min(limits)] or [(0, "none")]


def _own_limit_us(look: Look, cpu: int) -> int | None:
    """None: it has none."""
    path = f"{_CPUS}/cpu{cpu}/power/pm_qos_resume_latency_us"
    try:
        text = look.quiet(path)
    except Absent:
        return None
    if text == "n/a":
        return 0
    if not text.isdecimal():
        raise Unread(f"/{path} holds '{text}', which is no number")
    return int(text) or None


def _told(cpus: str, name: str, latency: int, limit_us: int | None) -> Told:
    unless = f", unless a program holds /{_LIMIT}, which cannot be read" if limit_us is None else ""
    message = f"CPUs {cpus} may fall into the idle state {name}, which takes {latency:,} µs to leave{unless}"
    advice = (
        f"cpupower idle-set -D {_LATENCY_US_MIN} switches off states of {_LATENCY_US_MIN} µs and more until the next boot;"
        " tuned-adm profile latency-performance keeps it."
    )
    return Told("hint", message, advice)


def _states(look: Look, cpu: int) -> list[tuple[int, str]]:
    """How long each that is not switched off takes to leave, in microseconds, and its name; a CPU that polls leaves at once."""
    folder = f"{_CPUS}/cpu{cpu}/cpuidle"
    names = [one for one in look.host.reader.tree.names(folder) if one.startswith("state")]
    found = [_state(look, f"{folder}/{one}") for one in names]
    return [one for one in found if one is not None] or ([(0, "none")] if names else [])


def _state(look: Look, folder: str) -> tuple[int, str] | None:
    try:
        is_off = look.quiet(f"{folder}/disable") != "0"
    except Absent:  # old kernels cannot switch one off
        is_off = False
    try:
        latency, name = look.quiet(f"{folder}/latency"), look.quiet(f"{folder}/name")
    except Absent as why:
        raise Unread(str(why)) from why
    if not latency.isdecimal():
        raise Unread(f"/{folder}/latency holds '{latency}', which is no number")
    return None if is_off else (int(latency), name)


RULE = Rule(
    title="Idle states that take long to leave",
    why="A CPU that sleeps when an I/O ends has to wake up first, and the session waits for that as well.",
    source="the kernel's Documentation/admin-guide/pm/cpuidle.rst (`latency`, and PM QoS)",
    look=_look,
    absent="this kernel tells of no idle states; of a virtual machine its host decides",
)

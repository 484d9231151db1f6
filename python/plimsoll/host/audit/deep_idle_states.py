"""Idle states of CPUs that take long to leave."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent, Unread
from plimsoll.host.topology.values import in_short

_LATENCY_US_MIN = 100
"""As long as a read of a flash drive takes: a CPU that wakes up for it doubles it."""
_CPUS = "sys/devices/system/cpu"


def _look(look: Look) -> Iterator[Told]:
    states = {cpu: found for cpu in look.online if (found := _states(look, cpu))}
    if not states:
        raise Absent(f"there is no /{_CPUS}/cpu*/cpuidle/state*")
    deepest = {cpu: max(found) for cpu, found in states.items()}
    for latency, name in sorted(set(deepest.values())):
        cpus = in_short(frozenset(cpu for cpu, one in deepest.items() if one == (latency, name)))
        look.note(f"{_CPUS}/cpu{cpus}/cpuidle", f"deepest enabled state {name}, {latency:,} µs")
        if latency >= _LATENCY_US_MIN:
            yield _told(cpus, name, latency)
    look.all_of(states, "cpuidle/state*")


def _told(cpus: str, name: str, latency: int) -> Told:
    message = f"CPUs {cpus} may fall into the idle state {name}, which takes {latency:,} µs to leave"
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
    source="the kernel's Documentation/admin-guide/pm/cpuidle.rst (`latency`)",
    look=_look,
    absent="this kernel tells of no idle states; of a virtual machine its host decides",
)

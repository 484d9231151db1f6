"""CPU time that the host of this virtual machine gave to others."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.limits import STEAL_PROCESSORS_MAX
from plimsoll.base.units import format_seconds, format_share
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Unread

_WRONG_SHARE = 0.05
"""From here on each session loses as much as to a disk that is so much slower."""


def _look(look: Look) -> Iterator[Told]:
    watched = look.watched
    if watched.stolen_share is None:
        raise Unread("/proc/stat does not tell what was stolen, or no time passed in it")
    during = format_seconds(watched.watched_s)
    look.note("proc/stat", f"steal {format_share(watched.stolen_share)} of the CPUs' time in {during}")
    cpus = watched.stolen_share * sum(cpu.online for cpu in look.host.topology.cpus)
    if cpus <= STEAL_PROCESSORS_MAX:
        return
    message = (
        f"{format_share(watched.stolen_share)} of the CPUs' time was stolen in {during}: {cpus:.2f} CPUs"
    )
    advice = (
        "Ask whoever runs the hypervisor for CPUs of its own for this machine, or for fewer machines on that host; vmstat 1 shows"
        " it second by second (st)."
    )
    yield Told("wrong" if watched.stolen_share >= _WRONG_SHARE else "hint", message, advice)


RULE = Rule(
    title="CPU time stolen by the hypervisor",
    why="A CPU that is taken away stops whatever ran on it for milliseconds, a log writer or the holder of a lock among it.",
    source="proc_stat(5), `steal`",
    look=_look,
)

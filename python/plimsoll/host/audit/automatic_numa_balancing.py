"""Automatic NUMA balancing beside databases, above all those that are bound."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._words import is_bound, known_databases, several_nodes, sysctl

_NORMAL = 1
"""The bit of moving pages between nodes; 2 is that of tiers of memory."""


def _look(look: Look) -> Iterator[Told]:
    several_nodes(look)
    if not look.number("proc/sys/kernel/numa_balancing") & _NORMAL:
        return
    bound = [one.words for one in known_databases(look) if is_bound(look, one)]
    message = "the kernel looks for pages to move between nodes"
    beside = (
        f", while {' and '.join(bound)} {'are' if len(bound) > 1 else 'is'} bound to CPUs already"
        if bound
        else ""
    )
    yield Told("wrong" if bound else "hint", message + beside, sysctl("kernel.numa_balancing", 0))


RULE = Rule(
    title="Automatic NUMA balancing",
    why="It takes pages away from processes for a moment to see who uses them: each such page costs a fault, and what is bound"
    " gains nothing by it.",
    source="the kernel's Documentation/admin-guide/sysctl/kernel.rst (`numa_balancing`)",
    look=_look,
    absent="this kernel has no automatic NUMA balancing",
)

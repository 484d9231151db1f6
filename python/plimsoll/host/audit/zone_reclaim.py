"""Memory of a node that is reclaimed although other nodes have free memory."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._words import several_nodes, sysctl


def _look(look: Look) -> Iterator[Told]:
    several_nodes(look)
    value = look.number("proc/sys/vm/zone_reclaim_mode")
    if value:
        message = f"vm.zone_reclaim_mode is {value}: a node that is full drops its page cache although others have free memory"
        yield Told("wrong", message, sysctl("vm.zone_reclaim_mode", 0))


RULE = Rule(
    title="Memory reclaimed within a node",
    why="What a database has read is dropped from the cache, and sessions wait for that, with memory free elsewhere.",
    source="the kernel's Documentation/admin-guide/sysctl/vm.rst (`zone_reclaim_mode`)",
    look=_look,
    absent="this kernel was built without NUMA",
)

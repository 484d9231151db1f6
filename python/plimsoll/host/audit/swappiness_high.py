"""A kernel that swaps programs out to keep files cached."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Idle
from plimsoll.host.audit._words import known_databases, sysctl

_VALUE_MAX = 10


def _look(look: Look) -> Iterator[Told]:
    areas = look.quiet("proc/swaps").splitlines()[1:]
    look.note("proc/swaps", ", ".join(line.split()[0] for line in areas if line.split()) or "none")
    if not areas:
        raise Idle("the host has no swap")
    if look.host.root is not None and not known_databases(look):
        raise Idle("no database server runs here, and no process was named")
    value = look.number("proc/sys/vm/swappiness")
    if value > _VALUE_MAX:
        message = f"vm.swappiness is {value}: memory of programs is swapped out while files in the page cache could be dropped"
        yield Told("hint", message, sysctl("vm.swappiness", 1))


RULE = Rule(
    title="Programs swapped out to keep files cached",
    why="A database that keeps its own cache reads it back from the swap, page by page, where it expects memory.",
    source="MariaDB, Configuring Swappiness; the kernel's Documentation/admin-guide/sysctl/vm.rst (`swappiness`)",
    look=_look,
)

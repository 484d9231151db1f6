"""A database with much shared memory in small pages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from plimsoll.base.units import format_bytes
from plimsoll.host.audit._databases import Database, total_kib
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Idle

_LARGE_BYTES = 1 << 30
"""Of less, tables of pages are small."""
_TABLES_SHARE = 0.01
"""Of the host's memory that tables of pages take where large memories lie in huge pages."""
_SHARED = {
    "postgresql": "huge_pages = on in postgresql.conf then makes a start without them fail",
    "oracle": "use_large_pages = only in its parameters then makes a start without them fail",
}
"""Databases whose sessions are processes that share memory; how each asks for huge pages."""

_NAMES = ("MemTotal", "Hugepagesize", "HugePages_Total", "HugePages_Free", "HugePages_Rsvd")


class _Host(NamedTuple):
    """Of /proc/meminfo, in the order of `_NAMES`."""

    memory_kib: int
    page_kib: int
    pages: int
    free_pages: int
    promised_pages: int

    @property
    def used_pages(self) -> int:
        return self.pages - self.free_pages + self.promised_pages


def _look(look: Look) -> Iterator[Told]:
    found = [one for one in look.databases if one.kind in _SHARED]
    if not found:
        raise Idle("no database whose processes share memory runs here")
    host = _Host(*look.table("proc/meminfo", *_NAMES))
    for database in found:
        if database.memory is None:
            message = "how much of its memory lies in huge pages is not told: numa_maps of its processes cannot be read"
            yield Told("doubt", message, of=database.words)
        else:
            yield from _of(look, database, host)


def _of(look: Look, database: Database, host: _Host) -> Iterator[Told]:
    assert database.memory is not None
    assert look.host.root is not None
    areas = database.memory.shared.values()
    small = sum(one.by_node.total() for one in areas if not one.is_huge)
    look.note(
        f"proc/{database.server.process}/numa_maps", f"{format_bytes(small)} of shared memory in small pages"
    )
    if small < _LARGE_BYTES:
        return
    tables = total_kib(database, "VmPTE", look.host.root / "proc")
    taken = (
        "" if tables is None else f", and tables of pages of its processes take {format_bytes(tables << 10)}"
    )
    pages = host.used_pages + math.ceil(small / (host.page_kib << 10))
    advice = (
        f"echo 'vm.nr_hugepages = {pages}' > /etc/sysctl.d/80-vm-nr-hugepages.conf has room for it as it is now, and for who"
        f" has some already, from the next boot on; {_SHARED[database.kind]}."
    )
    is_much = tables is not None and tables >= _TABLES_SHARE * host.memory_kib
    message = f"{format_bytes(small)} of its shared memory lie in small pages{taken}"
    yield Told("wrong" if is_much else "hint", message, advice, database.words)


RULE = Rule(
    title="Large shared memory in small pages",
    why="Each session then has a table of all pages of its own, and the CPU looks up addresses more often.",
    source="PostgreSQL, Managing Kernel Resources, Linux Huge Pages; Oracle, Configuring HugePages for Linux",
    look=_look,
)

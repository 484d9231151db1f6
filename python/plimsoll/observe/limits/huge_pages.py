"""Shared memory that finds no room in huge pages: `vm.nr_hugepages`.

In pages of 4 KiB each process that maps it has a page table of its own, eight bytes a page: 200 sessions on 16 GiB have 6.25 GiB of
them, which are taken from the page cache.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from plimsoll.base.units import format_bytes
from plimsoll.observe.limits._use import Look, Use, named

_KIB = 1_024
_TABLES_SHARE = 0.01
"""Page tables of a host whose large memories lie in huge pages take less of its memory."""


class LIMIT:
    """What finds none lies in small pages."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of the host, where page tables take much of its memory."""
        told = dict(named(look.root / "proc/meminfo"))
        wanted = (
            "MemTotal",
            "PageTables",
            "Shmem",
            "HugePages_Total",
            "HugePages_Free",
            "HugePages_Rsvd",
            "Hugepagesize",
        )
        if not all(name in told for name in wanted):
            return
        total, tables, shared, pages, free, reserved, page = (told[name] for name in wanted)
        is_room = (free - reserved) * page >= shared
        if tables < _TABLES_SHARE * total or tables >= shared or is_room:
            return
        in_use = (pages - free + reserved) * page
        most = math.ceil((in_use + shared) / page)
        advice = (
            f"{format_bytes(_KIB * shared)} of shared memory lie in small pages, with page tables of {format_bytes(_KIB * tables)}:"
            f" sysctl -w vm.nr_hugepages={most} has room for all of it, and the database has to ask for them, as PostgreSQL does by"
            " huge_pages=try and Oracle by use_large_pages."
        )
        used = _KIB * (in_use + shared)
        yield Use("vm.nr_hugepages", None, "bytes", _KIB * pages * page, used, used, advice)

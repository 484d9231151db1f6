"""Shared memory of databases that finds no room in huge pages: `vm.nr_hugepages`.

In pages of 4 KiB each process that maps it has a page table of its own, eight bytes a page: 200 sessions on 16 GiB have 6.25 GiB of
them, which are taken from the page cache. Page tables of other programs, and files in memory, are not helped by huge pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.units import format_bytes
from plimsoll.observe.limits._use import Look, Use, folders, named
from plimsoll.observe.roles import shares_memory
from plimsoll.ports import files

_KIB = 1_024
_TABLES_SHARE = 0.01
"""Page tables of a host whose large memories lie in huge pages take less of its memory."""
_LOOKS_PER_SEARCH = 50
"""To look at each process of a host takes some time, and its page tables grow slowly."""


class LIMIT:
    """What finds none lies in small pages."""

    def __init__(self) -> None:
        self._looks = 0
        self._tables = 0

    def uses(self, look: Look) -> Iterator[Use]:
        """Of the host, where page tables of databases take much of its memory."""
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
        tables = self._of_databases(look.root)
        if tables < _TABLES_SHARE * total:
            return
        in_use = (pages - free + reserved) * page
        most = math.ceil((in_use + shared) / page)
        advice = (
            f"{format_bytes(_KIB * shared)} of shared memory lie in small pages, and page tables of databases take"
            f" {format_bytes(_KIB * tables)}. vm.nr_hugepages={most} has room for all of it: set it in /etc/sysctl.d for the next"
            " boot, before the database starts, which has to ask for them, as PostgreSQL does by huge_pages=try and Oracle by"
            " use_large_pages. Set while the database is up, they take as much memory again beside it."
        )
        used = _KIB * (in_use + shared)
        yield Use("vm.nr_hugepages", None, "bytes", _KIB * pages * page, used, used, advice)

    def _of_databases(self, root: Path) -> int:
        """Page tables of processes of databases that map shared memory in small pages, in KiB; looked for once in a while."""
        if self._looks % _LOOKS_PER_SEARCH == 0:
            self._tables = sum(
                _tables_of(process) for process in folders(root / "proc") if process.name.isdigit()
            )
        self._looks += 1
        return self._tables


def _tables_of(process: Path) -> int:
    if not shares_memory((files.read_text(process / "comm") or "").strip()):
        return 0
    told = dict(named(process / "status"))
    return told.get("VmPTE", 0) if told.get("RssShmem", 0) > 0 else 0

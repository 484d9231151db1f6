"""Huge pages that were set aside and that nobody uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plimsoll.base.units import format_bytes, format_share
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent, Idle, Unread
from plimsoll.host.audit._words import sysctl

_FOLDER = "sys/kernel/mm/hugepages"
_UNUSED_SHARE = 0.5
"""What is left over of less than this may be meant for what is not up yet."""


def _look(look: Look) -> Iterator[Told]:
    sizes = [re.fullmatch(r"hugepages-(\d+)kB", name) for name in look.host.reader.tree.names(_FOLDER)]
    known = [int(one[1]) for one in sizes if one is not None]
    if not known:
        raise Absent(f"there is no /{_FOLDER}")
    found = [(size << 10, *_pages(look, size)) for size in known]
    if not any(pages for _, pages, _ in found):
        raise Idle("no huge pages are set aside")
    for size, pages, unused in found:
        if pages and unused >= _UNUSED_SHARE * pages:
            yield _told(look, size, pages, unused)


def _pages(look: Look, size_kib: int) -> tuple[int, int]:
    """How many there are, and how many nobody has or is promised."""
    folder = f"{_FOLDER}/hugepages-{size_kib}kB"
    pages, free, promised = (look.number(f"{folder}/{name}_hugepages") for name in ("nr", "free", "resv"))
    return pages, free - promised


def _is_default(look: Look, size: int) -> bool:
    """Whether vm.nr_hugepages counts those of this size; its own file does in any case."""
    try:
        return look.table("proc/meminfo", "Hugepagesize") == [size >> 10]
    except Unread:
        return False


def _told(look: Look, size: int, pages: int, unused: int) -> Told:
    message = (
        f"{unused:,} of {pages:,} huge pages of {format_bytes(size)} ({format_share(unused / pages)}) are used by nobody:"
        f" {format_bytes(unused * size)} that nothing else can have"
    )
    least = pages - unused
    by_file = f"echo {least} > /{_FOLDER}/hugepages-{size >> 10}kB/nr_hugepages gives them back."
    how = sysctl("vm.nr_hugepages", least) if _is_default(look, size) else by_file
    advice = (
        f"{how} Or let the database use them: huge_pages of PostgreSQL, use_large_pages of Oracle, large_pages of MariaDB and"
        " MySQL; its log says why it was granted none."
    )
    return Told("wrong" if unused == pages else "hint", message, advice)


RULE = Rule(
    title="Huge pages that nobody uses",
    why="Memory in huge pages is lost to caches and to every program that does not ask for them.",
    source="the kernel's Documentation/admin-guide/mm/hugetlbpage.rst",
    look=_look,
    absent="this kernel has no huge pages",
)

"""Programs that wait while the kernel moves memory together for a huge page."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Idle

_FOLDER = "sys/kernel/mm/transparent_hugepage"
_BETTER = "defer+madvise"
"""Of kernels from 4.11 on; all have madvise."""


def _look(look: Look) -> Iterator[Told]:
    enabled = look.chosen(f"{_FOLDER}/enabled")
    if enabled == "never":
        raise Idle("transparent huge pages are off")
    if look.chosen(f"{_FOLDER}/defrag") == "always":
        whose = "every program waits" if enabled == "always" else "programs that ask for huge pages wait"
        message = f"{whose} where the kernel has to move memory together first"
        better = _BETTER if _BETTER in look.text(f"{_FOLDER}/defrag").split() else "madvise"
        advice = (
            f"echo {better} > /{_FOLDER}/defrag sets it until the next boot; a file in /etc/tmpfiles.d with the line"
            f" 'w /{_FOLDER}/defrag - - - - {better}' keeps it."
        )
        yield Told("wrong" if enabled == "always" else "hint", message, advice)


RULE = Rule(
    title="Memory moved together while a program waits",
    why="A session that asks for memory then stands still for as long as the kernel reclaims and compacts, the longer the"
    " more memory is in pieces.",
    source="the kernel's Documentation/admin-guide/mm/transhuge.rst (`defrag`)",
    look=_look,
    absent="this kernel has no transparent huge pages",
)

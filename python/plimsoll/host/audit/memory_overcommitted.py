"""Memory that is promised beyond what there is, and a server that the kernel may kill for it; or promises that are used up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.units import format_bytes
from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Unread
from plimsoll.host.audit._words import sysctl
from plimsoll.ports import files

_STRICT = 2
_NEAR = 0.95
"""Of what may be promised: the next sessions are refused."""
_RATIO_MAX = 90
"""Percent of the memory outside huge pages to promise, beside the swap: the kernel needs some itself."""
_SPARED = -900
"""Of oom_score_adj: from here on nearly every other process goes first; PostgreSQL's manual has -1000, packages have -900."""


def _look(look: Look) -> Iterator[Told]:
    if look.number("proc/sys/vm/overcommit_memory") == _STRICT:
        limit, promised = _promises(look)
        if promised >= _NEAR * limit:
            message = f"{format_bytes(promised)} of the {format_bytes(limit)} that may be promised are: the next is refused"
            more = (
                "More swap raises the limit too, and so do fewer huge pages, of which none may be promised."
            )
            yield Told("wrong", message, f"{_raised(look)} {more}")
        return
    for database in look.databases:
        if database.kind == "postgresql":
            assert look.host.root is not None
            yield from _of(look, database, look.host.root / "proc")


def _promises(look: Look) -> tuple[int, int]:
    """How much may be promised in strict mode, which is told in all modes, and how much is, in bytes. Raises Unread."""
    limit, promised = (one << 10 for one in look.table("proc/meminfo", "CommitLimit", "Committed_AS"))
    return limit, promised


def _raised(look: Look) -> str:
    """What makes the limit higher, where one of the two settings by which it goes has room."""
    kib = _setting(look, "overcommit_kbytes")
    if kib:  # goes before the ratio, and whoever sets that makes this one 0
        return _raised_kib(look, kib)
    ratio = _setting(look, "overcommit_ratio")
    if ratio is None:
        return "A higher vm.overcommit_ratio raises the limit."
    if ratio < _RATIO_MAX:
        return sysctl("vm.overcommit_ratio", _RATIO_MAX)
    return f"vm.overcommit_ratio is {ratio} already, which leaves the kernel little."


def _raised_kib(look: Look, kib: int) -> str:
    try:
        most = _usable_kib(look) * _RATIO_MAX // 100
    except Unread:
        return "A higher vm.overcommit_kbytes raises the limit."
    if kib < most:
        return sysctl("vm.overcommit_kbytes", most)
    return f"vm.overcommit_kbytes is {kib} already, which leaves the kernel little."


def _setting(look: Look, name: str) -> int | None:
    """None: not told, as old kernels tell only the ratio."""
    try:
        return look.number(f"proc/sys/vm/{name}")
    except Unread:
        return None


def _usable_kib(look: Look) -> int:
    """What is not in huge pages; those of other than the usual size are told by newer kernels alone."""
    total, pages, page_kib = look.table("proc/meminfo", "MemTotal", "HugePages_Total", "Hugepagesize")
    try:
        return total - look.table("proc/meminfo", "Hugetlb")[0]
    except Unread:
        return total - pages * page_kib


def _of(look: Look, database: Database, proc: Path) -> Iterator[Told]:
    path = f"{database.server.process}/oom_score_adj"
    text = files.read_text(proc / path)
    if text is None or not text.lstrip("-").isdecimal():
        yield Told("doubt", f"/proc/{path} cannot be read", of=database.words)
        return
    look.note(f"proc/{path}", text)
    if int(text) > _SPARED:
        message = f"when memory runs out the kernel may kill its first process (oom_score_adj {text}), and with it the server"
        advice = (
            "OOMScoreAdjust=-1000 in its unit of systemd, with PG_OOM_ADJUST_FILE and PG_OOM_ADJUST_VALUE=0 in its environment."
            f" {_strict(look)}"
        )
        yield Told("hint", message, advice, database.words)


def _strict(look: Look) -> str:
    """Whether strict mode would do, or refuse at once what programs ask for."""
    try:
        limit, promised = _promises(look)
    except Unread:
        return "vm.overcommit_memory=2 does as well where Committed_AS is far below CommitLimit, which is not told here."
    if promised < _NEAR * limit:
        return f"Or {sysctl('vm.overcommit_memory', _STRICT)}"
    return (
        f"vm.overcommit_memory=2 would refuse memory at once: {format_bytes(promised)} are promised, and as it is set"
        f" {format_bytes(limit)} might be."
    )


RULE = Rule(
    title="Memory promised beyond what there is",
    why="The kernel gives out more memory than it has, and kills a process when that is used: a killed server process of PostgreSQL"
    " makes all sessions end.",
    source="PostgreSQL, Managing Kernel Resources, Linux Memory Overcommit",
    look=_look,
)

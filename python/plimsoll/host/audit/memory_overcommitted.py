"""Memory that is promised beyond what there is, and a server that the kernel may kill for it; or promises that are used up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.units import format_bytes
from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._words import sysctl
from plimsoll.ports import files

_STRICT = 2
_NEAR = 0.95
"""Of what may be promised: the next sessions are refused."""
_SPARED = -900
"""Of oom_score_adj: from here on nearly every other process goes first; PostgreSQL's manual has -1000, packages have -900."""


def _look(look: Look) -> Iterator[Told]:
    if look.number("proc/sys/vm/overcommit_memory") == _STRICT:
        limit, promised = (one << 10 for one in look.table("proc/meminfo", "CommitLimit", "Committed_AS"))
        if promised >= _NEAR * limit:
            message = f"{format_bytes(promised)} of the {format_bytes(limit)} that may be promised are: the next is refused"
            advice = f"{sysctl('vm.overcommit_ratio', 90)} What is in huge pages may not be promised: fewer of them help too."
            yield Told("wrong", message, advice)
        return
    for database in look.databases:
        if database.kind == "postgresql":
            assert look.host.root is not None
            yield from _of(look, database, look.host.root / "proc")


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
            f"{sysctl('vm.overcommit_memory', 2)} Or OOMScoreAdjust=-1000 in its unit of systemd, with PG_OOM_ADJUST_FILE and"
            " PG_OOM_ADJUST_VALUE=0 in its environment."
        )
        yield Told("hint", message, advice, database.words)


RULE = Rule(
    title="Memory promised beyond what there is",
    why="The kernel gives out more memory than it has, and kills a process when that is used: a killed server process of PostgreSQL"
    " makes all sessions end.",
    source="PostgreSQL, Managing Kernel Resources, Linux Memory Overcommit",
    look=_look,
)

"""A database of which memory lies in the swap.

source: proc_pid_status(5), `VmSwap`, which has no shared memory; proc_pid_smaps(5), `Swap` of smaps_rollup, which has it
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.units import format_bytes
from plimsoll.host.audit._databases import Database, status_kib, total_kib
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Idle
from plimsoll.ports import files

_MUCH_BYTES = 64 << 20


def _look(look: Look) -> Iterator[Told]:
    found = look.databases
    total, free = look.table("proc/meminfo", "SwapTotal", "SwapFree")
    if not total:
        raise Idle("the host has no swap")
    assert look.host.root is not None
    for one in found if total > free else ():
        yield from _of(look, one, look.host.root / "proc")


def _of(look: Look, database: Database, proc: Path) -> Iterator[Told]:
    own, shared = total_kib(database, "VmSwap", proc), _shared_kib(database.server.process, proc)
    if own is None or shared is None:
        message = "how much of it lies in the swap is not told of all its processes, and there is something in the swap"
        yield Told("doubt", message, of=database.words)
        return
    look.note(
        f"proc/{database.server.process}/status", f"VmSwap {format_bytes(own << 10)} of all its processes"
    )
    look.note(
        f"proc/{database.server.process}/smaps_rollup", f"{format_bytes(shared << 10)} more that is shared"
    )
    size = (own + shared) << 10
    if size:
        message = f"{format_bytes(size)} of its memory are in the swap"
        advice = (
            "Make room first: less memory for it, or fewer programs beside it. Then swapoff -a && swapon -a reads it back, which"
            " takes as long as reading so much from that disk."
        )
        yield Told("wrong" if size >= _MUCH_BYTES else "hint", message, advice, database.words)


def _shared_kib(number: int, proc: Path) -> int | None:
    """What the first process maps and is in the swap, beside what is its own; None: not told."""
    text = files.read_text(proc / str(number) / "smaps_rollup") or ""
    found, own = re.search(r"^Swap:\s*(\d+) kB$", text, re.MULTILINE), status_kib(number, "VmSwap", proc)
    return None if found is None or own is None else max(0, int(found[1]) - own)


RULE = Rule(
    title="Memory of a database in the swap",
    why="What it takes for memory is a read from disk, which its own figures show as CPU or as nothing.",
    source="proc_pid_status(5), `VmSwap`; proc_pid_smaps(5), `Swap`",
    look=_look,
)

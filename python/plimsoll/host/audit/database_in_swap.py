"""A database of which memory lies in the swap.

source: proc_pid_status(5), `VmSwap`, which has no shared memory; proc_pid_smaps(5) of smaps_rollup: `Swap`, which has it, and
`SwapPss`, which has none and of what processes have had in common since they were forked only the part of each
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plimsoll.base.units import format_bytes
from plimsoll.host.audit._databases import Database, status_kib
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Idle
from plimsoll.host.process_places import threads_of
from plimsoll.ports import files

_MUCH_BYTES = 64 << 20
_PROCESSES_MAX = 32
"""Those with most in the swap are asked for their part of it: the kernel walks through all that each maps to tell it."""


class _Swapped(NamedTuple):
    """At least and at most so much, which are alike where each process tells its part."""

    least_kib: int
    most_kib: int


def _look(look: Look) -> Iterator[Told]:
    found = look.databases
    total, free = look.table("proc/meminfo", "SwapTotal", "SwapFree")
    if not total:
        raise Idle("the host has no swap")
    assert look.host.root is not None
    for one in found if total > free else ():
        yield from _of(look, one, total - free, look.host.root / "proc")


def _of(look: Look, database: Database, used_kib: int, proc: Path) -> Iterator[Told]:
    own, shared = _own(database, proc), _shared_kib(database.server.process, proc)
    if own is None or shared is None:
        message = "how much of it lies in the swap is not told of all its processes, and there is something in the swap"
        yield Told("doubt", message, of=database.words)
        return
    look.note(f"proc/{database.server.process}/status", f"{_words(own)} of all its processes")
    look.note(
        f"proc/{database.server.process}/smaps_rollup", f"{format_bytes(shared << 10)} more that is shared"
    )
    found = _Swapped(min(own.least_kib + shared, used_kib), min(own.most_kib + shared, used_kib))
    if found.most_kib:
        advice = (
            "Make room first: less memory for it, or fewer programs beside it. Then swapoff -a && swapon -a reads it back, which"
            " takes as long as reading so much from that disk."
        )
        severity = "wrong" if found.least_kib << 10 >= _MUCH_BYTES else "hint"
        yield Told(severity, f"{_words(found)} of its memory are in the swap", advice, database.words)


def _words(found: _Swapped) -> str:
    most = format_bytes(found.most_kib << 10)
    return most if found.least_kib == found.most_kib else f"{format_bytes(found.least_kib << 10)} to {most}"


def _own(database: Database, proc: Path) -> _Swapped | None:
    """Of all its processes without shared memory; None: one that lives does not tell.

    What processes have had in common since a fork stands in VmSwap of each: without the part of each it is as much as one has at
    least, and the sum at most.
    """
    told = {one: status_kib(one, "VmSwap", proc) for one in database.processes}
    if any(size is None and threads_of(one, proc) for one, size in told.items()):
        return None
    sizes = {one: size for one, size in told.items() if size}
    largest = sorted(sizes, key=lambda one: -sizes[one])[:_PROCESSES_MAX]
    parts = {one: part for one in largest if (part := _rollup_kib(one, "SwapPss", proc)) is not None}
    rest = [size for one, size in sizes.items() if one not in parts]
    known = sum(parts.values())
    return _Swapped(max(known, *rest) if rest else known, known + sum(rest))


def _shared_kib(number: int, proc: Path) -> int | None:
    """What the first process maps and is in the swap, beside what is its own; None: not told."""
    swap, own = _rollup_kib(number, "Swap", proc), status_kib(number, "VmSwap", proc)
    return None if swap is None or own is None else max(0, swap - own)


def _rollup_kib(number: int, name: str, proc: Path) -> int | None:
    text = files.read_text(proc / str(number) / "smaps_rollup") or ""
    found = re.search(rf"^{name}:\s*(\d+) kB$", text, re.MULTILINE)
    return None if found is None else int(found[1])


RULE = Rule(
    title="Memory of a database in the swap",
    why="What it takes for memory is a read from disk, which its own figures show as CPU or as nothing.",
    source="proc_pid_status(5), `VmSwap`; proc_pid_smaps(5), `Swap` and `SwapPss`",
    look=_look,
)

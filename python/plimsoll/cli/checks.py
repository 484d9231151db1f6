"""What speaks for and against a number, and what it cost, as people read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.facts import Cell, Check

_WORDS = {True: "passed", False: "failed", None: "open"}


def check_lines(checks: Sequence[Check]) -> list[str]:
    """Failed and open checks, and those that were asked for, with their reasons; the others by name."""
    from plimsoll.supply.checks import is_always_made

    quiet = [check.name for check in checks if check.passed and is_always_made(check.name)]
    loud = [check for check in checks if check.name not in quiet]
    lines = [f"check {_WORDS[check.passed]}: {check.name}: {check.reason}" for check in loud]
    return lines + ([f"checks passed: {', '.join(quiet)}"] if quiet else [])


def failed_once(cells: Iterable[Cell], on_hosts: bool = False) -> list[str]:
    """Failed checks of several cells, each name once: the first cell that failed it speaks for the others, but for other hosts."""
    first: dict[tuple[str, int], Check] = {}
    for number, cell in enumerate(cells):
        for check in cell.checks:
            if check.passed is False:
                first.setdefault((check.name, number if on_hosts else 0), check)
    return [f"check failed: {check.name}: {check.reason}" for check in first.values()]


def cost_words(cell: Cell) -> str:
    """What an I/O cost: the whole process, in user mode and in the kernel, and the submitting threads' part of it."""
    if cell.cpu_us_per_io is None or not cell.ios:
        return "CPU time per I/O unknown"
    each = 1e6 / cell.ios
    words = (
        f"CPU time {cell.cpu_us_per_io:.2f} µs per I/O"
        f" ({cell.cpu_s.user * each:.2f} user, {cell.cpu_s.system * each:.2f} system"
    )
    if cell.cpu_threads_s is not None and cell.host is not None:
        words += f"; {cell.cpu_threads_s * each:.2f} in the submitting threads"
    if cell.cpu_workers_s:
        words += f", {cell.cpu_workers_s * each:.2f} in the kernel's workers"
    words += ")"
    if cell.context_switches is not None:
        words += f", {cell.context_switches / cell.ios:.2g} context switches"
    return words

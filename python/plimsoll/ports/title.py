"""What other users see of this process's arguments (`ps`, /proc/PID/cmdline), so that a password typed there can be taken out.

The kernel shows the memory where the arguments were laid at the start of the program (proc(5), `arg_start` and `arg_end`);
writing there changes what is shown and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

_ARG_START, _ARG_END = 48 - 3, 49 - 3
"""Fields 48 and 49 of /proc/PID/stat, counted from the third, the first after the name in parentheses."""


def rewrite_arguments(change: Callable[[Sequence[str]], Sequence[str]]) -> bool:
    """Shows the arguments as `change` makes them, cut where they would not fit; False when the kernel does not allow it."""
    try:
        start, end = _area()
        memory = os.open("/proc/self/mem", os.O_RDWR)
    except (OSError, IndexError, ValueError):
        return False
    try:
        words = os.pread(memory, end - start, start).rstrip(b"\0").split(b"\0")
        shown = _joined(change([os.fsdecode(word) for word in words]), end - start)
        return os.pwrite(memory, shown, start) == end - start
    except OSError:
        return False
    finally:
        os.close(memory)


def _area() -> tuple[int, int]:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[_ARG_START]), int(fields[_ARG_END])


def _joined(words: Sequence[str], length: int) -> bytes:
    """The words with zeros between and behind them, in exactly so many bytes."""
    return b"\0".join(os.fsencode(word) for word in words)[: length - 1].ljust(length, b"\0")

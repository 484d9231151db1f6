"""How much memory this process may still ask for, where somebody has bounded that (`ulimit -v`)."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_STATE = Path("/proc/self/statm")


def room_bytes() -> int | None:
    """What is left of the address space that it may have; None where that is not bounded, or not told."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        taken_pages = int(_STATE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return limit - taken_pages * os.sysconf("SC_PAGE_SIZE")

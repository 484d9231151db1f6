"""How much memory this host has left: whatever keeps bytes in it asks first, as the kernel kills others once there is none."""

from __future__ import annotations

import re

from plimsoll.ports import files


def available_bytes() -> int | None:
    """What programs can still take without any being killed, as the kernel estimates it; None where it does not say.

    source: proc_meminfo(5), MemAvailable
    """
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", files.read_text("/proc/meminfo") or "", re.MULTILINE)
    return int(found[1]) * 1024 if found else None

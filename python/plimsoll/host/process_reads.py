"""What the kernel fetched from storage for processes of this machine: the count that no page cache can blur.

Source: proc_pid_io(5), `read_bytes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.ports import files

_SERVERS = ("postgres", "mariadbd", "mysqld", "oracle")
_FIELD = "read_bytes: "


def process_read_bytes(processes: Sequence[int | None]) -> int | None:
    """The sum over server processes; None where one of them is not here, is no database's, or may not be looked at."""
    total = 0
    for process in processes:
        if process is None or not (files.read_text(Path(f"/proc/{process}/comm")) or "").startswith(_SERVERS):
            return None
        text = files.read_text(Path(f"/proc/{process}/io")) or ""
        found = [line for line in text.splitlines() if line.startswith(_FIELD)]
        if not found:
            return None
        total += int(found[0].removeprefix(_FIELD))
    return total

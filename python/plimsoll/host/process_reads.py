"""What the kernel fetched from storage for the processes of a database server on this machine: no page cache can blur it."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.host.sampler import process_read_bytes
from plimsoll.ports import files

_SERVERS = ("postgres", "mariadbd", "mysqld", "oracle")


def server_read_bytes(processes: Sequence[int | None]) -> int | None:
    """The sum over server processes; None where one of them is not here, is no database's, or may not be looked at."""
    known = [process for process in processes if process is not None]
    if len(known) < len(processes) or not all(is_server(process) for process in known):
        return None
    return process_read_bytes(known)


def is_server(process: int) -> bool:
    """Whether that process of this machine is a database's. Ids of a server elsewhere mean another process here, or none."""
    return (files.read_text(f"/proc/{process}/comm") or "").startswith(_SERVERS)

"""Whether a database's server runs on this machine, so that what the kernel counts here is about it."""

from __future__ import annotations

from plimsoll.databases import Connection
from plimsoll.host.process_reads import is_server


def is_here(connection: Connection) -> bool:
    """Whether the process of its session is here, and is a database's."""
    process = connection.server_process
    return process is not None and is_server(process)

"""Names that a process of this host holds while it lives, for what lies where no lock of this host reaches.

A name is that of a socket in the kernel's abstract namespace, to which nobody ever connects: it makes no file, every process of the
host sees it in /proc/net/unix, and it is gone with the process, however that ends.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from plimsoll.ports.files import read_text

_TABLE = "/proc/net/unix"


@contextmanager
def claimed(name: str) -> Iterator[None]:
    """Holds the name while the block lasts; where the kernel does not let it, the block goes on without."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as held:
        with suppress(OSError):
            held.bind(f"\0{name}")
        yield


def all_claimed() -> frozenset[str]:
    """Every name that is held on this host, in this network namespace."""
    rows = (line.rpartition("@") for line in (read_text(_TABLE) or "").splitlines())
    return frozenset(name for _, mark, name in rows if mark)

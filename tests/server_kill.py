"""Ends an embedded server as a crash does: all its processes at once, nothing in order."""

from __future__ import annotations

import signal
import time

from plimsoll.databases import embedded
from plimsoll.ports import processes


def kill(server: embedded.Server) -> int:
    """Ends the postmaster and all its children with SIGKILL, each by its identity, and says how many they were.

    The postmaster is stopped first: it must not see its children go, nor they it, or some of them would end in order.
    """
    postmaster = processes.identity(server.process.pid)
    assert postmaster is not None
    assert processes.send(postmaster, signal.SIGSTOP)
    family = processes.inside_folder(server.cluster.data_folder)
    assert postmaster in family
    children = [one for one in family if one != postmaster]
    for one in children:
        # One that has just ended by itself, as helpers of the server do, is not there any more.
        processes.send(one, signal.SIGKILL)
    assert processes.send(postmaster, signal.SIGKILL)
    server.process.wait(timeout=20)
    deadline = time.monotonic() + 20
    while any(processes.is_alive(one) for one in children):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return len(family)

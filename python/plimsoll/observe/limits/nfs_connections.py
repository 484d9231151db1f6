"""Connections of an NFS mount to its server: `nconnect`.

Whenever the kernel sends a request it adds to a sum how many others wait to be sent on that connection, the last but one number of
an `xprt:` line of /proc/self/mountstats (net/sunrpc/xprt.c, xprt_request_transmit; xprtsock.c, xs_tcp_print_stats).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from plimsoll.host.mountstats import MountCounts, mounts_counted
from plimsoll.observe.limits._use import Look, Use
from plimsoll.ports import files

_MOST = 16
"""What the kernel allows a mount."""
_SENDS_MIN = 10
"""Of fewer between two looks nothing is told."""
_WAITING_MIN = 1.0
"""Requests that wait whenever one is sent, on average."""


@dataclass
class LIMIT:
    """Requests wait for their turn on a connection, whatever the server does meanwhile."""

    _before: dict[str, MountCounts] = field(default_factory=dict)

    def uses(self, look: Look) -> Iterator[Use]:
        """Of each mount, since the look before."""
        text = files.read_text(look.root / "proc/self/mountstats") or ""
        now = {one.place: one for one in mounts_counted(text) if one.connections}
        before, self._before = self._before, now
        for place, counts in now.items():
            known = before.get(place)
            if known is not None and known.connections == counts.connections:
                yield from _waiting(counts, counts.sends - known.sends, counts.waiting - known.waiting)


def _waiting(counts: MountCounts, sends: int, waiting: int) -> Iterator[Use]:
    if sends < _SENDS_MIN or waiting < _WAITING_MIN * sends:
        return
    connections = counts.connections
    more = (
        f"mount it with nconnect={min(_MOST, 2 * connections)}"
        if connections < _MOST
        else "use several servers"
    )
    advice = f"Whenever one is sent, {waiting / sends:,.1f} requests wait for their turn on its connection: {more}, or ask less."
    yield Use("nconnect", counts.place, "connections", connections, connections, connections, advice)

"""Connections of an NFS mount to its server: `nconnect`.

Whenever the kernel sends a request it adds to a sum how many others wait to be sent on that connection, the last but one number of
an `xprt:` line of /proc/self/mountstats (net/sunrpc/xprt.c, xprt_request_transmit; xprtsock.c, xs_tcp_print_stats).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from plimsoll.observe.limits._use import Look, Use
from plimsoll.ports import files

_MOST = 16
"""What the kernel allows a mount."""
_SENDS_MIN = 10
"""Of fewer between two looks nothing is told."""
_WAITING_MIN = 1.0
"""Requests that wait whenever one is sent, on average."""
_MOUNT = re.compile(r"^device \S+ mounted on (?P<place>\S+) with fstype nfs", re.ASCII)
_FIELDS = 14
"""Of a line of TCP, with the word itself; another transport has others."""
_SENDS_AT, _SENDING_AT = 6, 12
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class _Sent:
    """Sums of all connections of a mount, since it is mounted."""

    connections: int = 0
    sends: int = 0
    waiting: int = 0

    def plus(self, line: list[int]) -> _Sent:
        """And one connection more, where all of its numbers are told."""
        if len(line) < _FIELDS - 1:
            return self
        return _Sent(
            self.connections + 1, self.sends + line[_SENDS_AT - 1], self.waiting + line[_SENDING_AT - 1]
        )


@dataclass
class LIMIT:
    """Requests wait for their turn on a connection, whatever the server does meanwhile."""

    _before: dict[str, _Sent] = field(default_factory=dict)

    def uses(self, look: Look) -> Iterator[Use]:
        """Of each mount, since the look before."""
        now = dict(_mounts(files.read_text(look.root / "proc/self/mountstats") or ""))
        before, self._before = self._before, now
        for place, sent in now.items():
            known = before.get(place)
            if known is not None and known.connections == sent.connections:
                yield from _waiting(place, sent, sent.sends - known.sends, sent.waiting - known.waiting)


def _waiting(place: str, sent: _Sent, sends: int, waiting: int) -> Iterator[Use]:
    if sends < _SENDS_MIN or waiting < _WAITING_MIN * sends:
        return
    connections = sent.connections
    more = (
        f"mount it with nconnect={min(_MOST, 2 * connections)}"
        if connections < _MOST
        else "use several servers"
    )
    advice = f"Whenever one is sent, {waiting / sends:,.1f} requests wait for their turn on its connection: {more}, or ask less."
    yield Use("nconnect", place, "connections", connections, connections, connections, advice)


def _mounts(text: str) -> Iterator[tuple[str, _Sent]]:
    """The mounts of NFS over TCP."""
    place, sent = "", _Sent()
    for line in [*text.splitlines(), "device"]:
        words = line.split()
        if line.startswith("device"):
            if sent.connections:
                yield place, sent
            mount = _MOUNT.match(line)
            place, sent = (_written(mount["place"]) if mount else ""), _Sent()
        elif place and words[:2] == ["xprt:", "tcp"] and len(words) == _FIELDS + 1:
            sent = sent.plus([int(word) for word in words[2:] if word.lstrip("-").isdecimal()])


def _written(place: str) -> str:
    """A space and its like stand as octal numbers."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), place)

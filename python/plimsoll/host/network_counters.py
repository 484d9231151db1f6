"""What network cards count, and through which of them data goes to an address.

Counters are those of `/sys/class/net/*/statistics`, read from `/proc/self/net/dev`, which is of the network that this process is in
also where /sys was mounted in another one (proc_pid_net(5)).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host.routes import PROC, card_to
from plimsoll.ports import files
from plimsoll.ports.clock import Clock

LOOPBACK = "lo"
"""Its counts are those of the kernel itself, and never late."""
_LOOK_S, _STILL_S, _SETTLE_S = 0.1, 1.2, 3.0
_TALK_BYTES = 1 << 16
"""What goes over any card in a tenth of a second, as a terminal; what is counted late of a test is more."""
_LOCAL = re.compile(r"^\s*\|--\s+(\S+)\n\s+/32 host LOCAL", re.MULTILINE)
_COUNTERS = re.compile(r"^\s*(\S+?):\s*(\d+)(?:\s+\d+){7}\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Counted:
    """Bytes that a card received and sent, headers of the link and above with them."""

    in_bytes: int
    out_bytes: int

    def since(self, before: Counted) -> Counted:
        """What came to it; a counter that went back is that of a card made anew."""
        return Counted(max(0, self.in_bytes - before.in_bytes), max(0, self.out_bytes - before.out_bytes))


def read_counters(proc: Path = PROC) -> dict[str, Counted]:
    """By card; empty where the kernel does not tell."""
    text = files.read_text(proc / "self/net/dev") or ""
    return {card: Counted(int(taken), int(sent)) for card, taken, sent in _COUNTERS.findall(text)}


def settled(
    cards: Collection[str],
    clock: Clock,
    is_cut: Callable[[], bool],
    look: Callable[[], dict[str, Counted]] = read_counters,
) -> dict[str, Counted]:
    """What is counted once these cards stood still: drivers such as bnxt and tg3 fetch the counts from their card once a second.

    Cards on which others move much never stand still: after some seconds that is not waited for any longer.
    """
    found, begin_s = look(), clock.monotonic_s()
    if not cards:
        return found
    moved_s = now_s = begin_s
    while now_s - moved_s < _STILL_S and now_s - begin_s < _SETTLE_S and not is_cut():
        clock.sleep(_LOOK_S)
        then, found, now_s = found, look(), clock.monotonic_s()
        if any(_moved(found[card], then[card]) for card in cards if card in found and card in then):
            moved_s = now_s
    return found


def _moved(now: Counted, then: Counted) -> bool:
    came = now.since(then)
    return came.in_bytes + came.out_bytes > _TALK_BYTES


def card_towards(address: str, proc: Path = PROC) -> str | None:
    """The loopback for an address of this host, whichever card has it; else by the main table of routes."""
    try:
        wanted = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return None
    is_own = wanted.is_loopback or wanted in _own(proc)
    return LOOPBACK if is_own else card_to(address, proc)


def _own(proc: Path) -> set[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    found: set[ipaddress.IPv4Address | ipaddress.IPv6Address] = set()
    for text in _LOCAL.findall(files.read_text(proc / "self/net/fib_trie") or ""):
        found.add(ipaddress.IPv4Address(text))
    for line in (files.read_text(proc / "self/net/if_inet6") or "").splitlines():
        found.add(ipaddress.IPv6Address(bytes.fromhex(line.split()[0])))
    return found


def mtu_of(card: str, sys: Path = Path("/sys")) -> int | None:
    """The longest packet of a card; None: not told."""
    told = (files.read_text(sys / "class/net" / card / "mtu") or "").strip()
    return int(told) if told.isdecimal() else None

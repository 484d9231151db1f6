"""Which network card the way to an address leads through, by the kernel's main table of routes (proc_pid_net(5))."""

from __future__ import annotations

import ipaddress
import struct
from pathlib import Path

from plimsoll.ports import files

PROC = Path("/proc")
_UP = 0x0001
_REJECT = 0x0200


def card_to(address: str, proc: Path = PROC) -> str | None:
    """The card's name; None for what is no address, and where no route leads there. Other tables are not followed."""
    try:
        wanted = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return None
    if wanted.version == 6 and (mapped := wanted.ipv4_mapped) is not None:
        wanted = mapped
    routes = _routes_4(proc) if wanted.version == 4 else _routes_6(proc)
    fitting = [(network.prefixlen, -metric, card) for network, metric, card in routes if wanted in network]
    return max(fitting)[2] if fitting else None


_Route = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, int, str]


def _routes_4(proc: Path) -> list[_Route]:
    """Numbers are hexadecimal, in the order of bytes of the machine."""
    found: list[_Route] = []
    for line in (files.read_text(proc / "net" / "route") or "").splitlines()[1:]:
        words = line.split()
        if len(words) < 8 or not _is_used(words[3]):
            continue
        to, mask = (_address_4(words[at]) for at in (1, 7))
        found.append((ipaddress.IPv4Network(f"{to}/{mask}", strict=False), int(words[6]), words[0]))
    return found


def _is_used(flags: str) -> bool:
    """Whether the route is up and leads anywhere."""
    return int(flags, 16) & (_UP | _REJECT) == _UP


def _address_4(text: str) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(struct.pack("=I", int(text, 16)))


def _routes_6(proc: Path) -> list[_Route]:
    found: list[_Route] = []
    for line in (files.read_text(proc / "net" / "ipv6_route") or "").splitlines():
        words = line.split()
        if len(words) < 10 or not _is_used(words[8]):
            continue
        to = ipaddress.IPv6Address(bytes.fromhex(words[0]))
        network = ipaddress.IPv6Network(f"{to}/{int(words[1], 16)}", strict=False)
        found.append((network, int(words[5], 16), words[9]))
    return found

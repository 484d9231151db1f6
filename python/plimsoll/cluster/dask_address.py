"""The address of a Dask scheduler, and whether it may be used.

Who reaches a scheduler without TLS can have its workers run anything, and reads what goes between them. So one that others may
reach is used only where somebody says so.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from plimsoll.base.errors import SafetyError, UsageError, WorldError
from plimsoll.base.printable import printable
from plimsoll.cluster.dask_port import owners_of

_WITHOUT_TLS = "tcp"
_TLS = "tls"
_SCHEMES = (_WITHOUT_TLS, _TLS)
_HINT = (
    "Start scheduler and workers with certificates and name tls://; or, on a network where nobody else is, "
    "add --cluster-without-tls."
)
_EXAMPLE = "Write it as the scheduler prints it: --cluster tls://10.0.0.5:8786."
START_HINT = "See that `dask scheduler` runs there and that its port can be reached, then call it again."
_PORT_HINT = "Call it as that user, who can read the reports, or have a scheduler of root's."


@dataclass(frozen=True)
class Address:
    """Where a scheduler listens."""

    scheme: str
    host: str
    port: int

    @property
    def is_encrypted(self) -> bool:
        """Whether both ends show certificates, and nobody else can read along."""
        return self.scheme != _WITHOUT_TLS

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def address_of(text: str) -> Address:
    """Raises UsageError `cluster-address`."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        # As what asks for its address does: it wants no empty part, and none of more than 63 letters.
        (host or "").encode("idna")
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    rest = (parts.path.strip("/"), parts.query, parts.fragment, parts.username)
    if parts.scheme not in _SCHEMES or not host or not port or any(rest):
        message = f"'{printable(text)}' is no address of a Dask scheduler"
        raise UsageError("cluster-address", message, _EXAMPLE)
    return Address(parts.scheme, host, port)


def refuse_open(address: Address, without_tls: bool) -> None:
    """Raises SafetyError `cluster-without-tls` for one without TLS elsewhere than on this host, unless somebody said so."""
    if address.is_encrypted or without_tls or _is_loopback(address.host):
        return
    message = f"{address} has no TLS: whoever reaches it can run programs as its workers' user"
    raise SafetyError("cluster-without-tls", message, _HINT)


def refuse_open_parts(address: Address, scheduler: str, workers: Iterable[str], without_tls: bool) -> None:
    """The same by what the scheduler says of itself and its workers, as one may be reached in more ways than by the name given.

    Raises SafetyError `cluster-without-tls`.
    """
    if without_tls:
        return
    for who, where in (("the scheduler", scheduler), *(("a worker", worker) for worker in workers)):
        if not _is_closed(where):
            message = (
                f"{who} of {address} is at {where}, without TLS: whoever reaches it can run programs there"
            )
            raise SafetyError(
                "cluster-without-tls", message, f"{_HINT} On one host give each --host 127.0.0.1."
            )


def refuse_others_port(address: Address, without_tls: bool) -> None:
    """Raises SafetyError `cluster-without-tls` for root where another user's process listens on that port of this host."""
    if address.is_encrypted or without_tls or os.geteuid() != 0:
        return
    others = sorted(owners_of(address.port) - {0})
    if others:
        message = (
            f"what listens at {address} belongs to user {others[0]}, who could run programs as root by it"
        )
        raise SafetyError("cluster-without-tls", message, _PORT_HINT)


def unreachable(address: Address, why: str) -> WorldError:
    """Nobody is there that could be used."""
    message = f"could not reach a Dask scheduler at {address}: {why}"
    return WorldError("cluster-unreachable", message, START_HINT)


def _is_closed(where: str) -> bool:
    """Whether nobody else can talk to what listens there, by an address as Dask has it."""
    try:
        parts = urlsplit(where)
        return parts.scheme == _TLS or _is_loopback(parts.hostname or "")
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    """Whether it is this host alone, by each of its addresses; a name that leads nowhere is not."""
    if not host:
        return False
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(one.partition("%")[0]).is_loopback for one in found)

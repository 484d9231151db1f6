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
from urllib.parse import SplitResult, urlsplit

from plimsoll.base.errors import SafetyError, UsageError, WorldError, reason_of
from plimsoll.base.printable import printable
from plimsoll.cluster.dask_port import owners_of

_WITHOUT_TLS = "tcp"
_TLS = "tls"
_SCHEMES = (_WITHOUT_TLS, _TLS)
_HINT = (
    "Start scheduler and workers with certificates and name tls://; or, on a network where nobody else is, "
    "add --cluster-without-tls."
)
_PORT = 8786
"""Where a scheduler listens unless it is told otherwise."""
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
    scheme, has_scheme, rest = text.partition("://")
    try:
        parts = urlsplit(f"//{rest if has_scheme else text}")
        host, port = parts.hostname or "", parts.port
        # As what asks for its address does: it wants no empty part, and none of more than 63 letters.
        host.encode("idna")
    except ValueError as error:
        raise _no_address(text, _why_not(error)) from None
    wrong = _wrong(scheme if has_scheme else None, host, port) or _beside(parts)
    if wrong is not None or not port:
        raise _no_address(text, wrong or "it has no port", host, port)
    return Address(scheme, host, port)


def _wrong(scheme: str | None, host: str, port: int | None) -> str | None:
    """What is wrong with the parts that an address has to have."""
    if scheme is None:
        return "it does not begin with tcp:// or tls://"
    if scheme not in _SCHEMES:
        return f"{printable(scheme)}:// is neither tcp:// nor tls://"
    if not host:
        return "it has no host"
    if port is None:
        return "it has no port"
    return "port 0 is none to connect to" if port == 0 else None


def _beside(parts: SplitResult) -> str | None:
    if parts.username is not None:
        return "a user has no place in it"
    if parts.path.strip("/") or parts.query or parts.fragment:
        return "it goes on behind the port"
    return None


def _why_not(error: ValueError) -> str:
    """Of what cannot even be taken apart."""
    if isinstance(error, UnicodeError):
        return "no host can have that name"
    if "out of range" in str(error):
        return "a port is at most 65535"
    return "its port is no number" if "port" in str(error).lower() else "it has no host and port"


def _no_address(text: str, wrong: str, host: str = "", port: int | None = None) -> UsageError:
    """With an example that has of it what may stay."""
    is_here = _is_named_loopback(host)
    example = Address(_WITHOUT_TLS if is_here else _TLS, host or "10.0.0.5", port or _PORT)
    message = f"'{printable(text)}' is no address of a Dask scheduler: {wrong}"
    hint = f"Write it as the scheduler prints it, such as --cluster {printable(str(example))}."
    return UsageError("cluster-address", message, hint)


def refuse_open(address: Address, without_tls: bool) -> None:
    """Raises SafetyError `cluster-without-tls` for one without TLS elsewhere than on this host, unless somebody said so, and
    WorldError `cluster-unreachable` where its name leads nowhere.
    """
    if address.is_encrypted or without_tls:
        return
    try:
        if _leads_here(address.host):
            return
    except OSError as error:
        raise unreachable(address, reason_of(error)) from error
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
    """Whether it is this host alone; a name that leads nowhere is not."""
    try:
        return _leads_here(host)
    except OSError:
        return False


def _leads_here(host: str) -> bool:
    """Whether it is this host alone, by each of its addresses. Raises OSError where the name leads nowhere."""
    found = {str(one[4][0]) for one in socket.getaddrinfo(host, None)} if host else set()
    return bool(found) and all(ipaddress.ip_address(one.partition("%")[0]).is_loopback for one in found)


def _is_named_loopback(host: str) -> bool:
    """The same without asking for the name's address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

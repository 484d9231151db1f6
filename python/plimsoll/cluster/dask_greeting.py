"""What answers at an address, before Dask's own client talks to it: that one waits without end for a greeting that does not come,
and takes the first bytes of whatever is there for a length.

A scheduler greets whoever connects before it is asked anything: eight bytes of a length, then so many bytes. Servers of something
else greet otherwise, or wait for a question. So one that stays silent is asked as a web server would be: only one that hangs says
nothing to that.
"""

from __future__ import annotations

import socket
import ssl
import struct

from plimsoll.base.errors import WorldError, reason_of
from plimsoll.cluster.dask_address import START_HINT, Address, unreachable
from plimsoll.cluster.limits import CLUSTER_GREETING_BYTES_MAX, CLUSTER_GREETING_SHARE
from plimsoll.ports.clock import SystemClock

_CLOCK = SystemClock()
_LENGTH = struct.Struct("<Q")
_QUESTION = b"GET / HTTP/1.0\r\n\r\n"
GOES_ON = "It goes on from the groups that were read whole."
_HANGS_HINT = "End what hangs there, then call it again."
_TLS_HINT = "Write tls://, and name the certificates in Dask's configuration."
_PLAIN_HINT = "Write tcp://, or start scheduler and workers with certificates."


def expect_scheduler(address: Address, seconds: float, context: ssl.SSLContext | None) -> None:
    """That a scheduler greets there, with TLS where there is a context for it.

    Raises WorldError `cluster-unreachable`, `cluster-silent`.
    """
    until_s = _CLOCK.monotonic_s() + seconds
    try:
        if context is None:
            _expect_plain(address, seconds, until_s)
        else:
            _expect_tls(address, context, seconds, until_s)
    except TimeoutError as error:
        raise silent(str(address), seconds) from error
    except OSError as error:
        raise unreachable(address, reason_of(error)) from error


def silent(who: str, seconds: float, is_begun: bool = False) -> WorldError:
    """It did not answer in time; `is_begun`: while files were read already."""
    message = f"{who} did not answer for {seconds:g} s"
    if is_begun:
        return WorldError("cluster-silent", message, f"{_HANGS_HINT} {GOES_ON}")
    return WorldError("cluster-silent", message, _HANGS_HINT)


def _connection(address: Address, until_s: float) -> socket.socket:
    return socket.create_connection((address.host, address.port), _left_s(until_s))


def _left_s(until_s: float) -> float:
    """Zero would be another way to wait."""
    return max(0.001, until_s - _CLOCK.monotonic_s())


def _expect_plain(address: Address, seconds: float, until_s: float) -> None:
    greeting = _plain_greeting(address, seconds, until_s)
    if _is_dask(greeting):
        return
    if not greeting and _speaks_tls(address, until_s):
        message = f"what answers at {address} may want TLS: it ended a connection without"
        raise WorldError("cluster-unreachable", message, _TLS_HINT)
    raise _no_scheduler(address, greeting)


def _plain_greeting(address: Address, seconds: float, until_s: float) -> bytes:
    """One that may be busy gets its time before it is asked what no scheduler is asked. Raises TimeoutError."""
    soon_s = min(until_s, _CLOCK.monotonic_s() + seconds * CLUSTER_GREETING_SHARE)
    with _connection(address, until_s) as plain:
        try:
            return _first_bytes(plain, soon_s)
        except TimeoutError:
            return _asked(plain, until_s)
        except ConnectionError:
            return b""


def _asked(plain: socket.socket, until_s: float) -> bytes:
    """What comes of the question. Nothing where the connection was ended for it. Raises TimeoutError."""
    try:
        plain.sendall(_QUESTION)
        return _first_bytes(plain, until_s)
    except ConnectionError:
        return b""


def _first_bytes(connection: socket.socket, until_s: float) -> bytes:
    """As many as a length has, or all up to the end. Raises TimeoutError where nothing came."""
    found = b""
    while len(found) < _LENGTH.size:
        connection.settimeout(_left_s(until_s))
        try:
            some = connection.recv(_LENGTH.size - len(found))
        except TimeoutError:
            if found:
                break
            raise
        if not some:
            break
        found += some
    return found


def _is_dask(greeting: bytes) -> bool:
    """By a length that a greeting may have. Words of other servers are lengths that no host has memory for."""
    if len(greeting) < _LENGTH.size:
        return False
    return 0 < _LENGTH.unpack(greeting)[0] <= CLUSTER_GREETING_BYTES_MAX


def _no_scheduler(address: Address, greeting: bytes) -> WorldError:
    said = f"its first bytes are {greeting!r}" if greeting else "it ended the connection"
    message = f"what answers at {address} is no Dask scheduler: {said}"
    return WorldError("cluster-unreachable", message, START_HINT)


def _speaks_tls(address: Address, until_s: float) -> bool:
    """Whoever it is: nothing is said to it."""
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    try:
        with _connection(address, until_s) as plain, anyone.wrap_socket(plain):
            return True
    except ssl.SSLError as error:
        return _is_of_tls(error)
    except OSError:
        return False


def _is_of_tls(error: ssl.SSLError) -> bool:
    """Whether the other side speaks TLS, and what was wrong is something else."""
    return isinstance(error, ssl.SSLCertVerificationError) or "ALERT" in (error.reason or "")


def _expect_tls(address: Address, context: ssl.SSLContext, seconds: float, until_s: float) -> None:
    try:
        with (
            _connection(address, until_s) as plain,
            context.wrap_socket(plain, server_hostname=address.host) as connection,
        ):
            greeting = _first_bytes(connection, until_s)
    except (ssl.SSLError, ConnectionResetError) as error:
        if isinstance(error, ssl.SSLError) and _is_of_tls(error):
            raise
        raise _without_tls(address, seconds, until_s, error) from error
    if not _is_dask(greeting):
        raise _no_scheduler(address, greeting)


def _without_tls(address: Address, seconds: float, until_s: float, why: OSError) -> WorldError:
    """Why TLS with it failed: because it has none, or for what the library says."""
    greeting = _plain_greeting(address, seconds, until_s)
    if _is_dask(greeting):
        message = f"the Dask scheduler at {address} speaks no TLS: {reason_of(why)}"
        return WorldError("cluster-unreachable", message, _PLAIN_HINT)
    return _no_scheduler(address, greeting) if greeting else unreachable(address, reason_of(why))
